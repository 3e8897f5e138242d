use std::collections::BTreeSet;

use super::network::{Knots, SizeFunction};
use super::{Curve, PLogP, PLogPNetwork};
use crate::comm::estimation::critical_path_fit::{
    estimate_parameters, on_two, smallest_time_and_largest_size,
};
use crate::comm::estimation::trains::{complete, of_trains, sizes};
use crate::comm::{Estimator, FitError, Observations, TypedParameters};
use orrery_base::units::Bytes;
use orrery_measure::sample::{Experiment, ExperimentKind};
use orrery_program::schedule::TrainKind;

/// Estimates PLogP from the means over all pairs with trains, as if the cluster were homogeneous.
///
/// Each function is known at the sizes of its trains: g(m) from long trains, o_s(m) and o_r(m) from
/// the time in sends and in receives. L comes from round trips at sizes of gap trains, T(m, r) =
/// 2·L + g(m) + g(r). The coefficients come from the engine. Source: as of [`PLogP`].
///
/// # Errors
///
/// When experiments are missing: the error lists them.
pub fn fit(observations: &Observations, level: f64) -> Result<PLogP, FitError> {
    let model = "plogp";
    let trains = of_trains(model, observations)?;
    let of = |kind| sizes(&trains, kind);
    let gaps: BTreeSet<Bytes> = of(TrainKind::Gap);
    let chosen = trains.filtered(|experiment| match experiment {
        Experiment::RoundTrip { size, reply, .. } => gaps.contains(size) && gaps.contains(reply),
        Experiment::Train { train, .. } => {
            train.kind != TrainKind::Prtt || gaps.contains(&train.reply)
        }
        _ => false,
    });
    let has_trip = chosen.iter().any(|one| matches!(one.experiment, Experiment::RoundTrip { .. }));
    let missing =
        (!has_trip).then(|| format!("round trip (of a size of the gap trains, {})", words(&gaps)));
    complete(model, missing.into_iter().collect())?;
    let ordered = |sizes: BTreeSet<Bytes>| sizes.into_iter().collect::<Vec<_>>();
    let sizes = [TrainKind::Gap, TrainKind::SendOverhead, TrainKind::ReceiveOverhead]
        .map(|kind| ordered(of(kind)));
    let knots = Knots { sizes: sizes.clone() };
    let list: Vec<_> = chosen.averaged().iter().map(on_two).collect();
    let (time, _) = smallest_time_and_largest_size(&list);
    // The gap is at least as long as the overheads.
    let mut initial = vec![time; knots.count()];
    let gap = knots.first(SizeFunction::Gap);
    initial[gap..gap + knots.sizes[0].len()].fill(4.0 * time);
    let network = |parameters: &[f64]| PLogPNetwork::new(2, knots.clone(), parameters.to_vec());
    let (estimates, _) = estimate_parameters(model, &chosen, &list, &initial, network, level)?;
    let curve = |function: SizeFunction| {
        let (first, sizes) = (knots.first(function), &sizes[function as usize]);
        let values = estimates[first..first + sizes.len()].to_vec();
        Curve::new(sizes.clone(), values)
            .unwrap_or_else(|| unreachable!("every kind of train has a size"))
    };
    let [gap, send_overhead, receive_overhead] = SizeFunction::ALL.map(curve);
    Ok(PLogP { latency: estimates[0], send_overhead, receive_overhead, gap })
}

/// Returns the first three sizes in words, separated by commas.
fn words(sizes: &BTreeSet<Bytes>) -> String {
    let all: Vec<String> = sizes.iter().take(3).map(ToString::to_string).collect();
    all.join(", ")
}

/// The estimation of PLogP.
pub(in crate::comm) const ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip, ExperimentKind::Train],
    requires: &[ExperimentKind::Train],
    allows_single_pair: true,
    fit: |observations, options| Ok(fit(observations, options.level)?.to_set().into()),
    ..Estimator::BASIC
};

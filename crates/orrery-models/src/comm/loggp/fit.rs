use super::{LogGp, LogGpNetwork};
use crate::comm::estimation::critical_path_fit::{
    estimate_parameters, on_two, smallest_time_and_largest_size,
};
use crate::comm::estimation::trains::{complete, of_trains, sizes};
use crate::comm::{Correlations, Estimated, Estimator, FitError, Observations};
use orrery_base::units::Bytes;
use orrery_measure::sample::{Experiment, ExperimentKind};
use orrery_program::schedule::TrainKind;

/// Estimates LogGP or LogP from the means over all pairs with trains, as if the cluster were
/// homogeneous, with the correlations of the errors of the parameters.
///
/// Small messages are those of one byte or none, or else of the smallest size of a gap train:
///
/// - o_s and o_r: the time in sends and in receives of small messages;
/// - L: small round trips, 2·(L + o_s + o_r);
/// - g: trains of small messages, G: trains of the largest ones (saturation).
///
/// The coefficients come from the engine, and all rows are solved together, so that the time before
/// and after a train does not count as a gap. Source: as of [`LogGp`].
///
/// # Errors
///
/// When experiments are missing: the error lists them.
pub fn fit(
    observations: &Observations,
    with_bytes: bool,
    level: f64,
) -> Result<(LogGp, Correlations), FitError> {
    let model = if with_bytes { "loggp" } else { "logp" };
    let trains = of_trains(model, observations)?;
    let gaps = sizes(&trains, TrainKind::Gap);
    let smallest = smallest_gap_size(&trains);
    let largest = gaps.last().copied().unwrap_or(Bytes::ZERO);
    let is_small = |size: Bytes| size <= smallest;
    let wanted = |experiment: &Experiment| match *experiment {
        Experiment::RoundTrip { size, reply, .. } => is_small(size.max(reply)),
        Experiment::Train { train, .. } => match train.kind {
            TrainKind::SendOverhead | TrainKind::ReceiveOverhead => is_small(train.size),
            TrainKind::Gap | TrainKind::Prtt => {
                is_small(train.size) || (with_bytes && train.size == largest)
            }
        },
        _ => false,
    };
    let chosen = trains.filtered(wanted);
    let none = |kind: TrainKind| {
        sizes(&chosen, kind).is_empty().then(|| format!("{} ({smallest} or less)", kind.name()))
    };
    let mut missing: Vec<String> = [TrainKind::SendOverhead, TrainKind::ReceiveOverhead]
        .into_iter()
        .filter_map(none)
        .collect();
    if !chosen.iter().any(|one| matches!(one.experiment, Experiment::RoundTrip { .. })) {
        missing.push(format!("round trip ({smallest} or less)"));
    }
    if with_bytes && is_small(largest) {
        missing.push("gap of large messages".into());
    }
    complete(model, missing)?;
    let list = chosen.averaged();
    let (time, size) = smallest_time_and_largest_size(&list);
    // Gaps longer than the overheads, which trains can show.
    let initial = [time, time, time, 4.0 * time, 4.0 * time / size];
    let initial = &initial[..if with_bytes { 5 } else { 4 }];
    let network = |parameters: &[f64]| LogGpNetwork::new(2, parameters);
    let list: Vec<_> = list.iter().map(on_two).collect();
    let (estimates, correlations) =
        estimate_parameters(model, &chosen, &list, initial, network, level)?;
    let model = LogGp::from_estimates(&estimates)
        .unwrap_or_else(|| unreachable!("one estimate for each parameter"));
    Ok((model, correlations))
}

/// Returns the smallest size of a gap train, at least one byte: messages up to this size are small.
pub(super) fn smallest_gap_size(observations: &Observations) -> Bytes {
    sizes(observations, TrainKind::Gap).first().copied().unwrap_or(Bytes::ZERO).max(Bytes::new(1))
}

/// The estimation of LogGP.
pub(in crate::comm) const LOGGP_ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip, ExperimentKind::Train],
    requires: &[ExperimentKind::Train],
    allows_single_pair: true,
    fit: |observations, options| {
        let (loggp, correlations) = fit(observations, true, options.level)?;
        Ok(Estimated::new(&loggp, correlations))
    },
    ..Estimator::BASIC
};

/// The estimation of LogP, which has no time per byte, so that its domain is small messages.
pub(in crate::comm) const LOGP_ESTIMATOR: Estimator = Estimator {
    domain: |observations| {
        let limit = smallest_gap_size(observations);
        Some(observations.filtered(|experiment| experiment.size() <= limit))
    },
    fit: |observations, options| {
        let (logp, correlations) = fit(observations, false, options.level)?;
        Ok(Estimated::new(&logp, correlations))
    },
    ..LOGGP_ESTIMATOR
};

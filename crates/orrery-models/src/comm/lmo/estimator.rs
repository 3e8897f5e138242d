//! The estimation of LMO, LOM and HLMO.

use super::{Hlmo, Layout, LmoNetwork, paths, triplets};
use crate::comm::estimation::critical_path_fit::{
    estimate_parameters, smallest_time_and_largest_size,
};
use crate::comm::{
    Correlations, Estimated, EstimationOptions, Estimator, FitError, Observations, TypedParameters,
};
use orrery_measure::sample::Experiment;

orrery_base::named_enum! {
    /// The estimators of LMO and LOM.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum LmoEstimator: "estimator of LMO" {
        /// Least squares along critical paths, see [`paths`](super::paths()).
        #[default]
        Paths => "paths": "Least squares along the critical paths of all experiments",
        /// The papers' closed solutions of triplets, averaged, see [`triplets`].
        Triplets => "triplets": "The closed-form solutions of the papers, averaged over triplets",
    }
}

/// The estimation of LMO.
pub(in crate::comm) const LMO_ESTIMATOR: Estimator =
    Estimator { fit: |observations, options| fit(observations, options, true), ..Estimator::BASIC };

/// The estimation of LOM.
pub(in crate::comm) const LOM_ESTIMATOR: Estimator = Estimator {
    fit: |observations, options| fit(observations, options, false),
    ..Estimator::BASIC
};

/// The estimation of HLMO.
pub(in crate::comm) const HLMO_ESTIMATOR: Estimator = Estimator {
    fit: |observations, options| {
        let (hlmo, correlations) = homogeneous(observations, options.level)?;
        Ok(Estimated::new(&hlmo, correlations))
    },
    ..Estimator::BASIC
};

/// Estimates LMO, or LOM without link latency.
fn fit(
    observations: &Observations,
    options: &EstimationOptions,
    with_latency: bool,
) -> Result<Estimated, FitError> {
    match options.lmo {
        LmoEstimator::Triplets => {
            Ok(triplets(observations, with_latency, options.level)?.to_set().into())
        }
        LmoEstimator::Paths => {
            let (lmo, termination, correlations) =
                paths(observations, with_latency, options.level)?;
            Ok(Estimated { termination: Some(termination), ..Estimated::new(&lmo, correlations) })
        }
    }
}

/// Estimates HLMO from the means over all processors, as if the cluster were homogeneous, with the
/// correlations of the errors of the parameters.
///
/// Round trips determine sums of the delays of processors and links. One-to-two experiments, and
/// flat scatters if collectives are included, separate them, which requires three processors. The
/// coefficients come from the engine. Source: reference of the CPM module `LMO`, which measures
/// flat scatters of two sizes on two numbers of processors.
///
/// # Errors
///
/// When there are fewer than three processors, or experiments are missing.
pub fn homogeneous(
    observations: &Observations,
    level: f64,
) -> Result<(Hlmo, Correlations), FitError> {
    let processors = observations.processors();
    if processors < 3 {
        let why = "round trips of two processors cannot separate the delays of a processor from \
            those of its link";
        return Err(FitError::Processors { model: "hlmo", needed: 3, given: processors, why });
    }
    let list = observations.averaged();
    let empty = |what: fn(&Experiment) -> bool, empty: bool| {
        let size = |e: &Experiment| match *e {
            Experiment::RoundTrip { size, reply, .. } => size + reply,
            _ => e.size(),
        };
        list.iter().any(|one| what(&one.experiment) && (size(&one.experiment).get() == 0) == empty)
    };
    let is_trip = |e: &Experiment| matches!(e, Experiment::RoundTrip { .. });
    let others = |e: &Experiment| e.pair().is_none();
    let needs = [
        ("round trip (0 out, 0 back)", empty(is_trip, true)),
        ("round trip (a size above 0 out)", empty(is_trip, false)),
        ("one-to-two (0)", empty(others, true)),
        ("one-to-two (a size above 0)", empty(others, false)),
    ];
    let missing: Vec<String> =
        needs.iter().filter(|(_, there)| !there).map(|(words, _)| (*words).to_owned()).collect();
    // With collectives, other sizes may suffice as well: the rank of the rows decides.
    let only_usual =
        list.iter().all(|one| !matches!(one.experiment, Experiment::Collective { .. }));
    if only_usual && !missing.is_empty() {
        return Err(FitError::Missing {
            model: "hlmo",
            count: missing.len(),
            missing,
            campaign: "comm",
        });
    }
    let (time, size) = smallest_time_and_largest_size(&list);
    let layout = Layout::of_equal(processors);
    let initial = layout.even(time / 8.0, time / 8.0 / size);
    let network = |parameters: &[f64]| LmoNetwork::from_parameters(layout, parameters.to_vec());
    let (estimates, correlations) =
        estimate_parameters("hlmo", observations, &list, &initial, network, level)?;
    let [fixed_delay, byte_delay, link_byte_delay, link_latency] = estimates[..] else {
        unreachable!("the layout of equal processors has four parameters")
    };
    Ok((Hlmo { fixed_delay, byte_delay, link_latency, link_byte_delay }, correlations))
}

//! The estimation of LMO, LOM and HLMO.

use super::{homogeneous, paths, triplets};
use crate::comm::{
    Estimated, EstimationOptions, Estimator, FitError, Observations, TypedParameters,
};

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

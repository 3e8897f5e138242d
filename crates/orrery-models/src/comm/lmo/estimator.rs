//! The estimation of LMO, LOM and HLMO.

use super::{homogeneous, paths, triplets};
use crate::comm::{
    Estimated, EstimationOptions, Estimator, FitError, Observations, TypedParameters,
};

/// The estimators of LMO and LOM.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LmoEstimator {
    /// Least squares along critical paths, see [`paths`](super::paths()).
    #[default]
    Paths,
    /// The papers' closed solutions of triplets, averaged, see [`triplets`].
    Triplets,
}

impl LmoEstimator {
    /// The keyword in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paths => "paths",
            Self::Triplets => "triplets",
        }
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

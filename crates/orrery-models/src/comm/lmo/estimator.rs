//! The registry entry of the estimation of LMO, LOM and HLMO.

use super::homogeneous::correlated_homogeneous;
use super::paths::correlated_paths;
use super::{Definition, triplets};
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

impl Estimator for Definition {
    fn fit(
        &self,
        observations: &Observations,
        options: &EstimationOptions,
    ) -> Result<Estimated, FitError> {
        if *self == Self::Hlmo {
            let (hlmo, correlations) = correlated_homogeneous(observations, options.level)?;
            return Ok(Estimated::new(&hlmo, correlations));
        }
        let with_latency = *self == Self::Lmo;
        match options.lmo {
            LmoEstimator::Triplets => {
                Ok(triplets(observations, with_latency, options.level)?.to_set().into())
            }
            LmoEstimator::Paths => {
                let (lmo, termination, correlations) =
                    correlated_paths(observations, with_latency, options.level)?;
                Ok(Estimated {
                    termination: Some(termination),
                    ..Estimated::new(&lmo, correlations)
                })
            }
        }
    }
}

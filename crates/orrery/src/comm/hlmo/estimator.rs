//! The registry entry of the estimation of HLMO.

use super::Definition;
use super::fit::correlated_fit;
use crate::comm::{Estimated, EstimationOptions, Estimator, FitError, Observations};

impl Estimator for Definition {
    fn fit(
        &self,
        observations: &Observations,
        options: &EstimationOptions,
    ) -> Result<Estimated, FitError> {
        let (hlmo, correlations) = correlated_fit(observations, options.level)?;
        Ok(Estimated::new(&hlmo, correlations))
    }
}

//! The registry entry of the estimation of Hockney.

use super::Definition;
use super::fit::correlated_fit;
use crate::comm::{Estimated, EstimationOptions, Estimator, FitError, Observations};
use orrery_measure::sample::ExperimentKind;

impl Estimator for Definition {
    fn uses(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::RoundTrip]
    }

    fn fit(
        &self,
        observations: &Observations,
        options: &EstimationOptions,
    ) -> Result<Estimated, FitError> {
        let (hockney, correlations) = correlated_fit(observations, options.hockney, options.level)?;
        Ok(Estimated::new(&hockney, correlations))
    }
}

//! The registry entry of the estimation of LogP and LogGP.

use super::Definition;
use super::fit::{correlated_fit, smallest_gap_size};
use crate::comm::{Estimated, EstimationOptions, Estimator, FitError, Observations};
use orrery_measure::sample::ExperimentKind;

impl Estimator for Definition {
    fn uses(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::RoundTrip, ExperimentKind::Train]
    }

    /// LogP has no time per byte, so its domain is small messages.
    fn domain(&self, observations: &Observations) -> Option<Observations> {
        let limit = smallest_gap_size(observations);
        (!self.with_bytes).then(|| observations.filtered(|experiment| experiment.size() <= limit))
    }

    fn requires(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::Train]
    }

    fn allows_single_pair(&self) -> bool {
        true
    }

    fn fit(
        &self,
        observations: &Observations,
        options: &EstimationOptions,
    ) -> Result<Estimated, FitError> {
        let (loggp, correlations) = correlated_fit(observations, self.with_bytes, options.level)?;
        Ok(Estimated::new(&loggp, correlations))
    }
}

//! The registry entry of the estimation of PLogP.

use super::{Definition, fit};
use crate::comm::{
    Estimated, EstimationOptions, Estimator, FitError, Observations, TypedParameters,
};
use orrery_measure::sample::ExperimentKind;

impl Estimator for Definition {
    fn uses(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::RoundTrip, ExperimentKind::Train]
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
        Ok(fit(observations, options.level)?.to_set().into())
    }
}

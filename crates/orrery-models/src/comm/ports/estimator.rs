//! The registry entry of the estimation of the model `ports`.

use super::fit::correlated_fit;
use super::{Definition, FlowsDefinition};
use crate::comm::{Estimated, EstimationOptions, Estimator, FitError, Observations};
use orrery_measure::sample::ExperimentKind;

impl Estimator for Definition {
    fn uses(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::RoundTrip, ExperimentKind::OneToTwo, ExperimentKind::TwoToOne]
    }

    fn fit(
        &self,
        observations: &Observations,
        options: &EstimationOptions,
    ) -> Result<Estimated, FitError> {
        let fitted = correlated_fit(observations, options.level)?;
        let estimated = Estimated::new(&fitted.ports, fitted.correlations);
        Ok(Estimated { termination: Some(fitted.termination), ..estimated })
    }
}

impl Estimator for FlowsDefinition {
    fn fit(
        &self,
        observations: &Observations,
        options: &EstimationOptions,
    ) -> Result<Estimated, FitError> {
        Definition.fit(observations, options)
    }
}

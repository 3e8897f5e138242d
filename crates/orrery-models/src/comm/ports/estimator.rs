//! The estimation of the model `ports`.

use super::fit::correlated_fit;
use crate::comm::{Estimated, Estimator};
use orrery_measure::sample::ExperimentKind;

/// The estimation of the model `ports`, whether messages share ports as flows or not.
pub(in crate::comm) const ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip, ExperimentKind::OneToTwo, ExperimentKind::TwoToOne],
    fit: |observations, options| {
        let fitted = correlated_fit(observations, options.level)?;
        let estimated = Estimated::new(&fitted.ports, fitted.correlations);
        Ok(Estimated { termination: Some(fitted.termination), ..estimated })
    },
    ..Estimator::BASIC
};

//! The estimation of Hockney.

use super::fit;
use crate::comm::{Estimated, Estimator};
use orrery_measure::sample::ExperimentKind;

/// The estimation of Hockney and of its means.
pub(in crate::comm) const ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip],
    fit: |observations, options| {
        let (hockney, correlations) = fit(observations, options.hockney, options.level)?;
        Ok(Estimated::new(&hockney, correlations))
    },
    ..Estimator::BASIC
};

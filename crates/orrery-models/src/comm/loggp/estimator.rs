//! The estimation of LogP and LogGP.

use super::fit;
use super::fit::smallest_gap_size;
use crate::comm::{Estimated, Estimator};
use orrery_measure::sample::ExperimentKind;

/// The estimation of LogGP.
pub(in crate::comm) const LOGGP_ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip, ExperimentKind::Train],
    requires: &[ExperimentKind::Train],
    allows_single_pair: true,
    fit: |observations, options| {
        let (loggp, correlations) = fit(observations, true, options.level)?;
        Ok(Estimated::new(&loggp, correlations))
    },
    ..Estimator::BASIC
};

/// The estimation of LogP, which has no time per byte, so that its domain is small messages.
pub(in crate::comm) const LOGP_ESTIMATOR: Estimator = Estimator {
    domain: |observations| {
        let limit = smallest_gap_size(observations);
        Some(observations.filtered(|experiment| experiment.size() <= limit))
    },
    fit: |observations, options| {
        let (logp, correlations) = fit(observations, false, options.level)?;
        Ok(Estimated::new(&logp, correlations))
    },
    ..LOGGP_ESTIMATOR
};

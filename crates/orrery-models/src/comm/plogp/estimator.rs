//! The estimation of PLogP.

use super::fit;
use crate::comm::{Estimator, TypedParameters};
use orrery_measure::sample::ExperimentKind;

/// The estimation of PLogP.
pub(in crate::comm) const ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip, ExperimentKind::Train],
    requires: &[ExperimentKind::Train],
    allows_single_pair: true,
    fit: |observations, options| Ok(fit(observations, options.level)?.to_set().into()),
    ..Estimator::BASIC
};

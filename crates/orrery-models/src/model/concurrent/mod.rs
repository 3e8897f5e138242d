//! Sharing laws and measured schemes: the fit of laws to timings, and their comparison with them.

mod fit;
mod validate;

pub use fit::{SharingFit, SharingFitError, fit_sharing};
pub use validate::{LawAccuracy, PenaltyComparison, SharingValidation, validate_sharing};

use orrery_cluster::sharing::Transfer;
use orrery_measure::sample::MeasuredScheme;

/// The transfers of a measured scheme.
fn transfers(scheme: &MeasuredScheme) -> Vec<Transfer> {
    scheme
        .communications
        .iter()
        .map(|one| Transfer::between(one.message.source, one.message.destination))
        .collect()
}

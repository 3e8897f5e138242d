//! Messages under way at once: laws of sharing fitted to their timings, and compared with them.

mod fit;
mod validate;

pub use fit::{SharingFit, SharingFitError, fit_sharing};
pub use validate::{LawAccuracy, PenaltyComparison, SharingValidation, validate_sharing};

use crate::sample::{MeasuredScheme, NodeMessage};
use crate::sharing::Transfer;

fn transfer(message: &NodeMessage) -> Transfer {
    Transfer::between(message.source, message.destination)
}

fn transfers(scheme: &MeasuredScheme) -> Vec<Transfer> {
    scheme.communications.iter().map(|one| transfer(&one.message)).collect()
}

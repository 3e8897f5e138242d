//! Messages under way at once: laws of sharing fitted to their timings, and compared with them.

mod fit;
mod validate;

pub use fit::{SharingFit, SharingFitError, fit_sharing};
pub use validate::{LawAccuracy, PenaltyComparison, SharingValidation, validate_sharing};

use crate::sample::{Lone, MeasuredScheme};
use crate::sharing::Transfer;

fn transfer(lone: &Lone) -> Transfer {
    Transfer::between(lone.source, lone.destination)
}

fn transfers(scheme: &MeasuredScheme) -> Vec<Transfer> {
    scheme.communications.iter().map(|one| transfer(&one.lone)).collect()
}

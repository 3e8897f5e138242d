//! Sharing laws: published numbers, laws, and steps; max-min; the language of schemes.

// Whole numbers of sets, and penalties made of few of them, are exact.
#![allow(clippy::float_cmp)]

mod active_transfers;
mod calibration;
#[path = "../common/coverage.rs"]
mod coverage;
mod goldens;
mod language;
mod laws;
mod maxmin;
mod schemes;
mod states;

use orrery::sharing::Transfer;

/// Transfers by the numbers of their nodes.
fn transfers(arcs: &[(u32, u32)]) -> Vec<Transfer> {
    arcs.iter().map(|&(source, destination)| Transfer::between(source, destination)).collect()
}

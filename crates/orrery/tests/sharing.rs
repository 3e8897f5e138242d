//! What concurrent transfers do to each other.

// Whole numbers of sets, and penalties made of few of them, are exact.
#![allow(clippy::float_cmp)]

use orrery::sharing::Transfer;

#[path = "sharing/calibration.rs"]
mod calibration;
#[path = "sharing/goldens.rs"]
mod goldens;
#[path = "sharing/language.rs"]
mod language;
#[path = "sharing/laws.rs"]
mod laws;
#[path = "sharing/states.rs"]
mod states;
#[path = "sharing/underway.rs"]
mod underway;

/// Transfers by the numbers of their nodes.
fn transfers(arcs: &[(u32, u32)]) -> Vec<Transfer> {
    arcs.iter().map(|&(source, destination)| Transfer::between(source, destination)).collect()
}

//! The engine and the clocks of machines.

mod closed_forms;
mod conformance;
mod data_movement;
mod gap_formulas;
mod global_clock;
mod laws;
mod matched;
mod prelude;
mod rendezvous;
mod semantics;
mod synchronous;
#[path = "../common/variants.rs"]
mod variants;

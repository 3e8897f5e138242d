//! The whole story on a simulated cluster whose truth is known: measure, fit, predict, validate,
//! report.

mod answers;
mod applications;
mod campaign;
mod collective_choice;
#[path = "../common/mod.rs"]
mod common;
mod pipes;
mod shared_hosts;
mod truth;

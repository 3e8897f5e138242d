//! The whole story on a simulated cluster whose truth is known: measure, fit, predict, validate, report.

#[path = "../common/mod.rs"]
mod common;
mod answers;
mod campaign;
mod pipes;
mod truth;

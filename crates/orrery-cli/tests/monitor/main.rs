//! `orrery monitor serve`: what survives a killed service, and how it ends.
//!
//! Built with the feature `monitor`: `cargo test -p orrery-hpc --features monitor --test monitor`.

#[path = "../../../orrery-monitor/tests/http/mod.rs"]
#[allow(dead_code, reason = "each test needs a part")]
mod http;

mod kills;
mod process;
mod usage;

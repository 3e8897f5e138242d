//! `orrery monitor serve`: what survives a killed service, how it ends, and predictions that ask
//! it.
//!
//! Built with the feature `monitor`: `cargo test -p orrery-hpc --features monitor --test monitor`.

#[path = "../../../orrery/tests/common/skip.rs"]
mod skip;

#[path = "../../../orrery-monitor/tests/http/mod.rs"]
#[allow(dead_code, reason = "each test needs a part")]
mod http;

mod idle;
mod kills;
mod now;
mod process;
mod usage;

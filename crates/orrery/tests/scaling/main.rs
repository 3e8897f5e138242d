//! Execution-time models, the search of configurations, experiment advice.

mod advise;
mod kinds;
mod paper;
mod public;
mod regions;
mod search;
mod terms;

use std::io::Write as _;
use std::path::PathBuf;

/// The folder `ORRERY_DATA` with public data. Without it, reports the running test as skipped on standard error.
fn public_data() -> Option<PathBuf> {
    let folder = std::env::var_os("ORRERY_DATA").map(PathBuf::from);
    if folder.is_none() {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("public");
        // A direct write, because the test harness captures the output of `eprintln!`.
        let _ = writeln!(std::io::stderr(), "skipped: {test}: ORRERY_DATA names no folder with public data");
    }
    folder
}

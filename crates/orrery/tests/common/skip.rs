//! Reports of skipped tests, which `make test` prints and counts.

use std::io::Write as _;

/// Reports the running test as skipped: one line on standard error.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("test");
    // A direct write, because the test harness captures the output of `eprintln!` in tests that
    // pass.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {reason}");
}

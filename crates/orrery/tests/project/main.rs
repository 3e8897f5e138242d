//! Rules of the project: allowed dependencies between modules and on crates, texts.

use std::path::Path;

mod architecture;
mod dependencies;
mod packaging;
#[path = "../common/skip.rs"]
mod skip;
mod skipped_tests;
mod source;
mod texts;

/// The top of the project.
fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

//! What the command prints, word for word.
//! `TRYCMD=overwrite cargo test -p orrery-hpc --test transcripts` accepts changes.

use std::time::Duration;

/// Only a hang takes so long.
const HANG: Duration = Duration::from_secs(600);

#[test]
fn transcripts() {
    trycmd::TestCases::new().env("COLUMNS", "100").timeout(HANG).case("tests/transcripts/*.trycmd");
}

/// A narrow terminal.
#[test]
fn narrow_transcripts() {
    trycmd::TestCases::new()
        .env("COLUMNS", "60")
        .timeout(HANG)
        .case("tests/transcripts/narrow/*.trycmd");
}

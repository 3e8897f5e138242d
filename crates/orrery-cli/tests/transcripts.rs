//! What the command prints, word for word. `TRYCMD=overwrite cargo test -p orrery-cli --test transcripts` accepts changes.

#[test]
fn transcripts() {
    trycmd::TestCases::new().env("COLUMNS", "100").case("tests/transcripts/*.trycmd");
}

/// A narrow terminal.
#[test]
fn narrow_transcripts() {
    trycmd::TestCases::new().env("COLUMNS", "60").case("tests/transcripts/narrow/*.trycmd");
}

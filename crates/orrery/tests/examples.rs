//! The examples print what `docs/library.md` shows, and their sources are those in it.

use std::error::Error;
use std::path::Path;

#[path = "../examples/choose_algorithm.rs"]
#[expect(dead_code, reason = "examples have a main")]
mod choose_algorithm;
#[path = "../examples/forecast_routines.rs"]
#[expect(dead_code, reason = "examples have a main")]
mod forecast_routines;
#[path = "../examples/measure_fit_predict.rs"]
#[expect(dead_code, reason = "examples have a main")]
mod measure_fit_predict;
#[path = "../examples/scaling_model.rs"]
#[expect(dead_code, reason = "examples have a main")]
mod scaling_model;
#[path = "../examples/simulate_trace.rs"]
#[expect(dead_code, reason = "examples have a main")]
mod simulate_trace;

/// Checks that the document shows the source of an example, then its output.
fn check(name: &str, run: impl FnOnce(&mut Vec<u8>) -> Result<(), Box<dyn Error>>) {
    let krate = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let source = read(&krate.join("examples").join(name).with_extension("rs"));
    let document = read(&krate.join("../../docs/library.md"));
    let mut output = Vec::new();
    run(&mut output).unwrap_or_else(|error| panic!("{name}: {error}"));
    let output = String::from_utf8(output).expect("examples print text");
    let shown = format!("```rust\n{source}```\n\n```text\n{output}```\n");
    assert!(
        document.contains(&shown),
        "docs/library.md must show the example {name} as:\n\n{shown}"
    );
}

#[test]
fn a_cluster_is_measured_and_predicted() {
    check("measure_fit_predict", measure_fit_predict::run);
}

#[test]
fn algorithms_are_chosen() {
    check("choose_algorithm", choose_algorithm::run);
}

#[test]
fn a_trace_is_simulated() {
    check("simulate_trace", simulate_trace::run);
}

#[test]
fn routines_are_forecast() {
    check("forecast_routines", forecast_routines::run);
}

#[test]
fn runs_are_forecast() {
    check("scaling_model", scaling_model::run);
}

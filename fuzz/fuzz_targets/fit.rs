//! Samples that are read can be summarised and fitted, and what is fitted can be written, read
//! again and validated, each within the budget of its input and without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::model::file::{parse as parse_model, to_text};
use orrery::model::{FitOptions, diagnose, fit, validate};
use orrery::sample::file::parse;
use orrery::sample::summarise;

/// The operations of one run of each experiment, and the number of processors.
const MAX_OPERATIONS: u64 = 10_000;
const MAX_PROCESSORS: usize = 32;

fuzz_target!(|content: &[u8]| {
    let Ok(loaded) = parse(content, "fuzz") else { return };
    let samples = loaded.samples;
    let _ = summarise(&samples, 0.95);
    let operations: u64 =
        samples.series().iter().map(|series| series.experiment.operations()).sum();
    if operations > MAX_OPERATIONS || samples.processors() > MAX_PROCESSORS {
        return;
    }
    for collectives in [false, true] {
        let options = FitOptions { collectives, ..FitOptions::default() };
        let Ok(fitted) = fit(&samples, &options) else { continue };
        let text = to_text(&fitted.model).expect("what was fitted can be written");
        let model = parse_model(&text, "fuzz").expect("what was written can be read").model;
        let _ = diagnose(&model, &samples, &options);
        let _ = validate(&model, &samples, &model.kinds(), 0.95);
    }
});

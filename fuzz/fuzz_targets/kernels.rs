//! The reader of kernel timings does not panic; timings that are read can be written and read
//! again, and fitted or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::model::fit_kernels;
use orrery::sample::KernelTimings;
use orrery::sample::file::{parse_table, to_text};

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = parse_table::<KernelTimings>(content, "fuzzed") {
        let _ = fit_kernels(&loaded.samples, 0.95);
        if let Ok(text) = to_text(&loaded.samples) {
            let again =
                parse_table::<KernelTimings>(text, "again").expect("what was written can be read");
            assert_eq!(again.samples.readings, loaded.samples.readings);
        }
    }
});

//! The reader of kernel timings does not panic; timings that are read can be written and read
//! again, and fitted or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::model::fit_kernels;
use orrery::sample::file::kernels;

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = kernels::parse(content, "fuzzed") {
        let _ = fit_kernels(&loaded.timings, 0.95);
        if let Ok(text) = kernels::to_text(&loaded.timings) {
            let again = kernels::parse(text, "again").expect("what was written can be read");
            assert_eq!(again.timings.readings, loaded.timings.readings);
        }
    }
});

//! The reader of timings does not panic; timings that are read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::sample::file::{parse_table, to_text};
use orrery::sample::{Timings, measured_penalties};

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = parse_table::<Timings>(content, "fuzzed") {
        let penalties = measured_penalties(&loaded.samples);
        assert_eq!(penalties.len(), loaded.samples.schemes().len());
        if let Ok(text) = to_text(&loaded.samples) {
            let again =
                parse_table::<Timings>(text, "again").expect("what was written can be read");
            assert_eq!(again.samples.count(), loaded.samples.count());
        }
    }
});

//! The reader of timings does not panic; timings that are read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::sample::file::timings;
use orrery::sample::measured_penalties;

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = timings::parse(content, "fuzzed") {
        let penalties = measured_penalties(&loaded.timings);
        assert_eq!(penalties.len(), loaded.timings.schemes().len());
        if let Ok(text) = timings::to_text(&loaded.timings) {
            let again = timings::parse(text, "again").expect("what was written can be read");
            assert_eq!(again.timings.count(), loaded.timings.count());
        }
    }
});

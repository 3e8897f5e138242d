//! The reader of samples does not panic; samples that are read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::sample::file::{Warning, parse, to_text};

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = parse(content, "fuzz") {
        let text = to_text(&loaded.samples).expect("what was read can be written");
        let again = parse(&text, "fuzz").expect("what was written can be read");
        // Rows that repeat others or have too long times are kept.
        let is_kept = |one: &Warning| {
            matches!(one, Warning::RepeatedRows { .. } | Warning::ImplausibleTimes { .. })
        };
        assert!(again.warnings.iter().all(is_kept));
        assert_eq!(again.samples.provenance, loaded.samples.provenance);
        assert_eq!(again.samples.series(), loaded.samples.series());
    }
});

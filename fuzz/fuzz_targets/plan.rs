//! The reader of plan files does not panic; a plan that is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::run::file::plan::{parse, to_text};

fuzz_target!(|content: &[u8]| {
    if let Ok(plan) = parse(content, "fuzz") {
        let text = to_text(&plan).expect("what was read can be written");
        assert_eq!(parse(text, "fuzz").expect("what was written can be read"), plan);
    }
});

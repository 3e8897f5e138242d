//! The reader of model files does not panic; a model that is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::model::file::{parse, to_text};

/// The number of processors up to which a model is written, since it has a line for each pair of
/// them.
const MAX_PROCESSORS: usize = 256;

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = parse(content, "fuzz")
        && loaded.model.processors() <= MAX_PROCESSORS
    {
        let text = to_text(&loaded.model).expect("what was read can be written");
        assert_eq!(parse(&text, "fuzz").expect("what was written can be read").model, loaded.model);
    }
});

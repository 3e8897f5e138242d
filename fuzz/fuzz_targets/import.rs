//! The import of benchmarks does not panic; imported samples can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::Processor;
use orrery::sample::file::{parse, to_text};
use orrery::sample::import::Importer;

fuzz_target!(|content: &[u8]| {
    for processors in [None, Some(Processor::first(4).collect())] {
        let mut importer = Importer::new(None, processors);
        if importer.add(content, "fuzz").is_ok() {
            let samples = importer.finish().samples;
            let text = to_text(&samples).expect("what was imported can be written");
            assert_eq!(parse(&text, "fuzz").expect("what was written can be read").samples.series(), samples.series());
        }
    }
});

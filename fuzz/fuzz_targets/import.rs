//! The import of benchmarks does not panic; imported samples can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::Processor;
use orrery::sample::Samples;
use orrery::sample::file::{parse, to_text};
use orrery::sample::import::{Importer, PicoImporter, PicoSelection};
use orrery::schedule::CollectiveKind;

/// Checks that samples are read as they were written.
fn check(samples: &Samples) {
    let text = to_text(samples).expect("what was imported can be written");
    assert_eq!(
        parse(&text, "fuzz").expect("what was written can be read").samples.series(),
        samples.series()
    );
}

fuzz_target!(|content: &[u8]| {
    let selection = PicoSelection {
        nodes: Some(4),
        ppn: Some(1),
        operation: Some(CollectiveKind::Allgather),
        ..PicoSelection::default()
    };
    let mut importer = PicoImporter::new(selection);
    if importer.add(content, "64_ring_ompi_int32.csv").is_ok()
        && let Ok(imported) = importer.finish()
    {
        check(&imported.samples);
    }
    let forced = "ompi/binomial".parse().expect("a name of an algorithm");
    for (processors, is_forced) in [(None, false), (Some(4), false), (Some(4), true)] {
        let mut importer =
            Importer::new(None, processors.map(|number| Processor::first(number).collect()));
        let added = if is_forced {
            importer.add_forced(content, "fuzz", forced)
        } else {
            importer.add(content, "fuzz")
        };
        if added.is_ok() {
            check(&importer.finish().samples);
        }
    }
});

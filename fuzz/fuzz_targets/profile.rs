//! Profiles of Score-P and experiments of Extra-P do not cause a panic; imported runs can be written
//! and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::run::file::{parse, to_text};
use orrery::run::import::{ImportFormat, ImportOptions, Importer};

fuzz_target!(|content: &[u8]| {
    for format in [ImportFormat::Cubex, ImportFormat::ExtrapExperiment].map(Some) {
        let mut importer = Importer::new(ImportOptions { format, ..ImportOptions::default() });
        if importer.add(content, "fuzz").is_ok()
            && let Ok(imported) = importer.finish()
        {
            let text = to_text(&imported.runs).expect("what was read can be written");
            assert_eq!(parse(&text, "fuzz").expect("what was written can be read"), imported.runs);
        }
    }
});

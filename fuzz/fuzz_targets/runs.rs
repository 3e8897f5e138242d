//! The readers of runs do not panic: runs files, outputs of HPL, Extra-P in its three formats,
//! Caliper and Hatchet. Runs that are read can be written and read again. Tables are read in
//! `tables`, profiles of Score-P and experiments of Extra-P in `profile`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::file::kind_of;
use orrery::run::file::{parse, to_text};
use orrery::run::import::{ImportFormat, ImportOptions, Importer};
use orrery::run::{Runs, hpl};

/// Checks that runs can be written and read again, and that their variants are read from their
/// labels.
fn again(runs: &Runs) {
    let text = to_text(runs).expect("what was read can be written");
    assert_eq!(&parse(&text, "fuzz").expect("what was written can be read"), runs);
    for run in &runs.runs {
        let _ = hpl::HplVariant::of(&run.labels);
        let parameters = hpl::parameters(&run.labels);
        let _ = hpl::with_parameters(&run.labels, &parameters);
    }
}

fuzz_target!(|content: &[u8]| {
    let _ = kind_of(content);
    if let Ok(runs) = parse(content, "fuzz") {
        again(&runs);
    }
    let archives = [ImportFormat::Cubex, ImportFormat::ExtrapExperiment];
    let texts = ImportFormat::ALL
        .into_iter()
        .filter(|format| *format != ImportFormat::Csv && !archives.contains(format));
    for format in texts.map(Some).chain([None]) {
        let map = "n=size,seconds=time".parse().expect("a mapping");
        let mut importer = Importer::new(ImportOptions { format, map, ..ImportOptions::default() });
        if importer.add(content, "fuzz").is_ok()
            && let Ok(imported) = importer.finish()
        {
            again(&imported.runs);
        }
    }
});

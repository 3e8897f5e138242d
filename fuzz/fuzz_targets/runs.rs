//! The import of runs does not panic in any format; runs that are read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::run::file::{parse, to_text};
use orrery::run::import::{ColumnMapping, FileConfigurations, ImportFormat, ImportOptions, Importer, NamePattern};
use orrery::run::{Filter, Runs};

/// The bytes of a file name on common systems; the work of a pattern grows with their square.
const MAX_NAME: usize = 255;

fn again(runs: &Runs) {
    let text = to_text(runs).expect("what was read can be written");
    assert_eq!(&parse(&text, "fuzz").expect("what was written can be read"), runs);
}

fuzz_target!(|content: &[u8]| {
    if let Ok(runs) = parse(content, "fuzz") {
        again(&runs);
    }
    for format in ImportFormat::ALL.map(Some).into_iter().chain([None]) {
        for map in ["n=size,seconds=time", "run=job,computation=ta,communication=tc,kind=host", "rate:2*n^3=rate"] {
            let map = map.parse().expect("a mapping");
            // What the columns say of themselves, and what the mapping says.
            for map in [map, Default::default()] {
                let mut importer = Importer::new(ImportOptions { format, map, ..ImportOptions::default() });
                if importer.add(content, "fuzz").is_ok()
                    && let Ok(imported) = importer.finish()
                {
                    again(&imported.runs);
                }
            }
        }
    }
    let _ = FileConfigurations::parse_table(content, "fuzz");
    if let Some((map, table)) = std::str::from_utf8(content).ok().and_then(|text| text.split_once('\n'))
        && let Ok(map) = map.parse::<ColumnMapping>()
    {
        let format = Some(ImportFormat::Csv);
        let mut importer = Importer::new(ImportOptions { format, map, ..ImportOptions::default() });
        if importer.add(table, "fuzz").is_ok()
            && let Ok(imported) = importer.finish()
        {
            again(&imported.runs);
        }
    }
    if let Some((pattern, name)) = std::str::from_utf8(content).ok().and_then(|text| text.split_once('\n'))
        && name.len() <= MAX_NAME
        && let Ok(pattern) = pattern.parse::<NamePattern>()
        && let Some(found) = pattern.properties(name)
        && !found.configuration.shares.is_empty()
    {
        assert!(found.configuration.processes() > 0, "every kind takes part");
    }
    if let Some((filter, runs)) = std::str::from_utf8(content).ok().and_then(|text| text.split_once('\n'))
        && let (Ok(filter), Ok(runs)) = (filter.parse::<Filter>(), parse(runs, "fuzz"))
    {
        assert!(filter.apply(runs.runs).map_or(true, |left| !left.is_empty()), "an empty rest is an error");
    }
});

//! The readers of options with a grammar do not panic: patterns of file names, conditions, mappings
//! of columns, configurations, lists of numbers, adaptive sizes, host names, variants of HPL and
//! placements. What such a text means can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::measure::AdaptiveSizes;
use orrery::platform::{MappingPolicy, host_names};
use orrery::run::file::parse;
use orrery::run::hpl::HplCode;
use orrery::run::import::{ColumnMapping, NamePattern};
use orrery::run::{Configuration, Filter};
use orrery::units::NumberList;

/// The bytes of a file name on common systems; the work of a pattern grows with their square.
const MAX_NAME: usize = 255;

// The first line of a text is an option, the rest is what it is applied to.
fuzz_target!(|text: &str| {
    let (option, rest) = text.split_once('\n').unwrap_or((text, ""));
    if rest.len() <= MAX_NAME
        && let Ok(pattern) = option.parse::<NamePattern>()
        && let Some(found) = pattern.properties(rest)
        && !found.configuration.shares.is_empty()
    {
        assert!(found.configuration.processes() > 0, "every kind takes part");
    }
    if let (Ok(filter), Ok(runs)) = (option.parse::<Filter>(), parse(rest, "fuzz")) {
        assert!(
            filter.apply(runs.runs).map_or(true, |left| !left.is_empty()),
            "an empty rest is an error"
        );
    }
    let _ = option.parse::<ColumnMapping>();
    let _ = option.parse::<NumberList>();
    let _ = option.parse::<AdaptiveSizes>();
    if let Ok(configuration) = option.parse::<Configuration>() {
        assert!(configuration.processes() >= configuration.elements());
        assert_eq!(configuration.to_string().parse(), Ok(configuration));
    }
    if let Ok(code) = option.parse::<HplCode>() {
        assert_eq!(code.to_string().parse(), Ok(code));
    }
    if let Ok(policy) = option.parse::<MappingPolicy>() {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    if let Ok(names) = host_names(option) {
        assert!(names.iter().all(|name| !name.is_empty()));
    }
});

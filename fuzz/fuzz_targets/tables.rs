//! The readers of tables do not panic: series of `breakpoints`, measured times of `--compare`,
//! tables of runs with a mapping of their columns, and the configurations of files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::numeric::breakpoints::{
    OrderedSeries, Shape, breakpoints, min_segment_points, supremum_test,
};
use orrery::run::file::{parse, to_text};
use orrery::run::import::{
    ColumnMapping, FileConfigurations, ImportFormat, ImportOptions, Importer,
};
use orrery::sample::points;
use orrery::simulate::{MeasuredTimes, Quantity};

/// The number of points up to which breakpoints are searched; the time grows with its square.
const MAX_POINTS: usize = 100;

/// Finds the breakpoints of a table in the last of its columns.
fn series(text: &str) {
    let names = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .unwrap_or_default();
    let (x, y) = names.rsplit_once(',').map_or((None, names), |(x, y)| (Some(x), y));
    let Ok(points) = points::parse(text, x, y) else { return };
    assert_eq!(points.x.len(), points.y.len());
    assert!(points.x.is_sorted());
    for shape in [Shape::Linear, Shape::Constant] {
        let Ok(series) = OrderedSeries::new(&points.x, &points.y, shape) else { continue };
        let least = min_segment_points(series.len(), 0.15).max(shape.coefficients() + 1);
        if series.len() > MAX_POINTS {
            continue;
        }
        if let (Ok(found), Ok(_)) =
            (breakpoints(&series, least, None), supremum_test(&series, least))
        {
            let chosen = found.best_by_bic();
            assert_eq!(chosen.segments(&series).len(), chosen.breaks.len() + 1);
            assert_eq!(chosen.intervals(&series, 0.95).len(), chosen.breaks.len());
        }
    }
}

/// Compares the times of a table with predictions for no task, one and many tasks.
fn measured(text: &str) {
    for quantity in [None, Some(Quantity::Communicating), Some(Quantity::Seconds)] {
        if let Ok(times) = MeasuredTimes::parse(text, "fuzz", quantity) {
            for tasks in [0, 1, 1000] {
                let _ = times.compare(&vec![0.5; tasks]);
            }
        }
    }
}

/// Imports a table; what was imported can be written and read again.
fn runs(table: &str, map: ColumnMapping) {
    let format = Some(ImportFormat::Csv);
    let mut importer = Importer::new(ImportOptions { format, map, ..ImportOptions::default() });
    if importer.add(table, "fuzz").is_ok()
        && let Ok(imported) = importer.finish()
    {
        let text = to_text(&imported.runs).expect("what was read can be written");
        assert_eq!(parse(&text, "fuzz").expect("what was written can be read"), imported.runs);
    }
}

fuzz_target!(|text: &str| {
    series(text);
    measured(text);
    let _ = FileConfigurations::parse_table(text, "fuzz");
    runs(text, ColumnMapping::default());
    if let Some((map, table)) = text.split_once('\n')
        && let Ok(map) = map.parse()
    {
        runs(table, map);
    }
});

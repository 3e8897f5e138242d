//! How far readings spread within one launch of the measuring program, and from launch to launch.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::table;
use crate::format::percent_cell;
use crate::table::{Cell, Column, Table};
use orrery::numeric::{median, median_variance_factor, relative_deviation};
use orrery::sample::{Samples, Series};

/// Nothing when no experiment was read in more than one launch.
pub(super) fn render(samples: &Samples) -> Markup {
    let mut kinds: BTreeMap<String, Vec<Vec<Vec<f64>>>> = BTreeMap::new();
    for series in samples.series() {
        let launches = launches(series);
        if launches.len() > 1 {
            kinds.entry(series.experiment.name()).or_default().push(launches);
        }
    }
    if kinds.is_empty() {
        return html! {};
    }
    let columns = [
        Column::words("operation"),
        Column::numbers("experiments"),
        Column::numbers("launches"),
        Column::numbers("within a launch"),
        Column::numbers("between launches"),
    ];
    let mut table = Table::new("launches", "Spread of the readings, relative to their medians", columns);
    let mut worse = BTreeSet::new();
    for (kind, series) in &kinds {
        let (within, between) = spread(series);
        if between > within {
            worse.insert(kind.as_str());
        }
        let most = series.iter().map(Vec::len).max().unwrap_or(0);
        table.push([
            Cell::text(kind),
            Cell::integer(series.len() as u64),
            Cell::integer(most as u64),
            percent_cell(within),
            percent_cell(between),
        ]);
    }
    html! {
        section id="launches" {
            h2 { "Spread between launches" }
            p { "The measuring program was started several times. What changes from start to start – placement, memory, "
                "neighbours on the network – shows as spread between launches, and no number of repetitions within one "
                "launch averages it out. "
                @if worse.is_empty() { "Here it is not larger than the spread within a launch." }
                @else { "Where it exceeds the spread within a launch (here " (worse.into_iter().collect::<Vec<_>>().join(", "))
                    "), more launches tell more than more repetitions." } }
            (table::render(&table))
        }
    }
}

/// The readings of each launch.
fn launches(series: &Series) -> Vec<Vec<f64>> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in &series.readings {
        launches.entry(sample.launch).or_default().push(sample.seconds.get());
    }
    launches.into_values().collect()
}

/// Relative standard deviations within and between launches, robust: of single readings about the median of their
/// launch, and of the medians of launches beyond what the former explains.
fn spread(series: &[Vec<Vec<f64>>]) -> (f64, f64) {
    let within = relative_deviation(series.iter().flatten().map(Vec::as_slice));
    let medians: Vec<Vec<f64>> = series.iter().map(|launches| launches.iter().map(|l| median(l)).collect()).collect();
    let both = relative_deviation(medians.iter().map(Vec::as_slice));
    let readings = series.iter().flatten().map(Vec::len).min().unwrap_or(1).max(1);
    let explained = within * within * median_variance_factor(readings);
    (within, (both * both - explained).max(0.0).sqrt())
}

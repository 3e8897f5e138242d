//! The table that summarises repeated readings.

use std::collections::BTreeMap;

use super::columns::Columns;
use super::format::{error_cell, maybe_seconds, median, p_value_cell, percent_cell, seconds};
use super::link_classes::{class_cell, with_class};
use super::table::Table;
use orrery::platform::LinkClass;
use orrery::sample::{Experiment, OUTLIER_DEVIATIONS, PROCESSOR_COLUMNS, Summary};
use orrery::units::Bytes;

/// Up to this many experiments, people see each one; more are grouped by operation and size.
const MAX_SINGLE_EXPERIMENTS: usize = 40;

/// Drifts count below this p value.
const DRIFT_SIGNIFICANCE: f64 = 0.01;

/// The table of summarised readings, one line for each experiment.
///
/// Keys: operation, algorithm, i, j, k, root, procs, size, reply, count, launches, median,
/// median_low, median_high, mean, spread, outliers, drift, drift_p, between, within,
/// expected_between, and links (within, across, both) in clusters with links within a host and
/// across hosts. Shares are relative to the median. More than 40 experiments are grouped by
/// operation and size for people.
pub fn summary(summaries: &[Summary]) -> Table {
    let have_launches = summaries.iter().any(|summary| summary.between.is_some());
    let interval = |row: &Summary| row.median.interval;
    let drift = |row: &Summary| row.drift;
    let between = |row: &Summary| row.between;
    let mut columns = Columns::of(summaries);
    columns.text("operation", |row| row.experiment.operation()).for_programs();
    columns.text("algorithm", |row| row.experiment.algorithm()).for_programs();
    columns.text("operation", |row| with_class(operation(&row.experiment), row.class)).for_people();
    columns.text("processors", |row| row.experiment.participants()).for_people();
    for (place, key) in PROCESSOR_COLUMNS.into_iter().enumerate() {
        columns.number(key, |row| row.experiment.fields().processors[place]).for_programs();
    }
    columns.number("root", |row| row.experiment.fields().root).for_programs();
    let is_collective = summaries.iter().any(|row| row.experiment.is_collective());
    let priority = if is_collective { 0 } else { 4 };
    columns.number("procs", |row| row.experiment.procs()).drop_first(priority);
    columns.number("size", |row| row.experiment.fields().size);
    columns.number("reply", |row| row.experiment.fields().reply).for_programs();
    columns.number("count", Summary::count);
    columns.number("launches", |row| row.launches).for_programs();
    columns.number("median", |row| seconds(row.median.value));
    columns.number("median_low", |row| interval(row).map(|of| seconds(of.low))).for_programs();
    columns.number("median_high", |row| interval(row).map(|of| seconds(of.high))).for_programs();
    columns.number("mean", |row| seconds(row.mean)).drop_first(3);
    columns.number("spread", |row| row.spread.map(percent_cell));
    columns.number("outliers", |row| row.outliers);
    columns.number("drift", |row| drift(row).map(|of| error_cell(of.relative)));
    columns.number("drift_p", |row| drift(row).map(|of| p_value_cell(of.p_value))).drop_first(2);
    if have_launches {
        columns.number("launches", |row| row.launches).drop_first(1).for_people();
    }
    columns
        .number("between", |row| between(row).map(|of| percent_cell(of.between)))
        .for_programs_if(!have_launches);
    columns
        .number("within", |row| between(row).and_then(|of| of.within).map(percent_cell))
        .for_programs();
    columns
        .number("expected_between", |row| between(row).and_then(|of| of.expected).map(percent_cell))
        .drop_first(1)
        .for_programs_if(!have_launches);
    if summaries.iter().any(|summary| summary.class.is_some()) {
        columns.text("links", |row| class_cell(row.class)).for_programs();
    }
    let table = columns.table("summary", "Readings").with_note(note(have_launches));
    if summaries.len() > MAX_SINGLE_EXPERIMENTS {
        table.with_display(grouped_table(summaries, have_launches))
    } else {
        table
    }
}

/// The operation for people; round trips with a reply of another size are named apart.
fn operation(experiment: &Experiment) -> String {
    experiment.name() + if experiment.other_reply().is_some() { ", short reply" } else { "" }
}

/// The remark that explains the columns; `launches` adds those of several launches.
fn note(launches: bool) -> String {
    let columns = format!(
        "Spread: robust standard deviation of a reading. Outliers: more than {OUTLIER_DEVIATIONS} \
            spreads from the median. Drift: change \
         from the first reading to the last; drift p: the probability of such a trend by chance."
    );
    let between = " Between: standard deviation of the medians of launches; expected between: the \
        part of it that the \
                   spread within launches explains.";
    columns + if launches { between } else { "" }
}

/// The table for people with one line for each operation and size, naming the worst experiment.
fn grouped_table(summaries: &[Summary], have_launches: bool) -> Table {
    let mut groups: BTreeMap<(String, usize, Bytes, Option<LinkClass>), Vec<&Summary>> =
        BTreeMap::new();
    for summary in summaries {
        let procs = summary.experiment.procs();
        let key = (operation(&summary.experiment), procs, summary.experiment.size(), summary.class);
        groups.entry(key).or_default().push(summary);
    }
    let rows: Vec<_> = groups.into_iter().collect();
    let worst = |group: &'_ [&'_ Summary]| {
        let known = group.iter().filter_map(|one| Some((one.spread?, one.experiment)));
        known.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let is_drifting = |one: &&&Summary| one.drift.is_some_and(|of| of.p_value < DRIFT_SIGNIFICANCE);
    let mut columns = Columns::of(&rows);
    columns.text("operation", |((operation, .., class), _)| with_class(operation, *class));
    columns.number("procs", |((_, procs, ..), _)| *procs).drop_first(4);
    columns.number("size", |((_, _, size, _), _)| *size);
    columns.number("experiments", |(_, group)| group.len()).drop_first(2);
    columns.number("readings", |(_, group)| sum(group, Summary::count)).drop_first(3);
    columns.number("median", |(_, group)| {
        maybe_seconds(median(group.iter().map(|one| one.median.value)))
    });
    let spread = |group: &[&Summary]| median(group.iter().filter_map(|one| one.spread));
    columns.number("spread", |(_, group)| spread(group).map(percent_cell));
    columns
        .number("worst_spread", |(_, group)| worst(group).map(|(spread, _)| percent_cell(spread)));
    columns.text("processors", |(_, group)| worst(group).map(|(_, of)| of.participants()));
    columns.number("outliers", |(_, group)| sum(group, |one| one.outliers as u64));
    columns.number("drifting", |(_, group)| group.iter().filter(is_drifting).count());
    if have_launches {
        let between = |group: &[&Summary]| -> Vec<f64> {
            group.iter().filter_map(|one| Some(one.between?.between)).collect()
        };
        columns.number("between", |(_, group)| median(between(group)).map(percent_cell));
        let worst = |group: &[&Summary]| between(group).into_iter().max_by(f64::total_cmp);
        columns.number("worst_between", |(_, group)| worst(group).map(percent_cell)).drop_first(1);
    }
    let title = "Readings, medians over the experiments of each operation and size";
    let note = format!(
        "{} Drifting: experiments with drift p below {DRIFT_SIGNIFICANCE}; by chance one in {:.0}. \
            --format csv lists all \
         experiments.",
        note(have_launches),
        1.0 / DRIFT_SIGNIFICANCE
    );
    columns.table("summary", title).with_note(note)
}

/// The sum of counts over experiments.
fn sum(group: &[&Summary], of: impl Fn(&Summary) -> u64) -> u64 {
    group.iter().map(|one| of(one)).sum()
}

//! The table of links within hosts and links across hosts.

use super::columns::Columns;
use super::format::{byte_delay, median, quantile, rate, rate_cell, seconds, span};
use super::table::{Cell, Table};
use orrery::comm::hockney::ClassMean;
use orrery::comm::{Hockney, ParameterSet, ParameterUnit, Shape};
use orrery::model::{Model, ModelKind};
use orrery::platform::{Hosts, LinkClass, Pairs};
use orrery::units::Seconds;

/// The name of the table.
pub(crate) const NAME: &str = "classes";

/// An operation with the class of its links, for people: `roundtrip, within`.
pub(crate) fn with_class(operation: impl Into<String>, class: Option<LinkClass>) -> String {
    let operation = operation.into();
    class.map_or_else(|| operation.clone(), |class| format!("{operation}, {}", class.name()))
}

/// A cell with the class of links; null if there is none.
pub(crate) fn class_cell(class: Option<LinkClass>) -> Cell {
    class.map(LinkClass::name).into()
}

/// The links of one class in one model.
struct Line {
    model: ModelKind,
    class: LinkClass,
    pairs: usize,
    latencies: Vec<f64>,
    byte_delays: Vec<f64>,
    /// The mean parameters, for Hockney only.
    mean: Option<ClassMean>,
}

/// The table of latency and rate by class of links; `None` if all links are of one class.
///
/// Keys: model, links, pairs, latency (the median), latency_smallest, latency_largest, rate,
/// rate_smallest, rate_largest (in B/s), and for Hockney mean_latency and mean_byte_delay with
/// their intervals.
pub(crate) fn classes(model: &Model) -> Option<Table> {
    let hosts = model.shared_hosts();
    let lines = lines(model, &hosts);
    if lines.is_empty() {
        return None;
    }
    let with_means = lines.iter().any(|line| line.mean.is_some());
    let mut columns = Columns::of(&lines);
    columns.text("model", |line| line.model.name());
    columns.text("links", |line| line.class.name());
    columns.number("pairs", |line| line.pairs).drop_first(4);
    let middle = |values: &[f64]| median(values.iter().copied());
    columns.number("latency", |line| middle(&line.latencies).map(seconds)).titled("median latency");
    let latency = |line: &Line| ends(&line.latencies);
    columns.number("latency_smallest", |line| latency(line).map(|of| seconds(of.0))).for_programs();
    columns.number("latency_largest", |line| latency(line).map(|of| seconds(of.1))).for_programs();
    columns
        .number("latency_range", |line| latency(line).map(|of| span(&time(of.0), &time(of.1))))
        .titled("range")
        .drop_first(2)
        .for_people();
    let delay = |line: &Line| ends(&line.byte_delays);
    columns.number("rate", |line| middle(&line.byte_delays).map(rate_cell)).titled("median rate");
    columns.number("rate_smallest", |line| delay(line).map(|of| rate_cell(of.1))).for_programs();
    columns.number("rate_largest", |line| delay(line).map(|of| rate_cell(of.0))).for_programs();
    columns
        .number("rate_range", |line| delay(line).map(|of| span(&rate(of.1), &rate(of.0))))
        .titled("range")
        .drop_first(2)
        .for_people();
    let latency = |line: &Line| line.mean.map(|mean| mean.latency);
    columns.estimate("mean_latency", time, latency).drop_first(1);
    let delay = |line: &Line| line.mean.map(|mean| mean.byte_delay);
    columns.estimate("mean_byte_delay", byte_delay, delay).drop_first(1);
    let note =
        "hockney-mean predicts with the mean over all pairs, whatever the class of the link.";
    let table = columns.table(NAME, "Links within a host and across hosts");
    Some(if with_means { table.with_note(note) } else { table.hide_empty_columns() })
}

/// The text of a time.
fn time(time: f64) -> String {
    Seconds::new(time).to_string()
}

/// The lines of all models and classes.
fn lines(model: &Model, hosts: &Hosts) -> Vec<Line> {
    let mut lines = Vec::new();
    for (&kind, parameters) in &model.point_to_point {
        let means = model
            .get::<Hockney>(kind)
            .map(|hockney| hockney.class_means(hosts))
            .unwrap_or_default();
        for class in [LinkClass::WithinHost, LinkClass::AcrossHosts] {
            let mean = means.iter().find(|mean| mean.class == class).copied();
            lines.extend(line(kind, class, hosts, parameters, mean));
        }
    }
    lines
}

/// The line of one model and class; `None` if there are no such links.
fn line(
    model: ModelKind,
    class: LinkClass,
    hosts: &Hosts,
    parameters: &ParameterSet,
    mean: Option<ClassMean>,
) -> Option<Line> {
    let chosen = |unit: ParameterUnit| -> Vec<f64> {
        let spec =
            model.parameters().find(|(shape, spec)| *shape == Shape::Pairs && spec.unit == unit);
        let values = spec.map(|(_, spec)| parameters.estimates(spec.name)).unwrap_or_default();
        let Some(pairs) = Pairs::from_count(values.len()) else { return Vec::new() };
        let of_class =
            pairs.iter().zip(values).filter(|((a, b), _)| hosts.class(*a, *b) == Some(class));
        of_class.map(|(_, estimate)| estimate.value).collect()
    };
    let (latencies, byte_delays) =
        (chosen(ParameterUnit::Seconds), chosen(ParameterUnit::SecondsPerByte));
    let pairs = byte_delays.len().max(latencies.len());
    (pairs > 0).then_some(Line { model, class, pairs, latencies, byte_delays, mean })
}

/// The smallest and the largest of the finite numbers; `None` without such numbers.
fn ends(values: &[f64]) -> Option<(f64, f64)> {
    let at = |q| quantile(values.iter().copied(), q);
    at(0.0).zip(at(1.0))
}

//! The table of links within hosts and links across hosts.

use super::format::{byte_delay, interval, maybe_seconds, median, quantile, rate, rate_cell, span};
use super::table::{Cell, Column, Table};
use orrery::comm::hockney::ClassMean;
use orrery::comm::{Hockney, ParameterSet, ParameterUnit, Shape};
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
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
    Cell::optional_text(class.map(LinkClass::name))
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
    let words = ["model", "links"].map(Column::text);
    let keys = [
        "pairs",
        "latency",
        "latency_smallest",
        "latency_largest",
        "rate",
        "rate_smallest",
        "rate_largest",
    ];
    let means = ["mean_latency", "mean_byte_delay"]
        .into_iter()
        .flat_map(|key| [key.to_owned(), format!("{key}_low"), format!("{key}_high")]);
    let numbers = keys.into_iter().map(Column::number).chain(means.map(Column::number));
    let title = "Links within a host and across hosts";
    let mut table = Table::new(NAME, title, words.into_iter().chain(numbers));
    lines.iter().for_each(|line| table.push(line.cells()));
    Some(table.with_display(display_table(title, &lines)))
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

/// The smallest and the largest of the finite numbers.
fn ends(values: &[f64]) -> Option<(f64, f64)> {
    let at = |q| quantile(values.iter().copied(), q);
    at(0.0).zip(at(1.0))
}

impl Line {
    /// The cells for programs.
    fn cells(&self) -> Vec<Cell> {
        let (latency, delay) = (ends(&self.latencies), ends(&self.byte_delays));
        let rate = |delay: Option<f64>| delay.map_or(Cell::Null, rate_cell);
        let mut cells = vec![
            Cell::text(self.model.name()),
            Cell::text(self.class.name()),
            Cell::integer(self.pairs as u64),
            maybe_seconds(median(self.latencies.iter().copied())),
            maybe_seconds(latency.map(|(low, _)| low)),
            maybe_seconds(latency.map(|(_, high)| high)),
            rate(median(self.byte_delays.iter().copied())),
            rate(delay.map(|(_, high)| high)),
            rate(delay.map(|(low, _)| low)),
        ];
        cells.extend(estimate_cells(self.mean.map(|mean| mean.latency), |time| {
            Seconds::new(time).to_string()
        }));
        cells.extend(estimate_cells(self.mean.map(|mean| mean.byte_delay), byte_delay));
        cells
    }

    /// The cells for people: ranges as text.
    fn display_cells(&self) -> Vec<Cell> {
        let all = self.cells();
        let latency = ends(&self.latencies).map(|(low, high)| {
            let text = |time| Seconds::new(time).to_string();
            Cell::text(span(&text(low), &text(high)))
        });
        let rates =
            ends(&self.byte_delays).map(|(low, high)| Cell::text(span(&rate(high), &rate(low))));
        let mut cells: Vec<Cell> = [0, 1, 2, 3].map(|place| all[place].clone()).to_vec();
        cells.push(latency.unwrap_or(Cell::Null));
        cells.push(all[6].clone());
        cells.push(rates.unwrap_or(Cell::Null));
        let mean = self.mean;
        cells.push(all[9].clone());
        cells.push(mean.map_or(Cell::Null, |mean| {
            interval(&mean.latency, |time| Seconds::new(time).to_string())
        }));
        cells.push(all[12].clone());
        cells.push(mean.map_or(Cell::Null, |mean| interval(&mean.byte_delay, byte_delay)));
        cells
    }
}

/// The value and the ends of the interval of an estimate.
fn estimate_cells(estimate: Option<Estimate>, text: impl Fn(f64) -> String) -> [Cell; 3] {
    let cell =
        |value: Option<f64>| value.map_or(Cell::Null, |value| Cell::number(value, text(value)));
    let interval = estimate.and_then(|estimate| estimate.interval);
    [cell(estimate.map(|e| e.value)), cell(interval.map(|i| i.low)), cell(interval.map(|i| i.high))]
}

/// The table for people.
fn display_table(title: &str, lines: &[Line]) -> Table {
    let mut columns = vec![
        Column::text("model"),
        Column::text("links"),
        Column::number("pairs").drop_priority(4),
        Column::number("latency").with_title("median latency"),
        Column::number("latency_range").with_title("range").drop_priority(2),
        Column::number("rate").with_title("median rate"),
        Column::number("rate_range").with_title("range").drop_priority(2),
    ];
    let with_means = lines.iter().any(|line| line.mean.is_some());
    if with_means {
        columns.extend([
            Column::number("mean_latency").with_title("mean latency").drop_priority(1),
            Column::number("mean_latency_interval").with_title("interval").drop_priority(3),
            Column::number("mean_byte_delay").with_title("mean byte delay").drop_priority(1),
            Column::number("mean_byte_delay_interval").with_title("interval").drop_priority(3),
        ]);
    }
    let width = columns.len();
    let mut table = Table::new(NAME, title, columns);
    for line in lines {
        table.push(line.display_cells().into_iter().take(width));
    }
    if with_means {
        table = table.with_note(
            "hockney-mean predicts with the mean over all pairs, whatever the class of the link.",
        );
    }
    table
}

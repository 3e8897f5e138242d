use super::format::{byte_delay, interval, percent_cell, quantile, rate, rate_cell, span};
use super::link_classes::classes;
use super::table::{Cell, Column, Table};
use orrery::comm::plogp::Curve;
use orrery::comm::{Hockney, Lmo, PLogP, Thresholds};
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::platform::Pairs;
use orrery::units::{Bytes, Seconds};
use std::collections::BTreeSet;

/// Above so many processors people read quantiles over the pairs in place of every pair.
const MOST_FOR_PEOPLE: usize = 16;

/// The parameters of a model as tables: `mean` and `pairs` (Hockney), `processors` and `links` (LOM and LMO), `hlmo`,
/// `overheads` (LogP and LogGP), `plogp`, `functions` and `switches` (PLogP), and `classes` where some links are within a host and some across hosts.
///
/// For programs every parameter has the keys NAME, NAME_low, NAME_high and NAME_samples, and delays per byte stand
/// beside the rate that is their inverse. For people intervals are one column, and where there are many processors the
/// pairs are summed up by their quantiles.
pub fn parameters(model: &Model) -> Vec<Table> {
    let mut tables = Vec::new();
    if let Some(hockney) = &model.hockney {
        tables.push(mean(hockney));
        tables.push(pairs(hockney));
    }
    let kinds = [(ModelKind::Lom, &model.lom), (ModelKind::Lmo, &model.lmo)];
    let lmos: Vec<(ModelKind, &Lmo)> =
        kinds.into_iter().filter_map(|(kind, lmo)| lmo.as_ref().map(|lmo| (kind, lmo))).collect();
    if !lmos.is_empty() {
        tables.push(processors(model, &lmos));
        tables.push(links(&lmos));
    }
    tables.extend(homogeneous_tables(model));
    tables.extend(classes(model));
    tables
}

/// A parameter: its key, and whether it is a time or a time per byte.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) key: &'static str,
    pub(crate) per_byte: bool,
}

pub(crate) const LATENCY: Parameter = Parameter { key: "latency", per_byte: false };
pub(crate) const BYTE_DELAY: Parameter = Parameter { key: "byte_delay", per_byte: true };
pub(crate) const FIXED_DELAY: Parameter = Parameter { key: "fixed_delay", per_byte: false };
pub(crate) const LINK_LATENCY: Parameter = Parameter { key: "link_latency", per_byte: false };
pub(crate) const LINK_BYTE_DELAY: Parameter = Parameter { key: "link_byte_delay", per_byte: true };

impl Parameter {
    fn show(self, value: f64) -> String {
        if self.per_byte { byte_delay(value) } else { Seconds::new(value).to_string() }
    }

    fn rate_key(self) -> &'static str {
        if self.key == "link_byte_delay" { "link_rate" } else { "rate" }
    }

    fn has_rate(self) -> bool {
        matches!(self.key, "link_byte_delay" | "byte_delay") && self.per_byte
    }
}

/// What a line of a table is about, and its parameters; `None` for a parameter that its model lacks.
pub(crate) struct Line<'a> {
    pub(crate) subject: Vec<Cell>,
    pub(crate) estimates: Vec<Option<&'a Estimate>>,
}

/// The complete table for programs, shown to people with the intervals in words.
pub(crate) fn complete(
    table: (&str, &str),
    subjects: &[Column],
    parameters: &[Parameter],
    with_rate: bool,
    lines: &[Line],
) -> Table {
    let mut columns = subjects.to_vec();
    let mut shown = subjects.to_vec();
    for parameter in parameters {
        let key = parameter.key;
        columns.extend([key.to_owned(), format!("{key}_low"), format!("{key}_high")].map(Column::number));
        columns.push(Column::number(format!("{key}_samples")));
        shown.push(Column::number(key));
        shown.push(Column::number(format!("{key}_interval")).with_title("interval").drop_priority(3));
        shown.push(Column::number(format!("{key}_samples")).with_title("samples").drop_priority(5));
        if with_rate && parameter.has_rate() {
            columns.push(Column::number(parameter.rate_key()));
            shown.push(Column::number(parameter.rate_key()).drop_priority(2));
        }
    }
    let (name, title) = table;
    let mut complete = Table::new(name, title, columns);
    let mut people = Table::new(name, title, shown);
    for line in lines {
        let (mut raw, mut words) = (line.subject.clone(), line.subject.clone());
        for (parameter, estimate) in parameters.iter().zip(&line.estimates) {
            raw.extend(raw_cells(*parameter, *estimate));
            words.extend(people_cells(*parameter, *estimate));
            if with_rate && parameter.has_rate() {
                let rate = estimate.map_or(Cell::Null, |estimate| rate_cell(estimate.value));
                raw.push(rate.clone());
                words.push(rate);
            }
        }
        complete.push(raw);
        people.push(words);
    }
    let levels = lines.iter().flat_map(|line| &line.estimates).filter_map(|e| e.and_then(|e| e.interval));
    let level = levels.map(|interval| interval.level).reduce(f64::min);
    people.note = level.map(level_note).unwrap_or_default();
    complete.with_display(people)
}

/// How sure the intervals are, in words.
fn level_note(level: f64) -> String {
    format!("Intervals cover the true value with a probability of {} %.", (level * 1e4).round() / 1e2)
}

fn raw_cells(parameter: Parameter, estimate: Option<&Estimate>) -> [Cell; 4] {
    let cell = |value: Option<f64>| value.map_or(Cell::Null, |value| Cell::number(value, parameter.show(value)));
    let interval = estimate.and_then(|estimate| estimate.interval);
    [
        cell(estimate.map(|estimate| estimate.value)),
        cell(interval.map(|interval| interval.low)),
        cell(interval.map(|interval| interval.high)),
        estimate.and_then(|estimate| estimate.samples).map_or(Cell::Null, Cell::integer),
    ]
}

fn people_cells(parameter: Parameter, estimate: Option<&Estimate>) -> [Cell; 3] {
    let Some(estimate) = estimate else { return [Cell::Null, Cell::Null, Cell::Null] };
    [
        Cell::number(estimate.value, parameter.show(estimate.value)),
        interval(estimate, |value| parameter.show(value)),
        estimate.samples.map_or(Cell::Null, Cell::integer),
    ]
}

fn mean(hockney: &Hockney) -> Table {
    let estimates = vec![Some(&hockney.mean_latency), Some(&hockney.mean_byte_delay)];
    let line = Line { subject: vec![Cell::text(ModelKind::HockneyMean.name())], estimates };
    let title = ("mean", "Hockney, mean over the pairs");
    complete(title, &[Column::text("model")], &[LATENCY, BYTE_DELAY], true, &[line])
}

fn pairs(hockney: &Hockney) -> Table {
    let (latency, delay) = (hockney.latency.values(), hockney.byte_delay.values());
    let line =
        |((i, j), (latency, delay))| Line { subject: ends(i, j).to_vec(), estimates: vec![Some(latency), Some(delay)] };
    let lines: Vec<Line> = hockney.latency.pairs().iter().zip(latency.iter().zip(delay)).map(line).collect();
    let ends = ["i", "j"].map(Column::number);
    let title = ("pairs", "Hockney, each pair of processors");
    let table = complete(title, &ends, &[LATENCY, BYTE_DELAY], true, &lines);
    if hockney.processors() <= MOST_FOR_PEOPLE {
        return table;
    }
    let mut people =
        quantile_table("pairs", "Hockney, quantiles over the pairs", Pairs::of(hockney.processors()), None);
    quantile_line(&mut people, None, LATENCY, latency);
    quantile_line(&mut people, None, BYTE_DELAY, delay);
    table.with_display(people)
}

fn processors(model: &Model, lmos: &[(ModelKind, &Lmo)]) -> Table {
    let mut lines = Vec::new();
    for (kind, lmo) in lmos {
        for (index, (fixed, delay)) in lmo.fixed_delay.iter().zip(&lmo.byte_delay).enumerate() {
            let host = model.hosts.get(index).filter(|host| !host.is_empty());
            let subject = vec![Cell::text(kind.name()), Cell::integer(index as u64), Cell::optional_text(host)];
            lines.push(Line { subject, estimates: vec![Some(fixed), Some(delay)] });
        }
    }
    let subjects = [Column::text("model"), Column::number("processor"), Column::text("host").drop_priority(4)];
    complete(("processors", "LOM and LMO, each processor"), &subjects, &[FIXED_DELAY, BYTE_DELAY], false, &lines)
}

fn links(lmos: &[(ModelKind, &Lmo)]) -> Table {
    let mut lines = Vec::new();
    for (kind, lmo) in lmos {
        for (place, ((i, j), delay)) in lmo.link_byte_delay.pairs().iter().zip(lmo.link_byte_delay.values()).enumerate()
        {
            let latency = lmo.link_latency.as_ref().and_then(|latency| latency.values().get(place));
            let [i, j] = ends(i, j);
            lines.push(Line { subject: vec![Cell::text(kind.name()), i, j], estimates: vec![latency, Some(delay)] });
        }
    }
    let subjects = [Column::text("model"), Column::number("i"), Column::number("j")];
    let title = ("links", "LOM and LMO, each link");
    let table = complete(title, &subjects, &[LINK_LATENCY, LINK_BYTE_DELAY], true, &lines);
    let most = lmos.iter().map(|(_, lmo)| lmo.processors()).max().unwrap_or(0);
    if most <= MOST_FOR_PEOPLE {
        return table;
    }
    let title = "LOM and LMO, quantiles over the links";
    let mut people = quantile_table("links", title, Pairs::of(most), Some(Column::text("model")));
    for (kind, lmo) in lmos {
        if let Some(latency) = &lmo.link_latency {
            quantile_line(&mut people, Some(*kind), LINK_LATENCY, latency.values());
        }
        quantile_line(&mut people, Some(*kind), LINK_BYTE_DELAY, lmo.link_byte_delay.values());
    }
    table.with_display(people)
}

fn ends(i: orrery::platform::Processor, j: orrery::platform::Processor) -> [Cell; 2] {
    [Cell::integer(i.0.into()), Cell::integer(j.0.into())]
}

/// The quantiles people read: their titles and probabilities.
const QUANTILES: [(&str, f64); 5] =
    [("smallest", 0.0), ("quarter", 0.25), ("median", 0.5), ("three quarters", 0.75), ("largest", 1.0)];

fn quantile_table(name: &str, title: &str, pairs: Pairs, first: Option<Column>) -> Table {
    let quantiles = QUANTILES.map(|(title, q)| Column::number(title).drop_priority(u8::from((q * 2.0).fract() > 0.0)));
    let columns = first.into_iter().chain([Column::text("parameter")]).chain(quantiles);
    let note = format!("Over {} pairs of {} processors; CSV and JSON hold each.", pairs.count(), pairs.processors());
    Table::new(name, title, columns).with_note(note)
}

fn quantile_line(table: &mut Table, kind: Option<ModelKind>, parameter: Parameter, estimates: &[Estimate]) {
    let at = |q| quantile(estimates.iter().map(|estimate| estimate.value), q);
    let cell = |q| at(q).map_or(Cell::Null, |value| Cell::number(value, parameter.show(value)));
    let first = kind.map(|kind| Cell::text(kind.name()));
    let name = Cell::text(parameter.key.replace('_', " "));
    table.push(first.into_iter().chain([name]).chain(QUANTILES.map(|(_, q)| cell(q))));
}

/// A parameter of many pairs in one phrase: `41.0 … 63.2 µs`.
pub(crate) fn range_in_words(estimates: &[Estimate], as_rate: bool) -> Option<String> {
    let at = |q| quantile(estimates.iter().map(|estimate| estimate.value), q);
    let (low, high) = (at(0.0)?, at(1.0)?);
    let phrase = if as_rate {
        span(&rate(high), &rate(low))
    } else {
        span(&Seconds::new(low).to_string(), &Seconds::new(high).to_string())
    };
    Some(phrase)
}

const SEND_OVERHEAD: Parameter = Parameter { key: "send_overhead", per_byte: false };
const RECEIVE_OVERHEAD: Parameter = Parameter { key: "receive_overhead", per_byte: false };
const GAP: Parameter = Parameter { key: "gap", per_byte: false };
const BYTE_GAP: Parameter = Parameter { key: "byte_gap", per_byte: true };

/// `hlmo`, `overheads` (LogP and LogGP), `plogp`, `functions` and `switches` (PLogP), as far as the model has them.
fn homogeneous_tables(model: &Model) -> Vec<Table> {
    let name = || [Column::text("model")];
    let mut tables = Vec::new();
    if let Some(hlmo) = &model.hlmo {
        let estimates = hlmo.estimates();
        let line = line(ModelKind::Hlmo, &estimates);
        let parameters = [FIXED_DELAY, BYTE_DELAY, LINK_LATENCY, LINK_BYTE_DELAY];
        tables.push(complete(("hlmo", "HLMO, all processors alike"), &name(), &parameters, true, &[line]));
    }
    let kinds = [(ModelKind::LogP, &model.logp), (ModelKind::LogGp, &model.loggp)];
    let estimates: Vec<(ModelKind, Vec<Estimate>)> =
        kinds.into_iter().filter_map(|(kind, loggp)| Some((kind, loggp.as_ref()?.estimates()))).collect();
    if !estimates.is_empty() {
        let lines: Vec<Line> = estimates.iter().map(|(kind, estimates)| line(*kind, estimates)).collect();
        let parameters = [LATENCY, SEND_OVERHEAD, RECEIVE_OVERHEAD, GAP, BYTE_GAP];
        let parameters = if model.loggp.is_some() { &parameters[..] } else { &parameters[..4] };
        let title = ("overheads", "LogP and LogGP, all processors alike");
        tables.push(complete(title, &name(), parameters, false, &padded(lines, parameters.len())));
    }
    if let Some(plogp) = &model.plogp {
        let line = line(ModelKind::PLogP, std::slice::from_ref(&plogp.latency));
        tables.push(complete(("plogp", "PLogP, all processors alike"), &name(), &[LATENCY], false, &[line]));
        tables.push(functions(plogp));
        tables.extend(switches(plogp));
    }
    tables
}

fn line(kind: ModelKind, estimates: &[Estimate]) -> Line<'_> {
    Line { subject: vec![Cell::text(kind.name())], estimates: estimates.iter().map(Some).collect() }
}

/// Lines of so many estimates; what a model does not have is not there.
fn padded(mut lines: Vec<Line>, count: usize) -> Vec<Line> {
    lines.iter_mut().for_each(|line| line.estimates.resize(count, None));
    lines
}

/// Where the gap of PLogP goes over to another line.
fn switches(plogp: &PLogP) -> Option<Table> {
    let columns = [Column::number("last"), Column::number("first")];
    let mut table = Table::new("switches", "PLogP, switches of the protocol", columns)
        .with_note("The last known size before and the first one behind a break of the gap.");
    plogp.switches().iter().for_each(|switch| table.push([Cell::size(switch.last), Cell::size(switch.first)]));
    (!table.rows().is_empty()).then_some(table)
}

/// Overheads and gap of PLogP at each size.
fn functions(plogp: &PLogP) -> Table {
    let curves = [&plogp.send_overhead, &plogp.receive_overhead, &plogp.gap];
    let sizes: BTreeSet<Bytes> = curves.iter().flat_map(|curve| curve.sizes()).copied().collect();
    let at = |curve: &&'_ Curve, size: Bytes| curve.sizes().iter().position(|known| *known == size);
    let line = |size: &Bytes| Line {
        subject: vec![Cell::size(*size)],
        estimates: curves.iter().map(|curve| at(curve, *size).map(|place| &curve.values()[place])).collect(),
    };
    let lines: Vec<Line> = sizes.iter().map(line).collect();
    let title = ("functions", "PLogP, overheads and gap at each size");
    complete(title, &[Column::number("size")], &[SEND_OVERHEAD, RECEIVE_OVERHEAD, GAP], false, &lines)
}

/// Thresholds of linear operations, one line for each number. Keys: operation, root, procs, parameter (`scatter_threshold`,
/// `gather_small`, `gather_large` in bytes, `gather_small_slope`, `gather_large_slope` and those of HLMO, `hlmo_small_slope`,
/// `hlmo_large_slope`, in seconds per byte, and for each escalation `seconds` and `probability`), value, low, high, level, samples.
pub fn thresholds(thresholds: &[Thresholds]) -> Table {
    let columns = [
        Column::text("operation"),
        Column::number("root"),
        Column::number("procs"),
        Column::text("parameter"),
        Column::number("value"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("level").drop_priority(4),
        Column::number("samples").drop_priority(3),
    ];
    let mut table = Table::new("thresholds", "Thresholds of linear scatter and gather", columns);
    for of in thresholds {
        for (name, Estimate { value, interval, samples }) in of.estimates() {
            let cell = |value: f64| show(name, value);
            table.push([
                Cell::text(of.operation.name()),
                Cell::integer(of.root.0.into()),
                Cell::integer(of.procs as u64),
                Cell::text(name),
                cell(value),
                interval.map_or(Cell::Null, |interval| cell(interval.low)),
                interval.map_or(Cell::Null, |interval| cell(interval.high)),
                interval.map_or(Cell::Null, |interval| Cell::number(interval.level, interval.level.to_string())),
                samples.map_or(Cell::Null, Cell::integer),
            ]);
        }
    }
    table.hide_empty_columns()
}

fn show(name: &str, value: f64) -> Cell {
    match name {
        "seconds" => Cell::number(value, Seconds::new(value).to_string()),
        "probability" => percent_cell(value),
        name if name.ends_with("_slope") => Cell::number(value, byte_delay(value)),
        _ => Cell::number(value, Bytes::new(value.round() as u64).to_string()),
    }
}

//! Tables of the parameters of communication models, from the registry of model kinds.

use std::collections::BTreeSet;

use super::corrections::corrections;
use super::discrepancies::discrepancies;
use super::format::{byte_delay, interval, percent_cell, quantile, rate, rate_cell, span};
use super::link_classes::classes;
use super::table::{Cell, Column, Table};
use orrery::comm::{
    Index, ParameterGroup, ParameterSet, ParameterSpec, ParameterUnit, Shape, Thresholds,
};
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::platform::{Pairs, Processor};
use orrery::units::{Bytes, Seconds};

/// Above this many processors, people see quantiles over the pairs instead of every pair.
const MAX_PROCESSORS_LISTED: usize = 16;

/// The tables of all parameters of a model: those that the registry names for its kinds, `switches`
/// if parameters show changes of protocol, `discrepancies` if noise does not explain the errors of
/// models, `corrections` if algorithms have some, and `classes` if some links are within a host and
/// some across hosts.
///
/// Each parameter has the keys NAME, NAME_low, NAME_high and NAME_samples; delays per byte also
/// have the rate that is their inverse. People see each interval in one column, and quantiles over
/// the pairs if there are many processors.
pub fn parameters(model: &Model) -> Vec<Table> {
    let mut members: Vec<Vec<Member>> = Vec::new();
    for (stored, parameters) in &model.point_to_point {
        for (kind, group) in stored
            .views()
            .flat_map(|kind| kind.definition().groups.iter().map(move |group| (kind, group)))
        {
            let member = Member { kind, group, parameters };
            match members.iter_mut().find(|members| members[0].group.table == group.table) {
                Some(members) => members.push(member),
                None => members.push(vec![member]),
            }
        }
    }
    let tables = members.iter().map(|members| table_of(model, members));
    // Parameters that a model may omit have no rows.
    let tables = tables.filter(|table| !table.rows().is_empty());
    let tables =
        tables.chain(switches(model)).chain(discrepancies(model)).chain(corrections(model));
    tables.chain(classes(model)).collect()
}

/// The parameters of one kind of model in a table.
struct Member<'a> {
    kind: ModelKind,
    group: &'static ParameterGroup,
    parameters: &'a ParameterSet,
}

/// The table of the parameters of one shape.
fn table_of(model: &Model, members: &[Member]) -> Table {
    let group = members[0].group;
    let longest = members
        .iter()
        .map(|member| member.group.parameters)
        .max_by_key(|parameters| parameters.len());
    let columns: Vec<ParameterSpec> = longest.unwrap_or_default().to_vec();
    let has_table =
        |kind: &ModelKind| kind.definition().groups.iter().any(|other| other.table == group.table);
    let with_model =
        group.shape == Shape::Cluster || ModelKind::stored().filter(has_table).count() > 1;
    let mut lines = Vec::new();
    for member in members {
        for (subject, place) in subjects(model, member) {
            let name = with_model.then(|| Cell::text(member.kind.name()));
            let estimates = columns.iter().map(|spec| place(spec.name)).collect();
            lines.push(Line { subject: name.into_iter().chain(subject).collect(), estimates });
        }
    }
    let subjects = match group.shape {
        Shape::Cluster => vec![],
        Shape::Processors => {
            vec![Column::number("processor"), Column::text("host").drop_priority(4)]
        }
        Shape::Pairs => ["i", "j"].map(Column::number).to_vec(),
        Shape::Sizes => vec![Column::number("size")],
        Shape::LinkGroups => vec![Column::number("group"), Column::text("processors")],
    };
    let name = with_model.then(|| Column::text("model"));
    let subjects: Vec<Column> = name.clone().into_iter().chain(subjects).collect();
    let title = format!("{}, {}", group.family, group.rows);
    let table = parameter_table((group.table, &title), &subjects, &columns, &lines);
    if group.shape != Shape::Pairs || model.processors() <= MAX_PROCESSORS_LISTED {
        return table;
    }
    let title = format!("{}, quantiles over the {}", group.family, group.table);
    let mut display = quantile_table(group.table, &title, Pairs::of(model.processors()), name);
    for member in members {
        for spec in member.group.parameters {
            let kind = with_model.then_some(member.kind);
            quantile_line(&mut display, kind, *spec, member.parameters.estimates(spec.name));
        }
    }
    table.with_display(display)
}

/// Returns the estimate of the named parameter in one row of a table.
type At<'a> = Box<dyn Fn(&str) -> Option<&'a Estimate> + 'a>;

/// The rows of a kind of model: the cells that identify each, and its estimates by name.
fn subjects<'a>(model: &'a Model, member: &Member<'a>) -> Vec<(Vec<Cell>, At<'a>)> {
    let parameters = member.parameters;
    let at =
        |place: usize| -> At<'a> { Box::new(move |name| parameters.estimates(name).get(place)) };
    let named = || member.group.parameters.iter().filter_map(|spec| parameters.get(spec.name));
    match member.group.shape {
        Shape::Cluster => named().next().map(|_| (Vec::new(), at(0))).into_iter().collect(),
        Shape::Processors => (0..named().next().map_or(0, |values| values.estimates.len()))
            .map(|place| {
                let host = model.hosts.get(place).filter(|host| !host.is_empty());
                (vec![Cell::integer(place as u64), Cell::optional_text(host)], at(place))
            })
            .collect(),
        Shape::Pairs => {
            let pairs = Pairs::of(model.processors());
            let ends =
                |(i, j): (Processor, _)| [i, j].map(|p: Processor| Cell::integer(p.0.into()));
            pairs.iter().enumerate().map(|(place, pair)| (ends(pair).to_vec(), at(place))).collect()
        }
        Shape::Sizes => {
            let sizes =
                |index: &'a Index| if let Index::Sizes(sizes) = index { &sizes[..] } else { &[] };
            let all: BTreeSet<Bytes> =
                named().flat_map(|values| sizes(&values.index)).copied().collect();
            let line = |size: Bytes| -> (Vec<Cell>, At<'a>) {
                let at = move |name: &str| {
                    let values = parameters.get(name)?;
                    let place = sizes(&values.index).iter().position(|known| *known == size)?;
                    values.estimates.get(place)
                };
                (vec![Cell::size(size)], Box::new(at))
            };
            all.into_iter().map(line).collect()
        }
        Shape::LinkGroups => {
            let groups = named().find_map(|values| match &values.index {
                Index::LinkGroups(groups) => Some(groups),
                _ => None,
            });
            let list = |group: &Vec<Processor>| {
                Cell::List(group.iter().map(|p| Cell::integer(p.0.into())).collect())
            };
            let line = |(place, group)| (vec![Cell::integer(place as u64), list(group)], at(place));
            groups.into_iter().flatten().enumerate().map(line).collect()
        }
    }
}

/// The table of sizes at which parameters show a change of protocol; `None` if there are none.
fn switches(model: &Model) -> Option<Table> {
    let columns = [Column::text("model"), Column::number("last"), Column::number("first")];
    let mut table = Table::new("switches", "Protocol changes", columns)
        .with_note("The last size before and the first size after a break of the gap.");
    for (kind, parameters) in &model.point_to_point {
        for switch in (kind.definition().protocol_switches)(parameters) {
            table.push([
                Cell::text(kind.name()),
                Cell::size(switch.last),
                Cell::size(switch.first),
            ]);
        }
    }
    (!table.rows().is_empty()).then_some(table)
}

/// The text of a parameter with its unit.
fn value_text(parameter: ParameterSpec, value: f64) -> String {
    match parameter.unit {
        ParameterUnit::Seconds => Seconds::new(value).to_string(),
        ParameterUnit::SecondsPerByte => byte_delay(value),
        ParameterUnit::Bytes => format!("{value:.0} B"),
    }
}

/// A row of a table: the cells that identify it, and its estimates; `None` for parameters that the
/// model lacks.
struct Line<'a> {
    subject: Vec<Cell>,
    estimates: Vec<Option<&'a Estimate>>,
}

/// A table of parameters; people see each interval in one column.
fn parameter_table(
    heading: (&str, &str),
    subjects: &[Column],
    parameters: &[ParameterSpec],
    lines: &[Line],
) -> Table {
    let mut columns = subjects.to_vec();
    let mut shown = subjects.to_vec();
    for parameter in parameters {
        let key = parameter.key();
        columns.extend(
            [key.to_owned(), format!("{key}_low"), format!("{key}_high")].map(Column::number),
        );
        columns.push(Column::number(format!("{key}_samples")));
        shown.push(Column::number(key));
        shown.push(
            Column::number(format!("{key}_interval")).with_title("interval").drop_priority(3),
        );
        shown.push(Column::number(format!("{key}_samples")).with_title("samples").drop_priority(5));
        if let Some(rate) = parameter.rate {
            columns.push(Column::number(rate));
            shown.push(Column::number(rate).drop_priority(2));
        }
    }
    let (name, title) = heading;
    let mut table = Table::new(name, title, columns);
    let mut display = Table::new(name, title, shown);
    for line in lines {
        let (mut raw, mut shown) = (line.subject.clone(), line.subject.clone());
        for (parameter, estimate) in parameters.iter().zip(&line.estimates) {
            raw.extend(raw_cells(*parameter, *estimate));
            shown.extend(display_cells(*parameter, *estimate));
            if parameter.rate.is_some() {
                let rate = estimate.map_or(Cell::Null, |estimate| rate_cell(estimate.value));
                raw.push(rate.clone());
                shown.push(rate);
            }
        }
        table.push(raw);
        display.push(shown);
    }
    let levels =
        lines.iter().flat_map(|line| &line.estimates).filter_map(|e| e.and_then(|e| e.interval));
    let level = levels.map(|interval| interval.level).reduce(f64::min);
    display.note = level.map(level_note).unwrap_or_default();
    table.with_display(display)
}

/// The remark on the confidence level of intervals.
fn level_note(level: f64) -> String {
    format!("Intervals are {} % confidence intervals.", (level * 1e4).round() / 1e2)
}

/// The value, the ends of the interval and the number of samples.
fn raw_cells(parameter: ParameterSpec, estimate: Option<&Estimate>) -> [Cell; 4] {
    let cell = |value: Option<f64>| {
        value.map_or(Cell::Null, |value| Cell::number(value, value_text(parameter, value)))
    };
    let interval = estimate.and_then(|estimate| estimate.interval);
    [
        cell(estimate.map(|estimate| estimate.value)),
        cell(interval.map(|interval| interval.low)),
        cell(interval.map(|interval| interval.high)),
        estimate.and_then(|estimate| estimate.samples).map_or(Cell::Null, Cell::integer),
    ]
}

/// The value, the interval as text and the number of samples.
fn display_cells(parameter: ParameterSpec, estimate: Option<&Estimate>) -> [Cell; 3] {
    let Some(estimate) = estimate else { return [Cell::Null, Cell::Null, Cell::Null] };
    [
        Cell::number(estimate.value, value_text(parameter, estimate.value)),
        interval(estimate, |value| value_text(parameter, value)),
        estimate.samples.map_or(Cell::Null, Cell::integer),
    ]
}

/// The quantiles that people see: their keys and probabilities.
const QUANTILES: [(&str, f64); 5] = [
    ("smallest", 0.0),
    ("quartile_1", 0.25),
    ("median", 0.5),
    ("quartile_3", 0.75),
    ("largest", 1.0),
];

/// An empty table of quantiles over pairs.
fn quantile_table(name: &str, title: &str, pairs: Pairs, first: Option<Column>) -> Table {
    let quantiles = QUANTILES
        .map(|(key, q)| Column::number(key).drop_priority(u8::from((q * 2.0).fract() > 0.0)));
    let columns = first.into_iter().chain([Column::text("parameter")]).chain(quantiles);
    let note = format!(
        "Quantiles over {} pairs of {} processors; --format csv or json lists all pairs.",
        pairs.count(),
        pairs.processors()
    );
    Table::new(name, title, columns).with_note(note)
}

/// Adds the quantiles of one parameter.
fn quantile_line(
    table: &mut Table,
    kind: Option<ModelKind>,
    parameter: ParameterSpec,
    estimates: &[Estimate],
) {
    let at = |q| quantile(estimates.iter().map(|estimate| estimate.value), q);
    let cell =
        |q| at(q).map_or(Cell::Null, |value| Cell::number(value, value_text(parameter, value)));
    let first = kind.map(|kind| Cell::text(kind.name()));
    let name = Cell::text(parameter.key().replace('_', " "));
    table.push(first.into_iter().chain([name]).chain(QUANTILES.map(|(_, q)| cell(q))));
}

/// The range of a parameter over processors or pairs as text: `latency 41.0 … 63.2 µs`.
pub(crate) fn range_text(parameter: ParameterSpec, estimates: &[Estimate]) -> Option<String> {
    let at = |q| quantile(estimates.iter().map(|estimate| estimate.value), q);
    let (low, high) = (at(0.0)?, at(1.0)?);
    let (name, span) = match parameter.rate {
        Some(column) => (column, span(&rate(high), &rate(low))),
        None => (parameter.key(), span(&value_text(parameter, low), &value_text(parameter, high))),
    };
    Some(format!("{} {span}", name.replace('_', " ")))
}

/// The table of the thresholds of linear scatter and gather, one line for each value.
///
/// Keys: operation, root, procs, parameter (`scatter_threshold`, `gather_small`, `gather_large` in
/// bytes; `gather_small_slope`, `gather_large_slope`, `hlmo_small_slope`, `hlmo_large_slope` in
/// seconds per byte; `seconds` and `probability` for each escalation), value, low, high, level,
/// samples.
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
            let cell = |value: f64| value_cell(name, value);
            table.push([
                Cell::text(of.operation.name()),
                Cell::integer(of.root.0.into()),
                Cell::integer(of.procs as u64),
                Cell::text(name),
                cell(value),
                interval.map_or(Cell::Null, |interval| cell(interval.low)),
                interval.map_or(Cell::Null, |interval| cell(interval.high)),
                interval.map_or(Cell::Null, |interval| {
                    Cell::number(interval.level, interval.level.to_string())
                }),
                samples.map_or(Cell::Null, Cell::integer),
            ]);
        }
    }
    table.hide_empty_columns()
}

/// A cell with the value of a threshold parameter in its unit.
fn value_cell(name: &str, value: f64) -> Cell {
    match name {
        "seconds" => Cell::number(value, Seconds::new(value).to_string()),
        "probability" => percent_cell(value),
        name if name.ends_with("_slope") => Cell::number(value, byte_delay(value)),
        _ => Cell::number(value, Bytes::new(value.round() as u64).to_string()),
    }
}

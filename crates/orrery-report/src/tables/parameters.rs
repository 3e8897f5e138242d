//! Tables of the parameters of communication models, from the registry of model kinds, and of their
//! discrepancies and errors in collective operations.

use std::collections::BTreeSet;

use orrery::comm::{
    Index, ParameterGroup, ParameterSet, ParameterSpec, ParameterUnit, Shape, Thresholds,
};
use orrery::model::file::Summary;
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::platform::{Pairs, Processor};
use orrery::units::{Bytes, Seconds};

use super::columns::Columns;
use super::format::{
    byte_delay, counted, percent_cell, plain_cell, quantile, rate, rate_cell, span,
};
use super::link_classes::classes;
use super::table::{Cell, Column, Table};

/// Above this many processors, people see quantiles over the pairs instead of every pair.
const MAX_PROCESSORS_LISTED: usize = 16;

/// The tables of all parameters of a model: those that the registry names for its kinds, `switches`
/// if parameters show changes of protocol, `discrepancies` if noise does not explain the errors of
/// models, `collective_errors` if collective operations were measured, and `classes` if some links are within a host and
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
        tables.chain(switches(model)).chain(discrepancies(model)).chain(collective_errors(model));
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
            let name = with_model.then(|| Cell::from(member.kind.name()));
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
    let subjects: Vec<Column> = name.into_iter().chain(subjects).collect();
    let title = format!("{}, {}", group.family, group.rows);
    let table = parameter_table((group.table, &title), subjects, &columns, &lines);
    if group.shape != Shape::Pairs || model.processors() <= MAX_PROCESSORS_LISTED {
        return table;
    }
    table.with_display(quantile_table(members, Pairs::of(model.processors()), with_model))
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
                (vec![place.into(), host.into()], at(place))
            })
            .collect(),
        Shape::Pairs => {
            let pairs = Pairs::of(model.processors());
            let ends = |(i, j): (Processor, _)| [i, j].map(Cell::from);
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
                (vec![size.into()], Box::new(at))
            };
            all.into_iter().map(line).collect()
        }
        Shape::LinkGroups => {
            let groups = named().find_map(|values| match &values.index {
                Index::LinkGroups(groups) => Some(groups),
                _ => None,
            });
            let list = |group: &Vec<Processor>| {
                Cell::List(group.iter().map(|one| Cell::from(*one)).collect())
            };
            let line = |(place, group): (usize, _)| (vec![place.into(), list(group)], at(place));
            groups.into_iter().flatten().enumerate().map(line).collect()
        }
    }
}

/// The table of sizes at which parameters show a change of protocol; `None` if there are none.
fn switches(model: &Model) -> Option<Table> {
    let switches = model.point_to_point.iter().flat_map(|(kind, parameters)| {
        let switches = (kind.definition().protocol_switches)(parameters).into_iter();
        switches.map(move |switch| (kind, switch))
    });
    let rows: Vec<_> = switches.collect();
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, _)| kind.name());
    columns.number("last", |(_, switch)| switch.last);
    columns.number("first", |(_, switch)| switch.first);
    let note = "The last size before and the first size after a break of the gap.";
    columns.table("switches", "Protocol changes").with_note(note).if_filled()
}

/// A cell with a parameter in its unit.
fn parameter_cell(parameter: ParameterSpec, value: f64) -> Cell {
    Cell::number(value, value_text(parameter, value))
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
    (name, title): (&str, &str),
    subjects: Vec<Column>,
    parameters: &[ParameterSpec],
    lines: &[Line],
) -> Table {
    let mut columns = Columns::of(lines);
    for (place, subject) in subjects.into_iter().enumerate() {
        columns.add(subject, |line| line.subject[place].clone());
    }
    for (place, &parameter) in parameters.iter().enumerate() {
        let of = |line: &Line| line.estimates[place].copied();
        let key = parameter.key();
        columns.estimate(key, |value| value_text(parameter, value), of);
        let samples = |line: &Line| of(line).and_then(|of| of.samples);
        columns.number(format!("{key}_samples"), samples).for_programs();
        columns.number("samples", samples).drop_first(5).for_people();
        if let Some(rate) = parameter.rate {
            columns.number(rate, |line| of(line).map(|of| rate_cell(of.value))).drop_first(2);
        }
    }
    let levels =
        lines.iter().flat_map(|line| &line.estimates).filter_map(|e| e.and_then(|e| e.interval));
    let level = levels.map(|interval| interval.level).reduce(f64::min);
    columns.table(name, title).with_note(level.map(level_note).unwrap_or_default())
}

/// The remark on the confidence level of intervals.
fn level_note(level: f64) -> String {
    format!("Intervals are {} % confidence intervals.", (level * 1e4).round() / 1e2)
}

/// The quantiles that people see: their keys and probabilities.
const QUANTILES: [(&str, f64); 5] = [
    ("smallest", 0.0),
    ("quartile_1", 0.25),
    ("median", 0.5),
    ("quartile_3", 0.75),
    ("largest", 1.0),
];

/// The table of quantiles of parameters over pairs.
fn quantile_table(members: &[Member], pairs: Pairs, with_model: bool) -> Table {
    let rows: Vec<_> = members
        .iter()
        .flat_map(|member| member.group.parameters.iter().map(move |spec| (member, *spec)))
        .collect();
    let mut columns = Columns::of(&rows);
    if with_model {
        columns.text("model", |(member, _)| member.kind.name());
    }
    columns.text("parameter", |(_, spec)| spec.key().replace('_', " "));
    for (key, q) in QUANTILES {
        let at = |(member, spec): &(&Member, ParameterSpec)| {
            let values = member.parameters.estimates(spec.name).iter().map(|of| of.value);
            quantile(values, q).map(|value| parameter_cell(*spec, value))
        };
        columns.number(key, at).drop_first(u8::from((q * 2.0).fract() > 0.0));
    }
    let note = format!(
        "Quantiles over {} pairs of {} processors; --format csv or json lists all pairs.",
        pairs.count(),
        pairs.processors()
    );
    let ParameterGroup { family, table, .. } = members[0].group;
    columns.table(table, format!("{family}, quantiles over the {table}")).with_note(note)
}

/// The range of a parameter over processors or pairs as text: `latency 41.0 … 63.2 µs`; a delay per
/// byte as a rate. `None` without finite estimates.
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
    let rows: Vec<_> = thresholds
        .iter()
        .flat_map(|of| of.estimates().map(move |(name, estimate)| (of, name, estimate)))
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(of, ..)| of.operation.name());
    columns.number("root", |(of, ..)| of.root);
    columns.number("procs", |(of, ..)| of.procs);
    columns.text("parameter", |(_, name, _)| *name);
    columns.number("value", |(_, name, of)| value_cell(name, of.value));
    columns.ends(["low", "high"], 2, |(_, name, of)| {
        of.interval.map(|ends| (value_cell(name, ends.low), value_cell(name, ends.high)))
    });
    columns.number("level", |(.., of)| of.interval.map(|of| plain_cell(of.level))).drop_first(4);
    columns.number("samples", |(.., of)| of.samples).drop_first(3);
    columns.table("thresholds", "Thresholds of linear scatter and gather").hide_empty_columns()
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

/// The table of the errors in measured collective operations, one line for each; `None` if there
/// are none.
///
/// Keys: model, algorithm, root, procs, size, factor (measured over predicted time), noise (its
/// relative standard deviation by the readings).
pub(crate) fn collective_errors(model: &Model) -> Option<Table> {
    let rows: Vec<_> = model
        .discrepancies
        .iter()
        .flat_map(|(kind, all)| all.collectives.iter().map(move |one| (kind, one)))
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, _)| kind.name());
    columns.text("algorithm", |(_, one)| one.algorithm.to_string());
    columns.number("root", |(_, one)| one.root).drop_first(2);
    columns.number("procs", |(_, one)| one.procs).drop_first(3);
    columns.number("size", |(_, one)| one.size);
    columns.number("factor", |(_, one)| {
        Cell::number(one.error.exp(), format!("{:.3}", one.error.exp()))
    });
    columns.number("noise", |(_, one)| percent_cell(one.noise)).drop_first(1);
    let note = "Measured over predicted times. Predictions of these operations are multiplied by the \
        factor, those of others by less, the less they are alike.";
    columns
        .table("collective_errors", "Errors in measured collective operations")
        .with_note(note)
        .if_filled()
}

/// The table of the discrepancies of all kinds of models; `None` if there are none.
///
/// Keys: model, experiments (point-to-point or concurrent), deviation (of observed from predicted
/// times, relative), degrees.
pub(crate) fn discrepancies(model: &Model) -> Option<Table> {
    let mut rows = Vec::new();
    for (kind, all) in &model.discrepancies {
        let parts = [("point-to-point", all.point_to_point), ("concurrent", all.concurrent)];
        rows.extend(parts.into_iter().filter_map(|(name, one)| Some((kind, name, one?))));
    }
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, ..)| kind.name());
    columns.text("experiments", |(_, name, _)| *name);
    columns.number("deviation", |(.., one)| percent_cell(one.relative));
    columns.number("degrees", |(.., one)| one.degrees).titled("independent errors");
    let note = "Relative deviations of measured from predicted times apart from noise, which \
        intervals of predictions contain.";
    let table = columns.table("discrepancies", "Errors of the models beyond noise");
    table.with_note(note).if_filled()
}

/// The table of what a checked model file holds; people see a line for each fact.
///
/// Keys: file, models (with thresholds, measured algorithms, sharing laws, kernels and application),
/// processors, parameters, with_interval, measured_from, measured_to.
pub fn model_summary(file: &str, summary: &Summary) -> Table {
    let models = contents(summary);
    let rows = [summary];
    let mut columns = Columns::of(&rows);
    columns.text("file", |_| file);
    columns.text("models", |_| &models);
    columns.number("processors", |one| one.processors);
    columns.number("parameters", |one| one.parameters);
    columns.number("with_interval", |one| one.with_interval);
    columns.number("measured_from", |one| one.measured.map(|(from, _)| from));
    columns.number("measured_to", |one| one.measured.map(|(_, to)| to)).titled("to");
    let table = columns.table("check", "");
    let Summary { processors, parameters, with_interval, measured, .. } = summary;
    let sizes = measured.map(|(from, to)| format!("from {from} to {to}"));
    let facts = [
        ("models", models),
        ("processors", processors.to_string()),
        ("parameters", format!("{parameters}, {with_interval} of them with an interval")),
        ("measured sizes", sizes.unwrap_or_else(|| "not recorded".to_owned())),
    ];
    let mut columns = Columns::of(&facts);
    columns.text("fact", |(fact, _)| *fact);
    columns.text("found", |(_, found)| found);
    table.with_display(columns.table("check", format!("{file}: valid model file")))
}

/// The models of a file as text, separated by commas.
fn contents(summary: &Summary) -> String {
    let application = match summary.regions {
        0 => None,
        1 => Some("application".to_owned()),
        regions => Some(format!("application of {regions} regions")),
    };
    let of = |what: &str, count: usize, noun: &str| {
        (count > 0).then(|| format!("{what} of {}", counted(count, noun)))
    };
    let thresholds = of("thresholds", summary.thresholds, "operation");
    let algorithms = of("algorithms", summary.algorithms, "measured algorithm");
    let kernels = (summary.kernels > 0).then(|| counted(summary.kernels, "kernel"));
    let sharing = summary.sharing.iter().map(|network| format!("sharing of {network}"));
    let kinds = summary.kinds.iter().map(|kind| kind.name().to_owned());
    let all = kinds.chain(thresholds).chain(algorithms).chain(sharing);
    all.chain(kernels).chain(application).collect::<Vec<_>>().join(", ")
}

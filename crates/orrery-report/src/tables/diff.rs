//! Tables of the differences between two models.

use super::columns::Columns;
use super::format::{
    counted, error_cell, factor_cell, p_value_cell, percent, plain_cell, rate_cell, seconds,
};
use super::table::{Cell, Table};
use orrery::model::{
    Change, DiffOptions, Finding, Model, ModelDiff, ParameterChange, SharedLinkChange, Subject,
};
use orrery::platform::{Processor, processor_name};

/// The largest number of rows of messages and of parameters that people see.
const MAX_ROWS: usize = 20;

/// The tables of the differences between an old and a new model:
///
/// 1. `summary`: what was compared, one row
/// 2. `changes`: lost and added processors, changed hosts and links
/// 3. `messages`: the times of messages; people see those that changed most
/// 4. `shared_links`: the links that groups of processors share; people see those that changed
/// 5. `errors`: measured over predicted times of collective operations; people see those that changed
/// 6. `parameters`: those behind these times; people see those with the largest effects
pub fn diff_tables(
    old: &Model,
    new: &Model,
    diff: &ModelDiff,
    options: &DiffOptions,
) -> [Table; 6] {
    [
        summary(diff, options),
        changes(old, new, diff, options),
        messages(old, diff, options),
        shared_links(old, diff),
        errors(diff),
        parameters(old, diff),
    ]
}

/// The host of a processor; empty if unknown.
fn host(model: &Model, processor: Processor) -> &str {
    model.hosts.get(processor.index()).map_or("", String::as_str)
}

/// The cell of the host of a processor.
fn host_cell(model: &Model, processor: Processor) -> Cell {
    Some(host(model, processor)).filter(|host| !host.is_empty()).into()
}

/// The table of what was compared.
fn summary(diff: &ModelDiff, options: &DiffOptions) -> Table {
    let of_all = |fraction: f64| Cell::number(fraction, percent(fraction));
    let mut columns = Columns::of(std::slice::from_ref(diff));
    columns.text("changed", ModelDiff::is_changed);
    columns.text("model", |diff| diff.kind.name());
    columns.text("cause_model", |diff| diff.cause.name());
    columns.number("processors", |diff| diff.processors.common.len());
    columns.number("messages", |diff| diff.messages.len());
    columns.number("changed_messages", ModelDiff::changed_messages);
    columns.number("level", |_| plain_cell(options.level));
    columns.number("tolerance", |_| of_all(options.tolerance));
    columns.number("resolution", |diff| diff.resolution.map(of_all));
    columns.table("summary", "Comparison")
}

/// What was compared, in a sentence.
fn scope(diff: &ModelDiff, options: &DiffOptions) -> String {
    let sizes: Vec<String> = options.sizes.iter().map(ToString::to_string).collect();
    let (messages, processors) = (
        counted(diff.messages.len(), "message"),
        counted(diff.processors.common.len(), "processor"),
    );
    let test = match diff.resolution {
        Some(width) => format!(
            "; changes above {} count if they are significant at a false discovery rate of {}; the \
                interval of a single \
             change is ± {}",
            percent(options.tolerance),
            percent(1.0 - options.level),
            percent(width)
        ),
        None => format!("; without intervals, changes above {} count", percent(options.tolerance)),
    };
    format!(
        "{messages} of {} bytes between {processors} by {}{test}.",
        sizes.join(", "),
        diff.kind.name()
    )
}

/// The table of lost and added processors and of changed hosts and links.
fn changes(old: &Model, new: &Model, diff: &ModelDiff, options: &DiffOptions) -> Table {
    /// What changed, in the model that has it; lost and added processors have no finding.
    struct Row<'a> {
        change: &'static str,
        model: &'a Model,
        subject: Subject,
        finding: Option<&'a Finding>,
    }
    let moved = |change, model, processors: &[Processor]| {
        let row = |&one: &Processor| {
            let subject = Subject::Processor(one);
            Row { change, model, subject, finding: None }
        };
        processors.iter().map(row).collect::<Vec<_>>()
    };
    let mut rows = moved("lost", old, &diff.processors.lost);
    rows.extend(moved("added", new, &diff.processors.added));
    rows.extend(diff.findings.iter().map(|finding| Row {
        change: if finding.relative < 0.0 { "faster" } else { "slower" },
        model: old,
        subject: finding.subject,
        finding: Some(finding),
    }));
    let title = match (rows.is_empty(), diff.is_changed()) {
        (false, _) => "Changes",
        (true, true) => "No single message changed",
        (true, false) => "Nothing changed",
    };
    let ends = |row: &Row<'_>| match row.subject {
        Subject::Processor(i) => (i, None),
        Subject::Link(i, j) => (i, Some(j)),
    };
    let mut columns = Columns::of(&rows);
    columns.text("change", |row| row.change);
    columns.number("i", |row| ends(row).0).for_programs();
    columns.number("j", |row| ends(row).1).for_programs();
    columns.text("host_i", |row| host_cell(row.model, ends(row).0)).for_programs();
    let other = |row: &Row<'_>| ends(row).1.map(|other| host_cell(row.model, other));
    columns.text("host_j", other).for_programs();
    columns.text("subject", |row| subject(row.model, row.subject)).for_people();
    columns.number("size", |row| row.finding.map(|of| of.size));
    columns.number("old_seconds", |row| row.finding.map(|of| seconds(of.old))).titled("old");
    columns.number("new_seconds", |row| row.finding.map(|of| seconds(of.new))).titled("new");
    let relative = |row: &Row<'_>| row.finding.map(|of| error_cell(of.relative));
    columns.number("relative_change", relative).titled("change");
    columns.number("changed_links", |row| row.finding.map(|of| of.changed)).for_programs();
    columns.number("links", |row| row.finding.map(|of| of.links)).for_programs();
    let links = |of: &Finding| format!("{} of {}", of.changed, of.links);
    columns.text("links", |row| row.finding.map(links)).for_people();
    let p_value = |row: &Row<'_>| row.finding.and_then(|of| of.p_value).map(p_value_cell);
    columns.number("p_value", p_value).titled("p").drop_first(1);
    columns.table("changes", title).with_note(scope(diff, options))
}

/// A processor or a link in words.
fn subject(model: &Model, subject: Subject) -> String {
    match subject {
        Subject::Processor(i) if host(model, i).is_empty() => format!("processor {i}"),
        Subject::Processor(i) => format!("processor {i} on {}", host(model, i)),
        Subject::Link(i, j) if host(model, i).is_empty() || host(model, j).is_empty() => {
            format!("link {i}-{j}")
        }
        Subject::Link(i, j) => format!("link {i}-{j}, {} to {}", host(model, i), host(model, j)),
    }
}

/// Adds the columns of a [`Change`]; `show` formats its values. People see changed rows only.
fn add_change<'a, R>(
    columns: &mut Columns<'a, R>,
    unit: &str,
    show: impl Fn(f64) -> Cell,
    of: impl Fn(&'a R) -> &'a Change,
) {
    columns.number(format!("old{unit}"), |row| show(of(row).old)).titled("old");
    columns.number(format!("new{unit}"), |row| show(of(row).new)).titled("new");
    columns.number("relative_change", |row| error_cell(of(row).relative())).titled("change");
    columns.number("p_value", |row| of(row).p_value.map(p_value_cell)).titled("p");
    columns.text("changed", |row| of(row).is_change).for_programs();
}

/// The table of the times of messages.
fn messages(old: &Model, diff: &ModelDiff, options: &DiffOptions) -> Table {
    let mut columns = Columns::of(&diff.messages);
    columns.number("i", |one| one.from);
    columns.number("j", |one| one.to);
    columns.text("host_i", |one| host_cell(old, one.from)).drop_first(2);
    columns.text("host_j", |one| host_cell(old, one.to)).drop_first(2);
    columns.number("size", |one| one.size);
    add_change(&mut columns, "_seconds", seconds, |one| &one.change);
    let width = |width: f64| Cell::number(width, percent(width));
    columns.number("half_width", |one| one.change.half_width(options.level).map(width)).titled("±");
    columns.show(MAX_ROWS, |one| one.change.is_change);
    let changed = counted(diff.changed_messages(), "change");
    let title = format!("Times of messages that changed most, {changed}");
    columns.table("messages", title).hide_empty_columns()
}

/// The table of shared links.
fn shared_links(old: &Model, diff: &ModelDiff) -> Table {
    let mut columns = Columns::of(&diff.shared_links);
    columns.text("change", |link| match (link.old, link.new) {
        (Some(_), None) => "lost",
        (None, _) => "added",
        _ if !link.is_change() => "same",
        (Some(old), Some(new)) if new > old => "slower",
        _ => "faster",
    });
    columns.text("members", |link| {
        Cell::texts(link.group.iter().map(|one| processor_name(&old.hosts, *one)))
    });
    columns.number("old_rate", |link| link.old.map(rate_cell)).titled("old");
    columns.number("new_rate", |link| link.new.map(rate_cell)).titled("new");
    let relative = |change: Change| error_cell(change.old / change.new - 1.0);
    columns.number("relative_change", |link| link.change.map(relative)).titled("change");
    let p_value = |change: Change| change.p_value.map(p_value_cell);
    columns.number("p_value", |link| link.change.and_then(p_value)).titled("p");
    columns.show(MAX_ROWS, SharedLinkChange::is_change);
    columns.table("shared_links", "Shared links that changed")
}

/// The table of errors in collective operations.
fn errors(diff: &ModelDiff) -> Table {
    let mut columns = Columns::of(&diff.errors);
    columns.text("algorithm", |one| one.algorithm.to_string());
    columns.number("root", |one| one.root);
    columns.number("procs", |one| one.procs);
    columns.number("size", |one| one.size);
    add_change(&mut columns, "_factor", factor_cell, |one| &one.change);
    columns.show(MAX_ROWS, |one| one.change.is_change);
    let title = format!("Measured over predicted times of {} that changed", diff.kind.name());
    columns.table("errors", title).hide_empty_columns()
}

/// The table of parameters.
fn parameters(old: &Model, diff: &ModelDiff) -> Table {
    let mut columns = Columns::of(&diff.parameters);
    columns.text("parameter", |one| one.parameter.name);
    columns.number("i", |one| one.parameter.place.0);
    columns.number("j", |one| one.parameter.place.1);
    let own_host = |one: &ParameterChange| match one.parameter.place {
        (Some(i), None) => host_cell(old, i),
        _ => Cell::Null,
    };
    columns.text("host_i", own_host).drop_first(2);
    columns.number("size", |one| one.parameter.size).drop_first(3);
    let show = |value: f64| Cell::number(value, format!("{value:.3e}"));
    add_change(&mut columns, "", show, |one| &one.change);
    columns.number("effect_seconds", |one| seconds(one.effect)).titled("effect");
    columns.show(MAX_ROWS, |one| one.change.is_change);
    let title =
        format!("Parameters of {} with the largest effects on these times", diff.cause.name());
    let note = "Parameters trade off against each other: only times of messages decide.";
    columns.table("parameters", title).with_note(note).hide_empty_columns()
}

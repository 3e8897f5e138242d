//! Tables of the differences between two models.

use super::format::{counted, maybe_seconds, percent, rate_cell, seconds, signed_percent};
use super::table::{Cell, Column, Table};
use orrery::model::{
    Change, CorrectionChange, DiffOptions, Finding, Model, ModelDiff, ParameterChange, Subject,
};
use orrery::platform::{Processor, processor_name};

/// The largest number of rows of messages and of parameters that people see.
const MAX_ROWS: usize = 20;

/// The tables of a comparison of models: `summary`, `changes`, `messages`, `shared_links`,
/// `corrections` and `parameters`.
pub struct DiffTables {
    /// What was compared: one row.
    pub summary: Table,
    /// Lost and added processors, changed hosts and links.
    pub changes: Table,
    /// The times of messages; people see those that changed most.
    pub messages: Table,
    /// The links that groups of processors share; people see those that changed.
    pub shared_links: Table,
    /// The corrections of algorithms; people see those that changed.
    pub corrections: Table,
    /// The parameters behind these times; people see those with the largest effects.
    pub parameters: Table,
}

/// The tables of the differences between an old and a new model.
pub fn diff_tables(
    old: &Model,
    new: &Model,
    diff: &ModelDiff,
    options: &DiffOptions,
) -> DiffTables {
    DiffTables {
        summary: summary(diff, options),
        changes: changes(old, new, diff, options),
        messages: messages(old, diff, options),
        shared_links: shared_links(old, diff),
        corrections: corrections(diff),
        parameters: parameters(old, diff),
    }
}

/// The host of a processor; empty if unknown.
fn host(model: &Model, processor: Processor) -> &str {
    model.hosts.get(processor.index()).map_or("", String::as_str)
}

/// The cell of the host of a processor.
fn host_cell(model: &Model, processor: Processor) -> Cell {
    Cell::optional_text(Some(host(model, processor)).filter(|host| !host.is_empty()))
}

/// A cell with a relative change.
fn relative(fraction: f64) -> Cell {
    Cell::number(fraction, signed_percent(fraction))
}

/// A cell with an adjusted p-value.
fn p_value(value: Option<f64>) -> Cell {
    let text = |p: f64| if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") };
    value.map_or(Cell::Null, |p| Cell::number(p, text(p)))
}

/// The table of what was compared.
fn summary(diff: &ModelDiff, options: &DiffOptions) -> Table {
    let columns = [
        Column::text("changed"),
        Column::text("model"),
        Column::text("cause_model"),
        Column::number("processors"),
        Column::number("messages"),
        Column::number("changed_messages"),
        Column::number("level"),
        Column::number("tolerance"),
        Column::number("resolution"),
    ];
    let mut table = Table::new("summary", "Comparison", columns);
    table.push([
        Cell::Flag(diff.is_changed()),
        Cell::text(diff.kind.name()),
        Cell::text(diff.cause.name()),
        Cell::integer(diff.processors.common.len() as u64),
        Cell::integer(diff.messages.len() as u64),
        Cell::integer(diff.changed_messages() as u64),
        Cell::number(options.level, options.level.to_string()),
        Cell::number(options.tolerance, percent(options.tolerance)),
        diff.resolution.map_or(Cell::Null, |width| Cell::number(width, percent(width))),
    ]);
    table
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
    let columns = [
        Column::text("change"),
        Column::number("i"),
        Column::number("j"),
        Column::text("host_i"),
        Column::text("host_j"),
        Column::number("size"),
        Column::number("old_seconds").with_title("old"),
        Column::number("new_seconds").with_title("new"),
        Column::number("relative_change").with_title("change"),
        Column::number("changed_links"),
        Column::number("links"),
        Column::number("p_value").with_title("p").drop_priority(1),
    ];
    let is_empty = diff.findings.is_empty()
        && diff.processors.lost.is_empty()
        && diff.processors.added.is_empty();
    let title = match (is_empty, diff.is_changed()) {
        (false, _) => "Changes",
        (true, true) => "No single message changed",
        (true, false) => "Nothing changed",
    };
    let mut table = Table::new("changes", title, columns);
    let people = ["change", "subject"].map(Column::text).into_iter().chain([
        Column::number("size"),
        Column::number("old"),
        Column::number("new"),
        Column::number("relative_change").with_title("change"),
        Column::text("links"),
        Column::number("p").drop_priority(1),
    ]);
    let mut people = Table::new("changes", title, people).with_note(scope(diff, options));
    for (change, model, processors) in
        [("lost", old, &diff.processors.lost), ("added", new, &diff.processors.added)]
    {
        for &processor in processors {
            let number = Cell::integer(u64::from(processor.0));
            table.push([Cell::text(change), number, Cell::Null, host_cell(model, processor)]);
            people.push([
                Cell::text(change),
                Cell::text(subject(model, Subject::Processor(processor))),
            ]);
        }
    }
    for finding in &diff.findings {
        table.push(finding_cells(old, finding));
        people.push([
            Cell::text(direction(finding)),
            Cell::text(subject(old, finding.subject)),
            Cell::size(finding.size),
            seconds(finding.old),
            seconds(finding.new),
            relative(finding.relative),
            Cell::text(format!("{} of {}", finding.changed, finding.links)),
            p_value(finding.p_value),
        ]);
    }
    table.with_display(people)
}

/// The direction of a change.
fn direction(finding: &Finding) -> &'static str {
    if finding.relative < 0.0 { "faster" } else { "slower" }
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

/// The cells of a finding for programs.
fn finding_cells(old: &Model, finding: &Finding) -> [Cell; 12] {
    let (i, j) = match finding.subject {
        Subject::Processor(i) => (i, None),
        Subject::Link(i, j) => (i, Some(j)),
    };
    [
        Cell::text(direction(finding)),
        Cell::integer(u64::from(i.0)),
        j.map_or(Cell::Null, |j| Cell::integer(u64::from(j.0))),
        host_cell(old, i),
        j.map_or(Cell::Null, |j| host_cell(old, j)),
        Cell::size(finding.size),
        seconds(finding.old),
        seconds(finding.new),
        relative(finding.relative),
        Cell::integer(finding.changed as u64),
        Cell::integer(finding.links as u64),
        p_value(finding.p_value),
    ]
}

/// The columns of a [`Change`].
fn change_columns(unit: &str) -> [Column; 5] {
    [
        Column::number(format!("old{unit}")).with_title("old"),
        Column::number(format!("new{unit}")).with_title("new"),
        Column::number("relative_change").with_title("change"),
        Column::number("p_value").with_title("p"),
        Column::text("changed"),
    ]
}

/// The cells of a [`Change`]; `show` formats its values.
fn change_cells(change: &Change, show: impl Fn(f64) -> Cell) -> [Cell; 5] {
    [
        show(change.old),
        show(change.new),
        relative(change.relative()),
        p_value(change.p_value),
        Cell::Flag(change.is_change),
    ]
}

/// The cells of a row for people, who see changed rows only.
fn without_flags(cells: &[Cell]) -> Vec<Cell> {
    cells
        .iter()
        .map(|cell| if matches!(cell, Cell::Flag(_)) { Cell::Null } else { cell.clone() })
        .collect()
}

/// The table of the times of messages.
fn messages(old: &Model, diff: &ModelDiff, options: &DiffOptions) -> Table {
    let columns: Vec<Column> = ["i", "j"]
        .map(Column::number)
        .into_iter()
        .chain(["host_i", "host_j"].map(|name| Column::text(name).drop_priority(2)))
        .chain([Column::number("size")])
        .chain(change_columns("_seconds"))
        .chain([Column::number("half_width").with_title("±")])
        .collect();
    let mut table = Table::new("messages", "Times of messages", columns.clone());
    let title = format!(
        "Times of messages that changed most, {}",
        counted(diff.changed_messages(), "change")
    );
    let mut people = Table::new("messages", title, columns);
    for message in &diff.messages {
        let number = |processor: Processor| Cell::integer(u64::from(processor.0));
        let half_width = message.change.half_width(options.level);
        let cells: Vec<Cell> = [
            number(message.from),
            number(message.to),
            host_cell(old, message.from),
            host_cell(old, message.to),
            Cell::size(message.size),
        ]
        .into_iter()
        .chain(change_cells(&message.change, seconds))
        .chain([half_width.map_or(Cell::Null, |width| Cell::number(width, percent(width)))])
        .collect();
        if message.change.is_change && people.rows().len() < MAX_ROWS {
            people.push(without_flags(&cells));
        }
        table.push(cells);
    }
    table.with_display(people.hide_empty_columns().display_table().clone())
}

/// The table of shared links.
fn shared_links(old: &Model, diff: &ModelDiff) -> Table {
    let columns = [
        Column::text("change"),
        Column::text("members"),
        Column::number("old_rate").with_title("old"),
        Column::number("new_rate").with_title("new"),
        Column::number("relative_change").with_title("change"),
        Column::number("p_value").with_title("p"),
    ];
    let mut table = Table::new("shared_links", "Shared links", columns.clone());
    let mut people = Table::new("shared_links", "Shared links that changed", columns);
    for link in &diff.shared_links {
        let rate = |delay: Option<f64>| delay.map_or(Cell::Null, rate_cell);
        let fraction = link
            .change
            .map(|change| change.old / change.new - 1.0)
            .filter(|change| change.is_finite());
        let word = match (link.old, link.new) {
            (Some(_), None) => "lost",
            (None, _) => "added",
            _ if !link.is_change() => "same",
            (Some(old), Some(new)) if new > old => "slower",
            _ => "faster",
        };
        let cells = [
            Cell::text(word),
            Cell::texts(link.group.iter().map(|one| processor_name(&old.hosts, *one))),
            rate(link.old),
            rate(link.new),
            fraction.map_or(Cell::Null, relative),
            p_value(link.change.and_then(|change| change.p_value)),
        ];
        if link.is_change() && people.rows().len() < MAX_ROWS {
            people.push(cells.clone());
        }
        table.push(cells);
    }
    table.with_display(people)
}

/// The table of corrections.
fn corrections(diff: &ModelDiff) -> Table {
    let columns: Vec<Column> =
        [Column::text("algorithm"), Column::number("from"), Column::number("to")]
            .into_iter()
            .chain(change_columns("_factor"))
            .collect();
    let title = format!("Corrections of algorithms by {}", diff.kind.name());
    let mut table = Table::new("corrections", title.clone(), columns.clone());
    let mut people = Table::new("corrections", format!("{title} that changed"), columns);
    for CorrectionChange { algorithm, sizes, change } in &diff.corrections {
        let show = |value: f64| Cell::number(value, format!("{value:.3}"));
        let cells: Vec<Cell> =
            [Cell::text(algorithm.to_string()), Cell::size(sizes.0), Cell::size(sizes.1)]
                .into_iter()
                .chain(change_cells(change, show))
                .collect();
        if change.is_change && people.rows().len() < MAX_ROWS {
            people.push(without_flags(&cells));
        }
        table.push(cells);
    }
    table.with_display(people.hide_empty_columns().display_table().clone())
}

/// The table of parameters.
fn parameters(old: &Model, diff: &ModelDiff) -> Table {
    let columns: Vec<Column> =
        [Column::text("parameter"), Column::number("i"), Column::number("j")]
            .into_iter()
            .chain([
                Column::text("host_i").drop_priority(2),
                Column::number("size").drop_priority(3),
            ])
            .chain(change_columns(""))
            .chain([Column::number("effect_seconds").with_title("effect")])
            .collect();
    let mut table = Table::new("parameters", "Parameters", columns.clone());
    let title =
        format!("Parameters of {} with the largest effects on these times", diff.cause.name());
    let note = "Parameters trade off against each other: only times of messages decide.";
    let mut people = Table::new("parameters", title, columns).with_note(note);
    for ParameterChange { parameter, change, effect } in &diff.parameters {
        let number = |processor: Option<Processor>| {
            processor.map_or(Cell::Null, |one| Cell::integer(u64::from(one.0)))
        };
        let (i, j) = parameter.place;
        let show = |value: f64| Cell::number(value, format!("{value:.3e}"));
        let cells: Vec<Cell> = [
            Cell::text(parameter.name),
            number(i),
            number(j),
            i.filter(|_| j.is_none()).map_or(Cell::Null, |i| host_cell(old, i)),
            parameter.size.map_or(Cell::Null, Cell::size),
        ]
        .into_iter()
        .chain(change_cells(change, show))
        .chain([maybe_seconds(Some(*effect))])
        .collect();
        if change.is_change && people.rows().len() < MAX_ROWS {
            people.push(without_flags(&cells));
        }
        table.push(cells);
    }
    table.with_display(people.hide_empty_columns().display_table().clone())
}

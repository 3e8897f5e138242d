//! Tables of compute kernels: predictions, and the models of their times.

use super::alarms::{ShownAlarm, settled_load};
use super::columns::Columns;
use super::format::{interval, memory_text, operations_cell, percent_cell};
use super::table::{Cell, Table};
use orrery::model::{KernelAlarm, KernelOnHost, Model};
use orrery::request::KernelAnswer;

/// The table of predicted times of calls of kernels on hosts under their load.
///
/// Keys: kernel, variant, host, library, m, n, k, seconds, low, high, operations_per_second, memory
/// (of operands and work space \[B\]), alarms (with a line for each below the table, one for all
/// values of a dimension).
pub fn kernel_predictions(rows: &[KernelAnswer<'_>]) -> Table {
    let mut columns = Columns::of(rows);
    columns.text("kernel", |one| one.call.kernel().to_string());
    columns.text("variant", |one| one.call.variant());
    columns.text("host", |one| &one.host);
    columns.text("library", |one| &one.model.conditions.library).drop_first(3);
    columns
        .dimensions([0; 3], |one| (one.call.dimensions(), one.call.kernel().routine.dimensions()));
    columns.number("seconds", |one| one.forecast.seconds).titled("time");
    columns.ends(["low", "high"], 2, |one| one.forecast.interval);
    let rate = "operations_per_second";
    columns
        .number(rate, |one| operations_cell(one.call.operations() / one.forecast.seconds.get()))
        .titled("rate");
    columns
        .number("memory", |one| memory_cell(one.model.model.memory(&one.call).get() as f64))
        .drop_first(4);
    let mut lines: Vec<KernelAlarm> = Vec::new();
    let alarms = |one: &KernelAnswer<'_>| {
        let all = &one.forecast.alarms;
        all.iter().for_each(|alarm| add_line(&mut lines, alarm));
        Cell::List(all.iter().map(|alarm| shown(alarm).cell()).collect())
    };
    columns.text("alarms", alarms).drop_first(1);
    lines.sort_by_key(KernelAlarm::name);
    let mut lines: Vec<String> = lines.iter().map(|alarm| shown(alarm).line()).collect();
    let others = rows.first().filter(|one| one.host != one.model.conditions.host);
    lines.extend(others.map(|one| {
        let measured = &one.model.conditions.host;
        format!("{} is of the class of {measured}, which was measured", one.host)
    }));
    columns.table("predictions", "").with_note(lines.join("\n")).hide_empty_columns()
}

/// Adds an alarm to those of other calls; values of one dimension become a range.
fn add_line(lines: &mut Vec<KernelAlarm>, alarm: &KernelAlarm) {
    let KernelAlarm::Dimension { name, values: [low, high], measured } = alarm else {
        if !lines.contains(alarm) {
            lines.push(alarm.clone());
        }
        return;
    };
    for line in &mut *lines {
        if let KernelAlarm::Dimension { name: known, values, measured: range } = line
            && (&*known, &*range) == (name, measured)
        {
            *values = [values[0].min(*low), values[1].max(*high)];
            return;
        }
    }
    lines.push(alarm.clone());
}

/// A cell with a number of bytes.
fn memory_cell(bytes: f64) -> Cell {
    Cell::number(bytes, memory_text(bytes))
}

/// Adds the columns of a model of a kernel and of the conditions of its measurement.
fn add_measured<'a, R>(
    columns: &mut Columns<'a, R>,
    drop_priorities: [u8; 3],
    of: impl Fn(&'a R) -> &'a KernelOnHost,
) {
    columns.text("kernel", |row| of(row).model.kernel.to_string());
    columns.text("variant", |row| of(row).model.variant);
    columns.text("host", |row| {
        let KernelOnHost { conditions, equal_hosts, .. } = of(row);
        let hosts = [&conditions.host].into_iter().chain(equal_hosts).map(String::as_str);
        hosts.collect::<Vec<_>>().join(" ")
    });
    let [library, threads, operands] = drop_priorities;
    columns.text("library", |row| &of(row).conditions.library).drop_first(library);
    columns.number("threads", |row| of(row).conditions.threads).drop_first(threads);
    columns.text("operands", |row| of(row).conditions.operands.name()).drop_first(operands);
}

/// The table of the memory of calls by the models of kernels, one line for each term; `None` if no
/// memory was measured.
///
/// Keys: kernel, variant, host, library, threads, operands, term, bytes (its coefficient).
pub fn kernel_memory(model: &Model) -> Option<Table> {
    let rows: Vec<_> = model
        .kernels
        .iter()
        .flat_map(|kernel| kernel.model.memory.iter().map(move |term| (kernel, term)))
        .collect();
    let mut columns = Columns::of(&rows);
    add_measured(&mut columns, [1, 2, 3], |(kernel, _)| kernel);
    columns.text("term", |(_, one)| one.term.to_string());
    let bytes = |bytes: f64| Cell::number(bytes, format!("{} B", memory_text(bytes)));
    columns.number("bytes", |(_, one)| bytes(one.bytes)).titled("coefficient");
    let table = columns.table("memory", "Memory of kernels").with_note(
        "The peak memory of a call is the sum of its terms, at least that of its operands; kernels \
            without terms have the latter.",
    );
    table.if_filled()
}

/// The table of the memory of hosts; `None` if none is known.
///
/// Keys: host, memory \[B\].
pub fn host_memory(model: &Model) -> Option<Table> {
    let rows: Vec<_> = model.host_memory.iter().collect();
    let mut columns = Columns::of(&rows);
    columns.text("host", |(host, _)| *host);
    columns.number("memory", |(_, memory)| memory_cell(memory.get() as f64));
    columns.table("host_memory", "Memory of hosts").if_filled()
}

/// One line for each alarm of a forecast, with what settles it.
pub fn kernel_alarm_lines(alarms: &[KernelAlarm]) -> Vec<String> {
    alarms.iter().map(|alarm| shown(alarm).line()).collect()
}

/// An alarm with what settles it.
fn shown(alarm: &KernelAlarm) -> ShownAlarm {
    let settle = match alarm {
        KernelAlarm::Dimension { values: [low, high], measured: [smallest, largest], .. } => {
            let (low, high) = (low.min(smallest), high.max(largest));
            format!("orrery measure kernels --dimensions {low}..{high}")
        }
        KernelAlarm::Load { .. } => {
            "orrery measure kernels while the other programs run".to_owned()
        }
        KernelAlarm::Doubt { host, doubt } => settled_load(&[(host.clone(), *doubt)]),
    };
    ShownAlarm { name: alarm.name(), message: alarm.message(), settle }
}

/// The table of the models of kernels, one line for each term; `None` if there are none.
///
/// Keys: kernel, variant, host (the measured one, then those that equal it), library, threads,
/// operands, from (the smallest dimension of the piece), term, seconds (its coefficient), low,
/// high, spread (of readings, relative).
pub fn kernel_models(model: &Model) -> Option<Table> {
    let mut rows = Vec::new();
    for kernel in &model.kernels {
        for piece in &kernel.model.pieces {
            rows.extend(piece.terms.iter().map(|term| (kernel, piece, term)));
        }
    }
    let text = |value: f64| format!("{value:.3e} s");
    let mut columns = Columns::of(&rows);
    add_measured(&mut columns, [2, 3, 4], |(kernel, ..)| kernel);
    columns.number("from", |(_, piece, _)| piece.from);
    columns.text("term", |(.., one)| one.term.to_string());
    let coefficient = |value: f64| Cell::number(value, text(value));
    columns.number("coefficient", |(.., one)| coefficient(one.coefficient.value));
    columns.text("interval", |(.., one)| interval(&one.coefficient, text)).drop_first(1);
    columns.number("spread", |(_, piece, _)| percent_cell(piece.deviation));
    let table = columns.table("kernels", "Kernels").with_note(
        "The time of a call is the sum of its terms, in the piece that begins at or below its \
            smallest dimension.",
    );
    table.if_filled()
}

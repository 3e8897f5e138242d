//! Tables of compute kernels: predictions, and the models of their times.

use std::collections::BTreeMap;

use super::format::{interval, memory_text, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::kernel::KernelCall;
use orrery::model::{Availability, KernelForecast, KernelOnHost, Model};
use orrery::numeric::Interval;

/// The table of predicted times of calls of kernels, each with the model that predicts it, with
/// this availability of the hosts. `host` is shown; without it, that of the model.
///
/// Keys: kernel, variant, host, library, m, n, k, seconds, low, high, operations_per_second, memory
/// (of operands and work space \[B\]), alarms (with a line for each dimension below the table).
pub fn kernel_predictions(
    all: &[(KernelCall, &KernelOnHost)],
    host: Option<&str>,
    availability: &Availability,
) -> Table {
    let columns = [
        Column::text("kernel"),
        Column::text("variant"),
        Column::text("host"),
        Column::text("library").drop_priority(3),
        Column::number("m"),
        Column::number("n"),
        Column::number("k"),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("operations_per_second").with_title("rate"),
        Column::number("memory").drop_priority(4),
        Column::text("alarms").drop_priority(1),
    ];
    let mut table = Table::new("predictions", "", columns);
    let mut outside = BTreeMap::new();
    let mut loaded = BTreeMap::new();
    for (call, found) in all {
        let Some(time) = found.model.predict(call) else { continue };
        let shown = host.unwrap_or(&found.conditions.host);
        let part = availability.of(shown);
        let (least, greatest) = availability.interval(shown);
        let end = |pick: fn(&Interval) -> f64, part: f64| {
            time.interval.as_ref().map_or(Cell::Null, |interval| seconds(pick(interval) / part))
        };
        let mut cells = vec![
            Cell::text(call.kernel().to_string()),
            Cell::text(call.variant()),
            Cell::text(shown),
            Cell::text(&found.conditions.library),
        ];
        let exists = call.kernel().routine.dimensions();
        let dimensions = call.dimensions().into_iter().zip(exists);
        cells.extend(
            dimensions
                .map(|(value, exists)| if exists { Cell::integer(value) } else { Cell::Null }),
        );
        let ends = [end(|interval| interval.low, greatest), end(|interval| interval.high, least)];
        cells.extend([seconds(time.value / part)].into_iter().chain(ends));
        let rate = call.operations() * part / time.value;
        cells.push(Cell::number(rate, format!("{:.2} G/s", rate / 1e9)));
        let memory = found.model.memory(call).get() as f64;
        cells.push(Cell::number(memory, memory_text(memory)));
        let alarm = |(name, value, measured): (char, u64, [u64; 2])| {
            let (low, high) = outside.entry((name, measured)).or_insert((value, value));
            (*low, *high) = (value.min(*low), value.max(*high));
            record(DIMENSION, outside_alarm(name, (value, value), measured))
        };
        let mut alarms: Vec<Cell> = found.model.extrapolated(call).map(alarm).collect();
        if part < 1.0 {
            alarms.push(record(LOAD, load_alarm(shown, part)));
            loaded.insert(shown, part);
        }
        cells.push(Cell::List(alarms));
        table.push(cells);
    }
    let line = |name: &str, [message, settle]: [String; 2]| format!("{name}: {message}: {settle}");
    let of_dimensions = outside
        .into_iter()
        .map(|((name, measured), values)| line(DIMENSION, outside_alarm(name, values, measured)));
    let of_hosts = loaded.into_iter().map(|(host, part)| line(LOAD, load_alarm(host, part)));
    let mut lines: Vec<String> = of_dimensions.chain(of_hosts).collect();
    let measured = all.first().map(|(_, found)| &found.conditions.host);
    if let (Some(host), Some(measured)) =
        (host, measured.filter(|measured| Some(measured.as_str()) != host))
    {
        lines.push(format!("{host} is of the class of {measured}, which was measured"));
    }
    table.with_note(lines.join("\n")).hide_empty_columns()
}

/// The cell of an alarm with its message and what settles it.
fn record(name: &str, [message, settle]: [String; 2]) -> Cell {
    let fields = [("alarm", name.to_owned()), ("message", message), ("settle", settle)];
    let fields = fields.map(|(key, text)| (key, Cell::text(text))).to_vec();
    Cell::Record { fields, display: name.to_owned() }
}

/// The table of the memory of calls by the models of kernels, one line for each term; `None` if no
/// memory was measured.
///
/// Keys: kernel, variant, host, library, threads, operands, term, bytes (its coefficient).
pub fn kernel_memory(model: &Model) -> Option<Table> {
    let columns = [
        Column::text("kernel"),
        Column::text("variant"),
        Column::text("host"),
        Column::text("library").drop_priority(1),
        Column::number("threads").drop_priority(2),
        Column::text("operands").drop_priority(3),
        Column::text("term"),
        Column::number("bytes").with_title("coefficient"),
    ];
    let mut table = Table::new("memory", "Memory of kernels", columns).with_note(
        "The peak memory of a call is the sum of its terms, at least that of its operands; kernels \
            without terms have the latter.",
    );
    for KernelOnHost { conditions, equal_hosts, model } in &model.kernels {
        let hosts: Vec<&str> =
            [&conditions.host].into_iter().chain(equal_hosts).map(String::as_str).collect();
        for one in &model.memory {
            table.push([
                Cell::text(model.kernel.to_string()),
                Cell::text(model.variant),
                Cell::text(hosts.join(" ")),
                Cell::text(&conditions.library),
                Cell::integer(conditions.threads.into()),
                Cell::text(conditions.operands.name()),
                Cell::text(one.term.to_string()),
                Cell::number(one.bytes, format!("{} B", memory_text(one.bytes))),
            ]);
        }
    }
    (!table.rows().is_empty()).then_some(table)
}

/// The table of the memory of hosts; `None` if none is known.
///
/// Keys: host, memory \\[B\\].
pub fn host_memory(model: &Model) -> Option<Table> {
    let mut table = Table::new(
        "host_memory",
        "Memory of hosts",
        [Column::text("host"), Column::number("memory")],
    );
    for (host, memory) in &model.host_memory {
        let bytes = memory.get() as f64;
        table.push([Cell::text(host), Cell::number(bytes, memory_text(bytes))]);
    }
    (!table.rows().is_empty()).then_some(table)
}

/// The keyword of the alarm for dimensions that were not measured.
const DIMENSION: &str = "dimension";

/// The keyword of the alarm for hosts on which other programs run.
const LOAD: &str = "load";

/// One line for each alarm of a forecast for a host with a part of a processor, with what settles
/// it: dimensions that were not measured, and the load of the host.
pub fn kernel_alarm_lines(forecast: &KernelForecast, host: &str, part: f64) -> Vec<String> {
    let line = |name: &str, [message, settle]: [String; 2]| format!("{name}: {message}: {settle}");
    let of_dimensions = forecast.extrapolated.iter();
    let of_dimensions = of_dimensions.map(|(name, value, measured)| {
        line(DIMENSION, outside_alarm(*name, (*value, *value), *measured))
    });
    of_dimensions.chain((part < 1.0).then(|| line(LOAD, load_alarm(host, part)))).collect()
}

/// The message of the alarm for a host with a part of a processor, and the command that settles it.
fn load_alarm(host: &str, part: f64) -> [String; 2] {
    let name = if host.is_empty() { "the host" } else { host };
    let part = (part * 1000.0).round() / 1000.0;
    let message = format!("{name} has {part} of a processor: kernels take 1/{part} of their time");
    [message, "orrery measure kernels while the other programs run".to_owned()]
}

/// The message of the alarm for dimensions from `low` to `high` outside measured ones, and the
/// command that settles it.
fn outside_alarm(
    name: char,
    (low, high): (u64, u64),
    [smallest, largest]: [u64; 2],
) -> [String; 2] {
    let values = if low == high { low.to_string() } else { format!("{low} to {high}") };
    let message = format!("{name} = {values} is outside the measured {smallest} to {largest}");
    [
        message,
        format!("orrery measure kernels --dimensions {}..{}", low.min(smallest), high.max(largest)),
    ]
}

/// The table of the models of kernels, one line for each term; `None` if there are none.
///
/// Keys: kernel, variant, host (the measured one, then those that equal it), library, threads,
/// operands, from (the smallest dimension of the piece), term, seconds (its coefficient), low,
/// high, spread (of readings, relative).
pub fn kernel_models(model: &Model) -> Option<Table> {
    let columns = [
        Column::text("kernel"),
        Column::text("variant"),
        Column::text("host"),
        Column::text("library").drop_priority(2),
        Column::number("threads").drop_priority(3),
        Column::text("operands").drop_priority(4),
        Column::number("from"),
        Column::text("term"),
        Column::number("coefficient"),
        Column::text("interval").drop_priority(1),
        Column::number("spread"),
    ];
    let mut table = Table::new("kernels", "Kernels", columns).with_note(
        "The time of a call is the sum of its terms, in the piece that begins at or below its \
            smallest dimension.",
    );
    for KernelOnHost { conditions, equal_hosts, model } in &model.kernels {
        let hosts: Vec<&str> =
            [&conditions.host].into_iter().chain(equal_hosts).map(String::as_str).collect();
        let hosts = hosts.join(" ");
        for (piece, one) in
            model.pieces.iter().flat_map(|piece| piece.terms.iter().map(move |one| (piece, one)))
        {
            let text = |value: f64| format!("{value:.3e} s");
            table.push([
                Cell::text(model.kernel.to_string()),
                Cell::text(model.variant),
                Cell::text(&hosts),
                Cell::text(&conditions.library),
                Cell::integer(conditions.threads.into()),
                Cell::text(conditions.operands.name()),
                Cell::integer(piece.from),
                Cell::text(one.term.to_string()),
                Cell::number(one.coefficient.value, text(one.coefficient.value)),
                interval(&one.coefficient, text),
                percent_cell(piece.deviation),
            ]);
        }
    }
    (!table.rows().is_empty()).then_some(table)
}

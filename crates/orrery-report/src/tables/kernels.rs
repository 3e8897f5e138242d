//! Tables of compute kernels: predictions, and the models of their times.

use std::collections::BTreeMap;

use super::alarms::ShownAlarm;
use super::columns::Columns;
use super::format::{interval, memory_text, operations_cell, percent_cell, seconds};
use super::table::{Cell, Table};
use orrery::kernel::KernelCall;
use orrery::model::{Availability, KernelForecast, KernelOnHost, Model};

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
    let rows: Vec<_> = all
        .iter()
        .filter_map(|(call, found)| {
            let shown = host.unwrap_or(&found.conditions.host);
            Some((call, *found, found.model.predict(call)?, shown))
        })
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("kernel", |(call, ..)| call.kernel().to_string());
    columns.text("variant", |(call, ..)| call.variant());
    columns.text("host", |(.., shown)| *shown);
    columns.text("library", |(_, found, ..)| &found.conditions.library).drop_first(3);
    columns
        .dimensions([0; 3], |(call, ..)| (call.dimensions(), call.kernel().routine.dimensions()));
    let part = |host: &str| availability.of(host);
    columns
        .number("seconds", |(_, _, time, shown)| seconds(time.value / part(shown)))
        .titled("time");
    columns.ends(["low", "high"], 2, |(_, _, time, shown)| {
        let (least, greatest) = availability.interval(shown);
        time.interval.map(|ends| (seconds(ends.low / greatest), seconds(ends.high / least)))
    });
    let rate = "operations_per_second";
    columns
        .number(rate, |(call, _, time, shown)| {
            operations_cell(call.operations() * part(shown) / time.value)
        })
        .titled("rate");
    columns
        .number("memory", |(call, found, ..)| memory_cell(found.model.memory(call).get() as f64))
        .drop_first(4);
    let mut outside = BTreeMap::new();
    let mut loaded = BTreeMap::new();
    let alarms = |(call, found, _, shown): &(&KernelCall, &KernelOnHost, _, &str)| {
        let alarm = |(name, value, measured): (char, u64, [u64; 2])| {
            let (low, high) = outside.entry((name, measured)).or_insert((value, value));
            (*low, *high) = (value.min(*low), value.max(*high));
            outside_alarm(name, (value, value), measured).cell()
        };
        let mut alarms: Vec<Cell> = found.model.extrapolated(call).map(alarm).collect();
        let part = availability.of(shown);
        if part < 1.0 {
            alarms.push(load_alarm(shown, part).cell());
            loaded.insert((*shown).to_owned(), part);
        }
        Cell::List(alarms)
    };
    columns.text("alarms", alarms).drop_first(1);
    let of_dimensions = outside
        .into_iter()
        .map(|((name, measured), values)| outside_alarm(name, values, measured).line());
    let of_hosts = loaded.into_iter().map(|(host, part)| load_alarm(&host, part).line());
    let mut lines: Vec<String> = of_dimensions.chain(of_hosts).collect();
    let measured = all.first().map(|(_, found)| &found.conditions.host);
    if let (Some(host), Some(measured)) =
        (host, measured.filter(|measured| Some(measured.as_str()) != host))
    {
        lines.push(format!("{host} is of the class of {measured}, which was measured"));
    }
    columns.table("predictions", "").with_note(lines.join("\n")).hide_empty_columns()
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

/// One line for each alarm of a forecast for a host with a part of a processor, with what settles
/// it: dimensions that were not measured, and the load of the host.
pub fn kernel_alarm_lines(forecast: &KernelForecast, host: &str, part: f64) -> Vec<String> {
    let of_dimensions = forecast.extrapolated.iter();
    let of_dimensions = of_dimensions
        .map(|(name, value, measured)| outside_alarm(*name, (*value, *value), *measured).line());
    of_dimensions.chain((part < 1.0).then(|| load_alarm(host, part).line())).collect()
}

/// The alarm for a host with a part of a processor.
fn load_alarm(host: &str, part: f64) -> ShownAlarm {
    let name = if host.is_empty() { "the host" } else { host };
    let part = (part * 1000.0).round() / 1000.0;
    let message = format!("{name} has {part} of a processor: kernels take 1/{part} of their time");
    let settle = "orrery measure kernels while the other programs run".to_owned();
    ShownAlarm { name: "load", message, settle }
}

/// The alarm for dimensions from `low` to `high` outside measured ones.
fn outside_alarm(name: char, (low, high): (u64, u64), [smallest, largest]: [u64; 2]) -> ShownAlarm {
    let values = if low == high { low.to_string() } else { format!("{low} to {high}") };
    let message = format!("{name} = {values} is outside the measured {smallest} to {largest}");
    let (low, high) = (low.min(smallest), high.max(largest));
    let settle = format!("orrery measure kernels --dimensions {low}..{high}");
    ShownAlarm { name: "dimension", message, settle }
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

//! Tables of the fastest algorithm and root of collective operations by size, and of the order of
//! their processors.

use orrery::collective::{Candidate, Comparison, Order, SizeRange};
use orrery::request::{CollectiveOrder, CollectiveRanges};
use orrery::schedule::Algorithm;
use orrery::units::Seconds;

use super::alarms::{alarm_cell, note_with_alarms};
use super::columns::Columns;
use super::format::{percent, percent_cell};
use super::table::Table;

/// The name of an algorithm: `binomial`, or `ompi/binomial` of a library.
fn name(of: &CollectiveRanges, algorithm: Algorithm) -> String {
    of.library.map_or_else(|| algorithm.to_string(), |library| format!("{library}/{algorithm}"))
}

/// The table of the fastest algorithm and root for each range of sizes.
///
/// Keys: operation, procs, model, from, to, algorithm, root, distinct (from the next candidate;
/// null if margins have no interval), then at the smallest and at the largest size (`first_`,
/// `last_`): seconds, next_algorithm, next_root, margin, margin_low, margin_high, dominant and
/// dominant_share (the parameters with the largest part of the time, and that part), saved and
/// saved_share (the parameters in which the next candidate takes more time, and that time relative
/// to the time), avoided (the fastest algorithm, if its losses are unknown); and alarms.
pub fn collective_choices(all: &[CollectiveRanges]) -> Table {
    let rows: Vec<_> =
        all.iter().flat_map(|of| of.ranges.iter().map(move |range| (of, range))).collect();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(of, _)| of.operation.name());
    columns.number("procs", |(of, _)| of.procs);
    add_range(&mut columns, |(of, range)| (of, range));
    columns.text("distinct", |(_, range)| range.distinct);
    add_end(&mut columns, "first", |(of, range)| (of, &range.first));
    add_end(&mut columns, "last", |(of, range)| (of, &range.last));
    columns.text("alarms", |(_, range)| alarm_cell(&range.alarms));
    columns.table("choices", "").with_display(display(all))
}

/// Adds the columns of a range of sizes, and of the algorithm and root that are fastest there.
fn add_range<'a, R>(
    columns: &mut Columns<'a, R>,
    row: impl Fn(&'a R) -> (&'a CollectiveRanges, &'a SizeRange),
) {
    columns.text("model", |of| row(of).0.model.name());
    columns.number("from", |of| row(of).1.sizes.0);
    columns.number("to", |of| row(of).1.sizes.1);
    columns.text("algorithm", |of| name(row(of).0, row(of).1.best.algorithm));
    columns.number("root", |of| {
        let (of, range) = row(of);
        of.operation.has_root().then_some(range.best.root.0)
    });
}

/// Adds the columns of the comparison at one end of a range.
fn add_end<'a, R>(
    columns: &mut Columns<'a, R>,
    key: &str,
    row: impl Fn(&'a R) -> (&'a CollectiveRanges, &'a Comparison),
) {
    let end = |of| row(of).1;
    let share = |part: Option<(&str, f64)>| part.map(|(_, share)| percent_cell(share));
    columns.number(format!("{key}_seconds"), |of| end(of).seconds);
    columns.text(format!("{key}_next_algorithm"), |of| {
        end(of).next.map(|next| name(row(of).0, next.algorithm))
    });
    columns.number(format!("{key}_next_root"), |of| {
        end(of).next.filter(|_| row(of).0.operation.has_root()).map(|next| next.root.0)
    });
    columns.number(format!("{key}_margin"), |of| end(of).next.map(|_| end(of).margin));
    let keys = [format!("{key}_margin_low"), format!("{key}_margin_high")];
    columns.ends([&keys[0], &keys[1]], 0, |of| end(of).interval);
    columns.text(format!("{key}_dominant"), |of| end(of).reason.dominant.map(|(name, _)| name));
    columns.number(format!("{key}_dominant_share"), |of| share(end(of).reason.dominant));
    columns.text(format!("{key}_saved"), |of| end(of).reason.saved.map(|(name, _)| name));
    columns.number(format!("{key}_saved_share"), |of| share(end(of).reason.saved));
    columns.text(format!("{key}_avoided"), |of| {
        end(of).reason.avoided.map(|one| name(row(of).0, one.algorithm))
    });
}

/// The reason of a choice in words: `71 % link_byte_delay; saves 20 % fixed_delay`, the parameter
/// with the largest share of the time, and the one in which the next candidate loses the most.
/// `None` if neither is known.
fn reason(end: &Comparison) -> Option<String> {
    let words = |(name, share): (&str, f64)| format!("{} {name}", percent(share));
    let dominant = end.reason.dominant.map(words);
    let saved = end.reason.saved.map(|saved| format!("saves {}", words(saved)));
    let avoided = end.reason.avoided;
    let avoided = avoided.map(|one| format!("avoids unknown losses of {}", one.algorithm));
    let all: Vec<String> = dominant.into_iter().chain(saved).chain(avoided).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Returns true if the second choice is that of the next number of processors, with the same ranges
/// and candidates.
fn continues(one: &CollectiveRanges, next: &CollectiveRanges) -> bool {
    let choices = |of: &CollectiveRanges| -> Vec<_> {
        of.ranges.iter().map(|range| (range.sizes, range.best, range.distinct)).collect()
    };
    let is_next =
        (one.operation, one.model, one.procs + 1) == (next.operation, next.model, next.procs);
    is_next && choices(one) == choices(next)
}

/// The table for people: one line for each range, with the margins at both ends in percent of the
/// time.
fn display(all: &[CollectiveRanges]) -> Table {
    let has_one_operation = all.windows(2).all(|two| two[0].operation == two[1].operation);
    let mut rows = Vec::new();
    for alike in all.chunk_by(continues) {
        let (of, last) = (&alike[0], &alike[alike.len() - 1]);
        rows.extend(of.ranges.iter().map(|range| (of, last.procs, range)));
    }
    let next = |of: &CollectiveRanges, end: &Comparison| {
        let Candidate { algorithm, root, .. } = end.next?;
        let root = if of.operation.has_root() { format!(", root {root}") } else { String::new() };
        Some(format!("{}{root}", name(of, algorithm)))
    };
    let mut columns = Columns::of(&rows);
    let priority = if has_one_operation { 4 } else { 0 };
    columns.text("operation", |(of, ..)| of.operation.name()).drop_first(priority);
    columns.number("procs", |(of, last, _)| {
        if of.procs < *last { format!("{}..{last}", of.procs) } else { of.procs.to_string() }
    });
    add_range(&mut columns, |(of, _, range)| (of, range));
    columns.text("next", |(of, _, range)| next(of, &range.first)).titled("next at from");
    columns.text("margin", |(.., range)| margin(&range.first)).titled("margin at from");
    columns
        .text("next_at_to", |(of, _, range)| next(of, &range.last))
        .titled("next at to")
        .drop_first(2);
    columns
        .text("margin_at_to", |(.., range)| margin(&range.last))
        .titled("margin at to")
        .drop_first(1);
    columns
        .text("reason", |(.., range)| reason(&range.first))
        .titled("reason at from")
        .drop_first(2);
    columns.text("remark", |(.., range)| match range.distinct {
        Some(false) => Some("no significant difference"),
        Some(true) => None,
        None => Some("no intervals"),
    });
    columns.text("alarms", |(.., range)| alarm_cell(&range.alarms)).drop_first(3);
    let note = "A margin is the additional time of the next candidate, with its interval, which \
        contains the errors of the model beyond noise. No significant difference: the interval \
        contains 0 at some size of the range; candidates that do not differ significantly share a \
        range. The reason names the parameters with the largest part of the time, and those in \
        which the next candidate loses most.";
    let has_groups = all.windows(2).any(|two| continues(&two[0], &two[1]));
    let note_of_groups = " Consecutive numbers of processors with the same choices share lines, \
        which show the margins of the first.";
    let note = format!("{note}{}", if has_groups { note_of_groups } else { "" });
    let alarms = all.iter().flat_map(|of| &of.ranges).flat_map(|range| &range.alarms);
    columns
        .table("choices", "Algorithm and root by size")
        .with_note(note_with_alarms(&note, alarms))
}

/// The margin to the next candidate in percent of the fastest time, with its interval: `12 % (8 …
/// 16 %)`. `None` if there is no other candidate, or the time is 0.
fn margin(end: &Comparison) -> Option<String> {
    if end.next.is_none() || end.seconds <= Seconds::ZERO {
        return None;
    }
    let part = |margin: Seconds| margin.get() / end.seconds.get();
    let text = |margin: Seconds| match percent(part(margin)) {
        zero if zero == "-0.0 %" => "0.0 %".to_owned(),
        text => text.replace('-', "−"),
    };
    let interval = end.interval.map(|(low, high)| format!(" ({} … {})", text(low), text(high)));
    Some(format!("{}{}", text(end.margin), interval.unwrap_or_default()))
}

/// The table of orders.
///
/// Keys: operation, algorithm, model, root, procs, size, in_rank_order and ordered (predicted
/// seconds), saved (the part of the time that the order saves), order (the processor of each rank),
/// hosts (their names; empty if they are unknown), alarms.
pub fn orders(rows: &[CollectiveOrder], hosts: &[String]) -> Table {
    let names = |found: &Order| {
        let processors = found.placement.processors().iter();
        let names: Vec<&str> =
            processors.map(|one| hosts.get(one.index()).map_or("", String::as_str)).collect();
        names.iter().all(|name| !name.is_empty()).then(|| names.join(" "))
    };
    let numbers = |found: &Order| {
        let processors = found.placement.processors().iter().map(ToString::to_string);
        processors.collect::<Vec<_>>().join(" ")
    };
    let saved = |found: &Order| {
        let (before, after) = (found.in_rank_order.get(), found.seconds.get());
        percent_cell(if before > 0.0 { 1.0 - after / before } else { 0.0 })
    };
    let mut columns = Columns::of(rows);
    columns.text("operation", |row| row.collective.kind.name()).drop_first(2);
    columns.text("algorithm", |row| row.collective.algorithm.to_string()).drop_first(1);
    columns.text("model", |row| row.model.name());
    let root =
        |row: &CollectiveOrder| row.collective.kind.has_root().then_some(row.collective.root.0);
    columns.number("root", root).drop_first(3);
    columns.number("procs", |row| row.collective.ranks).drop_first(4);
    columns.number("size", |row| row.collective.block);
    columns.number("in_rank_order", |row| row.found.in_rank_order);
    columns.number("ordered", |row| row.found.seconds);
    columns.number("saved", |row| saved(&row.found));
    columns.text("order", |row| numbers(&row.found)).titled("processor of each rank");
    columns.text("hosts", |row| names(&row.found)).drop_first(5);
    columns.text("alarms", |row| alarm_cell(&row.found.alarms));
    let title = "Order of the processors by which a collective operation is fastest";
    let note = "Ranks 0, 1, 2 … of the communicator run on these processors (MPI_Comm_split with \
        the rank as key). The search exchanges pairs of processors as long as the predicted time \
        decreases; another order may be faster still. It prefers orders that errors of the \
        parameters favour, so that savings are smaller than predicted on average.";
    let alarms = rows.iter().flat_map(|row| &row.found.alarms);
    let table = columns.table("order", title);
    table.with_note(note_with_alarms(note, alarms)).hide_empty_columns()
}

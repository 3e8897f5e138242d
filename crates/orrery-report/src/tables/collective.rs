//! Tables of the fastest algorithm and root of collective operations by size.

use super::alarms::{alarm_cell, note_with_alarms};
use super::format::{percent, seconds};
use super::table::{Cell, Column, Table};
use orrery::collective::{Candidate, Comparison, SizeRange};
use orrery::request::CollectiveRanges;
use orrery::schedule::Algorithm;
use orrery::units::Seconds;

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
/// to the time); and alarms.
pub fn collective_choices(all: &[CollectiveRanges]) -> Table {
    let before = [
        Column::text("operation"),
        Column::number("procs"),
        Column::text("model"),
        Column::number("from"),
        Column::number("to"),
        Column::text("algorithm"),
        Column::number("root"),
        Column::text("distinct"),
    ];
    let at_end = |end: &'static str| {
        let number = move |key: &str| Column::number(format!("{end}_{key}"));
        [
            number("seconds"),
            Column::text(format!("{end}_next_algorithm")),
            number("next_root"),
            number("margin"),
            number("margin_low"),
            number("margin_high"),
            Column::text(format!("{end}_dominant")),
            number("dominant_share"),
            Column::text(format!("{end}_saved")),
            number("saved_share"),
        ]
    };
    let columns = before
        .into_iter()
        .chain(at_end("first"))
        .chain(at_end("last"))
        .chain([Column::text("alarms")]);
    let mut table = Table::new("choices", "", columns);
    for of in all {
        for range in &of.ranges {
            let cells =
                keys(of, range).into_iter().chain([range.distinct.map_or(Cell::Null, Cell::Flag)]);
            let ends = [&range.first, &range.last].into_iter().flat_map(|end| end_cells(of, end));
            table.push(cells.chain(ends).chain([alarm_cell(&range.alarms)]));
        }
    }
    table.with_display(display(all))
}

/// The cells of the operation, the range of sizes, and the algorithm and root that are fastest
/// there.
fn keys(of: &CollectiveRanges, range: &SizeRange) -> Vec<Cell> {
    vec![
        Cell::text(of.operation.name()),
        Cell::integer(of.procs as u64),
        Cell::text(of.model.name()),
        Cell::size(range.sizes.0),
        Cell::size(range.sizes.1),
        Cell::text(name(of, range.best.algorithm)),
        if of.operation.has_root() { Cell::integer(range.best.root.0.into()) } else { Cell::Null },
    ]
}

/// The cells of the comparison at one end of a range.
fn end_cells(of: &CollectiveRanges, end: &Comparison) -> [Cell; 10] {
    let bound = |bound: Option<Seconds>| bound.map_or(Cell::Null, |bound| seconds(bound.get()));
    [
        seconds(end.seconds.get()),
        end.next.map_or(Cell::Null, |next| Cell::text(name(of, next.algorithm))),
        end.next
            .filter(|_| of.operation.has_root())
            .map_or(Cell::Null, |next| Cell::integer(next.root.0.into())),
        end.next.map_or(Cell::Null, |_| seconds(end.margin.get())),
        bound(end.interval.map(|(low, _)| low)),
        bound(end.interval.map(|(_, high)| high)),
        Cell::optional_text(end.reason.dominant.map(|(name, _)| name)),
        end.reason.dominant.map_or(Cell::Null, |(_, share)| Cell::number(share, percent(share))),
        Cell::optional_text(end.reason.saved.map(|(name, _)| name)),
        end.reason.saved.map_or(Cell::Null, |(_, share)| Cell::number(share, percent(share))),
    ]
}

/// The reason of a choice in words: `71 % link_byte_delay; saves 20 % fixed_delay`.
fn reason(end: &Comparison) -> Cell {
    let words = |(name, share): (&str, f64)| format!("{} {name}", percent(share));
    let dominant = end.reason.dominant.map(words);
    let saved = end.reason.saved.map(|saved| format!("saves {}", words(saved)));
    let all: Vec<String> = dominant.into_iter().chain(saved).collect();
    Cell::optional_text((!all.is_empty()).then(|| all.join("; ")))
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
    let columns = [
        Column::text("operation").drop_priority(if has_one_operation { 4 } else { 0 }),
        Column::number("procs"),
        Column::text("model"),
        Column::number("from"),
        Column::number("to"),
        Column::text("algorithm"),
        Column::number("root"),
        Column::text("next").with_title("next at from"),
        Column::text("margin").with_title("margin at from"),
        Column::text("next_at_to").with_title("next at to").drop_priority(2),
        Column::text("margin_at_to").with_title("margin at to").drop_priority(1),
        Column::text("reason").with_title("reason at from").drop_priority(2),
        Column::text("remark"),
        Column::text("alarms").drop_priority(3),
    ];
    let mut table = Table::new("choices", "Algorithm and root by size", columns);
    for alike in all.chunk_by(continues) {
        let (of, last) = (&alike[0], &alike[alike.len() - 1]);
        for range in &of.ranges {
            let remark = match range.distinct {
                Some(false) => Cell::text("no significant difference"),
                Some(true) => Cell::Null,
                None => Cell::text("no intervals"),
            };
            let mut cells = keys(of, range);
            if of.procs < last.procs {
                cells[1] = Cell::text(format!("{}..{}", of.procs, last.procs));
            }
            for end in [&range.first, &range.last] {
                let root = |next: Candidate| {
                    if of.operation.has_root() {
                        format!(", root {}", next.root)
                    } else {
                        String::new()
                    }
                };
                let next =
                    end.next.map(|next| format!("{}{}", name(of, next.algorithm), root(next)));
                cells.extend([Cell::optional_text(next), margin(end)]);
            }
            cells.extend([reason(&range.first), remark, alarm_cell(&range.alarms)]);
            table.push(cells);
        }
    }
    let note = "A margin is the additional time of the next candidate, with its interval, which \
        contains the errors of the model beyond \
                noise. No significant difference: the interval contains 0 at some size of the \
                range; candidates that cannot be told \
                apart share a range. The reason names the parameters with the largest part of the \
                time, and those in which the next \
                candidate loses most.";
    let has_groups = all.windows(2).any(|two| continues(&two[0], &two[1]));
    let note_of_groups = " Consecutive numbers of processors with the same choices share lines, \
        which show the margins of the first.";
    let note = format!("{note}{}", if has_groups { note_of_groups } else { "" });
    let alarms = all.iter().flat_map(|of| &of.ranges).flat_map(|range| &range.alarms);
    table.with_note(note_with_alarms(&note, alarms)).hide_empty_columns()
}

/// A margin in percent of the fastest time, with its interval: `12 % (8 … 16 %)`.
fn margin(end: &Comparison) -> Cell {
    if end.next.is_none() || end.seconds <= Seconds::ZERO {
        return Cell::Null;
    }
    let part = |margin: Seconds| margin.get() / end.seconds.get();
    let text = |margin: Seconds| match percent(part(margin)) {
        zero if zero == "-0.0 %" => "0.0 %".to_owned(),
        text => text.replace('-', "−"),
    };
    let interval = end.interval.map(|(low, high)| format!(" ({} … {})", text(low), text(high)));
    Cell::text(format!("{}{}", text(end.margin), interval.unwrap_or_default()))
}

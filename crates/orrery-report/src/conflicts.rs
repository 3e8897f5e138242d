//! What communications of a replay lost to each other, as tables.

use super::format::{maybe_seconds, seconds};
use super::replay::{kinds, penalty};
use super::table::{Cell, Column, Table};
use orrery::schedule::Rank;
use orrery::sharing::scheme::Scheme;
use orrery::simulate::{Communication, Outcome};

/// So many of the worst are shown to people.
const SHOWN: usize = 20;
/// So many culprits are named to people.
const NAMED: usize = 3;

/// The communications that lost something, the greatest loss first. Keys: task (the sender), to, place (of the send in the
/// trace, as `place` gives it), size, start, seconds (from send and receive having met), penalty (the mean), lost,
/// culprits (`3→0 0.0012`: its sender, its receiver and the seconds lost to it; the greatest first), conflicts,
/// largest (the largest penalty).
pub fn conflicts(outcome: &Outcome, place: impl Fn(Rank, u32) -> Option<String>) -> Table {
    let columns = [
        Column::numbers("task"),
        Column::numbers("to"),
        Column::words("place").dispensable(2),
        Column::numbers("size").dispensable(3),
        Column::numbers("start").dispensable(4),
        Column::numbers("seconds").titled("took"),
        Column::numbers("penalty"),
        Column::numbers("lost"),
        Column::words("culprits").dispensable(1),
        Column::words("conflicts").dispensable(6),
        Column::numbers("largest").dispensable(5),
    ];
    let mut table = Table::new("conflicts", "Worst conflicts", columns.clone());
    let mut short = Table::new("conflicts", "Worst conflicts", columns);
    let worst = outcome.worst_communications();
    for (row, &k) in worst.iter().enumerate() {
        let one = &outcome.communications[k];
        let cells = |culprits: String| {
            [
                Cell::integer(one.from.index() as u64),
                Cell::integer(one.to.index() as u64),
                Cell::maybe_text(place(one.from, one.statement)),
                Cell::size(one.size),
                seconds(one.start.get()),
                seconds((one.end - one.start).get()),
                penalty(one.mean_penalty()),
                seconds(one.lost.get()),
                Cell::text(culprits),
                Cell::text(kinds(one)),
                penalty(one.largest_penalty()),
            ]
        };
        let mut losses = one.losses.clone();
        losses.sort_by(|a, b| b.lost.get().total_cmp(&a.lost.get()));
        let name = |to: usize| format!("{}→{}", outcome.communications[to].from, outcome.communications[to].to);
        let told = losses.iter().map(|loss| format!("{} {}", name(loss.to), loss.lost.get()));
        table.push(cells(told.collect::<Vec<_>>().join("; ")));
        if row < SHOWN {
            let mut told: Vec<_> =
                losses.iter().take(NAMED).map(|loss| format!("{} {}", name(loss.to), loss.lost)).collect();
            if losses.len() > NAMED {
                told.push(format!("{} more", losses.len() - NAMED));
            }
            short.push(cells(told.join("; ")));
        }
    }
    let note = match worst.len() {
        0 => "No communication was disturbed.".to_owned(),
        n if n > SHOWN => {
            format!("{SHOWN} of {n} communications that were disturbed; the others stand in JSON and CSV")
        }
        _ => String::new(),
    };
    table.shown_as(short.with_note(note))
}

/// What tasks lost to each other as senders, the greatest loss first. Keys: victim, culprit, communications (how many of
/// the victim lost something), lost.
pub fn pair_losses(outcome: &Outcome) -> Table {
    let columns = ["victim", "culprit", "communications", "lost"].map(Column::numbers);
    let mut table = Table::new("pairs", "Lost to each other", columns.clone());
    let mut short = Table::new("pairs", "Lost to each other", columns);
    for (row, pair) in outcome.pair_losses().into_iter().enumerate() {
        let cells = [
            Cell::integer(pair.victim.index() as u64),
            Cell::integer(pair.culprit.index() as u64),
            Cell::integer(pair.communications),
            seconds(pair.lost.get()),
        ];
        table.push(cells.clone());
        if row < SHOWN {
            short.push(cells);
        }
    }
    let rows = table.rows().len();
    if rows > SHOWN { table.shown_as(short.with_note(format!("{SHOWN} of {rows} pairs"))) } else { table }
}

/// The transfers of a scheme that was played in time. Keys: name, source, destination, size, start, seconds, penalty
/// (seconds over the seconds of a lone one), largest (the largest penalty on the way), conflicts; those of a transfer
/// within a node are null.
pub fn replayed(scheme: &Scheme, told: &[Option<Communication>], bandwidth: f64) -> Table {
    let columns = [
        Column::words("name"),
        Column::numbers("source"),
        Column::numbers("destination"),
        Column::numbers("size").dispensable(2),
        Column::numbers("start").dispensable(3),
        Column::numbers("seconds").titled("time"),
        Column::numbers("penalty"),
        Column::numbers("largest").dispensable(4),
        Column::words("conflicts").dispensable(1),
    ];
    let mut table = Table::new("replayed", "", columns);
    for (arc, told) in scheme.arcs.iter().zip(told) {
        let took = told.as_ref().map(|one| (one.end - one.start).get());
        let alone = arc.size.get() as f64 / bandwidth;
        table.push([
            Cell::text(arc.name.clone()),
            Cell::integer(u64::from(arc.transfer.source.0)),
            Cell::integer(u64::from(arc.transfer.destination.0)),
            Cell::size(arc.size),
            seconds(arc.delay.get()),
            maybe_seconds(took),
            took.map_or(Cell::Null, |took| penalty(took / alone)),
            told.as_ref().map_or(Cell::Null, |one| penalty(one.largest_penalty())),
            Cell::maybe_text(told.as_ref().map(kinds)),
        ]);
    }
    table
}

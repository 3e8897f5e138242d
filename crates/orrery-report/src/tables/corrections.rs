//! The table of corrections: factors of measured algorithms, 1 where their plain schedule is not
//! shown to be off.

use super::format::{interval, percent_cell};
use super::table::{Cell, Column, Table};
use orrery::model::{CollectiveAlgorithm, Correction, CorrectionPiece, Model, ModelKind};

/// The table of the corrections of all kinds of models, one line for each piece; `None` if there
/// are none.
///
/// Keys: model, algorithm, from and to (the measured sizes), procs_from and procs_to, roots (their
/// number), factor, factor_low, factor_high, spread (of measured about corrected times, relative),
/// rows.
pub(crate) fn corrections(model: &Model) -> Option<Table> {
    let all = || {
        let of_kind = model.corrections.iter();
        let of_algorithm =
            of_kind.flat_map(|(kind, of)| of.iter().map(move |(name, one)| (*kind, *name, one)));
        of_algorithm.flat_map(|(kind, name, one)| {
            one.pieces.iter().map(move |piece| (kind, name, one, piece))
        })
    };
    let columns = [
        "from",
        "to",
        "procs_from",
        "procs_to",
        "roots",
        "factor",
        "factor_low",
        "factor_high",
        "spread",
        "rows",
    ];
    let columns =
        ["model", "algorithm"].map(Column::text).into_iter().chain(columns.map(Column::number));
    let title = "Corrections of algorithms";
    let mut table = Table::new("corrections", title, columns);
    let for_people = [
        Column::text("model"),
        Column::text("algorithm"),
        Column::number("from"),
        Column::number("to"),
        Column::number("procs").drop_priority(2),
        Column::number("roots").drop_priority(3),
        Column::number("factor"),
        Column::text("interval"),
        Column::number("spread"),
        Column::number("rows").drop_priority(1),
    ];
    let note = "Predicted times of these algorithms are the times of their schedules × the factor, \
        with an interval that contains its \
                error and the spread of measured times about it. The factor is 1 where the \
                measured times do not show that the schedule \
                is off.";
    let mut display = Table::new("corrections", title, for_people).with_note(note);
    for one in all() {
        table.push(cells(one));
        display.push(display_cells(one));
    }
    (!table.rows().is_empty()).then(|| table.with_display(display))
}

/// A piece of a correction with its kind of model and its algorithm.
type Piece<'a> = (ModelKind, CollectiveAlgorithm, &'a Correction, &'a CorrectionPiece);

/// The cell of a factor.
fn factor_cell(value: f64) -> Cell {
    Cell::number(value, format!("{value:.3}"))
}

/// The cells for programs.
fn cells((kind, algorithm, one, piece): Piece) -> Vec<Cell> {
    let end = |pick: fn(&orrery::numeric::Interval) -> f64| {
        piece.factor.interval.as_ref().map_or(Cell::Null, |interval| factor_cell(pick(interval)))
    };
    vec![
        Cell::text(kind.name()),
        Cell::text(algorithm.to_string()),
        Cell::size(piece.sizes.0),
        Cell::size(piece.sizes.1),
        Cell::integer(one.procs.0 as u64),
        Cell::integer(one.procs.1 as u64),
        Cell::integer(one.roots.len() as u64),
        factor_cell(piece.factor.value),
        end(|interval| interval.low),
        end(|interval| interval.high),
        percent_cell(one.spread),
        piece.factor.samples.map_or(Cell::Null, Cell::integer),
    ]
}

/// The cells for people.
fn display_cells((kind, algorithm, one, piece): Piece) -> Vec<Cell> {
    let (fewest, most) = one.procs;
    let procs = if fewest == most { fewest.to_string() } else { format!("{fewest}..{most}") };
    vec![
        Cell::text(kind.name()),
        Cell::text(algorithm.to_string()),
        Cell::size(piece.sizes.0),
        Cell::size(piece.sizes.1),
        Cell::text(procs),
        Cell::integer(one.roots.len() as u64),
        factor_cell(piece.factor.value),
        interval(&piece.factor, |value| format!("{value:.3}")),
        percent_cell(one.spread),
        piece.factor.samples.map_or(Cell::Null, Cell::integer),
    ]
}

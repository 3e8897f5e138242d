//! The table of corrections: factors of measured algorithms, 1 where their plain schedule is not
//! shown to be off.

use super::columns::Columns;
use super::format::{factor_cell, interval, percent_cell};
use super::table::Table;
use orrery::model::{CorrectionPiece, Model};

/// The table of the corrections of all kinds of models, one line for each piece; `None` if there
/// are none.
///
/// Keys: model, algorithm, from and to (the measured sizes), procs_from and procs_to, roots (their
/// number), factor, factor_low, factor_high, spread (of measured about corrected times, relative),
/// rows.
pub(crate) fn corrections(model: &Model) -> Option<Table> {
    let mut rows = Vec::new();
    for (kind, of_kind) in &model.corrections {
        for (algorithm, one) in of_kind {
            rows.extend(one.pieces.iter().map(|piece| (kind, algorithm, one, piece)));
        }
    }
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, ..)| kind.name());
    columns.text("algorithm", |(_, algorithm, ..)| algorithm.to_string());
    columns.number("from", |(.., piece)| piece.sizes.0);
    columns.number("to", |(.., piece)| piece.sizes.1);
    columns.number("procs_from", |(_, _, one, _)| one.procs.0).for_programs();
    columns.number("procs_to", |(_, _, one, _)| one.procs.1).for_programs();
    let procs = |(fewest, most)| {
        if fewest == most { format!("{most}") } else { format!("{fewest}..{most}") }
    };
    columns.number("procs", |(_, _, one, _)| procs(one.procs)).drop_first(2).for_people();
    columns.number("roots", |(_, _, one, _)| one.roots.len()).drop_first(3);
    columns.number("factor", |(.., piece)| factor_cell(piece.factor.value));
    let ends = |piece: &CorrectionPiece| piece.factor.interval;
    columns.number("factor_low", |(.., of)| ends(of).map(|of| factor_cell(of.low))).for_programs();
    columns
        .number("factor_high", |(.., of)| ends(of).map(|of| factor_cell(of.high)))
        .for_programs();
    let text = |value: f64| format!("{value:.3}");
    columns.text("interval", |(.., piece)| interval(&piece.factor, text)).for_people();
    columns.number("spread", |(_, _, one, _)| percent_cell(one.spread));
    columns.number("rows", |(.., piece)| piece.factor.samples).drop_first(1);
    let note = "Predicted times of these algorithms are the times of their schedules × the factor, \
        with an interval that contains its error and the spread of measured times about it. The \
        factor is 1 where the measured times do not show that the schedule is off.";
    columns.table("corrections", "Corrections of algorithms").with_note(note).if_filled()
}

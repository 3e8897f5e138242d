//! The table of discrepancies: the errors of models that noise does not explain.

use super::format::percent_cell;
use super::table::{Cell, Column, Table};
use orrery::model::{Discrepancies, Discrepancy, Model, ModelKind};

/// The table of the discrepancies of all kinds of models; `None` if there are none.
///
/// Keys: model, experiments (point-to-point or concurrent), deviation (of observed from predicted
/// times, relative), degrees.
pub(crate) fn discrepancies(model: &Model) -> Option<Table> {
    let columns = [
        Column::text("model"),
        Column::text("experiments"),
        Column::number("deviation"),
        Column::number("degrees").with_title("independent errors"),
    ];
    let note = "Relative deviations of measured from predicted times apart from noise, which \
        intervals of predictions contain.";
    let mut table =
        Table::new("discrepancies", "Errors of the models beyond noise", columns).with_note(note);
    for (kind, all) in &model.discrepancies {
        rows(*kind, all).into_iter().for_each(|row| table.push(row));
    }
    (!table.rows().is_empty()).then_some(table)
}

/// The rows of a kind of model.
fn rows(kind: ModelKind, all: &Discrepancies) -> Vec<Vec<Cell>> {
    let row = |(name, one): (&str, Option<Discrepancy>)| {
        let Discrepancy { relative, degrees } = one?;
        Some(vec![
            Cell::text(kind.name()),
            Cell::text(name),
            percent_cell(relative),
            Cell::integer(degrees),
        ])
    };
    [("point-to-point", all.point_to_point), ("concurrent", all.concurrent)]
        .into_iter()
        .filter_map(row)
        .collect()
}

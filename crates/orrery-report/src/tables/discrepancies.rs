//! The table of discrepancies: the errors of models that noise does not explain.

use super::columns::Columns;
use super::format::percent_cell;
use super::table::Table;
use orrery::model::Model;

/// The table of the discrepancies of all kinds of models; `None` if there are none.
///
/// Keys: model, experiments (point-to-point or concurrent), deviation (of observed from predicted
/// times, relative), degrees.
pub(crate) fn discrepancies(model: &Model) -> Option<Table> {
    let mut rows = Vec::new();
    for (kind, all) in &model.discrepancies {
        let parts = [("point-to-point", all.point_to_point), ("concurrent", all.concurrent)];
        rows.extend(parts.into_iter().filter_map(|(name, one)| Some((kind, name, one?))));
    }
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, ..)| kind.name());
    columns.text("experiments", |(_, name, _)| *name);
    columns.number("deviation", |(.., one)| percent_cell(one.relative));
    columns.number("degrees", |(.., one)| one.degrees).titled("independent errors");
    let note = "Relative deviations of measured from predicted times apart from noise, which \
        intervals of predictions contain.";
    let table = columns.table("discrepancies", "Errors of the models beyond noise");
    table.with_note(note).if_filled()
}

//! The table of the errors of runs that were left out of the fit.

use super::columns::Columns;
use super::evaluation::{add_errors, add_region};
use super::table::Table;
use orrery::scaling::{Accuracy, ErrorSummary, HeldOut, LeftOut};

/// The errors of runs that were left out of the fits that forecast them.
///
/// For the keys see [`EvaluationTables::held_out`](super::evaluation::EvaluationTables::held_out).
pub(crate) fn held_out_errors(all: &[(&str, &Accuracy)], several: bool) -> Table {
    let rows: Vec<_> = all
        .iter()
        .flat_map(|(name, of)| of.held_out.iter().map(|one| (*name, one, one.errors())))
        .collect();
    let mut columns = Columns::of(&rows);
    add_region(&mut columns, several, |(name, ..)| name);
    columns.text("left_out", |(_, one, _)| left_out(one));
    columns.number("fits", |(_, one, _)| one.fits).drop_first(3);
    columns.number("skipped", |(_, one, _)| one.skipped).drop_first(2);
    columns.number("points", |(_, one, _)| one.points.len()).drop_first(4);
    columns.number("without_estimate", |(_, one, _)| one.without_estimate.len()).drop_first(1);
    add_errors(&mut columns, 8, |(.., errors)| errors.as_ref());
    let worst = |errors: &ErrorSummary| errors.worst.point.to_string();
    columns.text("worst", |(.., errors)| errors.as_ref().map(worst)).drop_first(8);
    let note = "Skipped are fits for which the other runs are too few. Points without estimate are \
        those that such a fit cannot forecast.";
    let table = columns.table("held_out", "Held-out errors: forecasts of fits to the other runs");
    let is_partial =
        |held_out: &HeldOut| held_out.skipped > 0 || !held_out.without_estimate.is_empty();
    let partial = all.iter().flat_map(|(_, accuracy)| &accuracy.held_out).any(is_partial);
    if partial { table.with_note(note) } else { table }
}

/// What was left out, in words.
pub(crate) fn left_out(held_out: &HeldOut) -> String {
    match &held_out.left_out {
        LeftOut::LargestSizes { variable, from } => format!("{variable} ≥ {from}, from smaller"),
        LeftOut::Sizes { variable } => format!("one {variable} at a time"),
        LeftOut::Configurations => "one configuration at a time".to_owned(),
    }
}

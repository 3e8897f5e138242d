//! The table of the errors of runs that were left out of the fit.

use super::evaluation::{error_cells, error_columns, region};
use super::table::{Cell, Column, Table};
use orrery::scaling::{Accuracy, HeldOut, LeftOut};

/// The errors of runs that were left out of the fits that forecast them.
///
/// For the keys see [`EvaluationTables::held_out`](super::evaluation::EvaluationTables::held_out).
pub(crate) fn held_out_errors(all: &[(&str, &Accuracy)], several: bool) -> Table {
    let columns = [
        Column::text("left_out"),
        Column::number("fits").drop_priority(3),
        Column::number("skipped").drop_priority(2),
        Column::number("points").drop_priority(4),
        Column::number("without_estimate").drop_priority(1),
    ];
    let mut errors = error_columns();
    errors[3].drop_priority = 8;
    let columns = region(several)
        .into_iter()
        .chain(columns)
        .chain(errors)
        .chain([Column::text("worst").drop_priority(8)]);
    let title = "Held-out errors: forecasts of fits to the other runs";
    let note = "Skipped are fits for which the other runs are too few. Points without estimate are \
        those that such a fit cannot \
                forecast.";
    let mut table = Table::new("held_out", title, columns);
    for (name, accuracy) in all {
        for held_out in &accuracy.held_out {
            let counts = [
                held_out.fits,
                held_out.skipped,
                held_out.points.len(),
                held_out.without_estimate.len(),
            ];
            let errors = held_out.errors();
            let worst = Cell::optional_text(errors.map(|errors| errors.worst.point.to_string()));
            let cells = [Cell::text(left_out(held_out))]
                .into_iter()
                .chain(counts.map(|n| Cell::integer(n as u64)));
            let cells = cells.chain(error_cells(errors.as_ref())).chain([worst]);
            table.push(several.then(|| Cell::text(*name)).into_iter().chain(cells));
        }
    }
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

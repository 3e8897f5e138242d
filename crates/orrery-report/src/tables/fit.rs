//! Residuals of fits, parameters at their bounds and suspected causes of misfit, as tables.

use super::format::{percent_cell, seconds, signed_percent};
use super::table::{Cell, Column, Table};
use orrery::model::{FailedPart, FitDiagnostics};

/// The diagnostics of a fit as tables: `residuals`, one line for each model and operation, and for
/// programs `residuals_by_size` and `findings`.
///
/// Keys of the residuals: model, operation, experiments, mean_error, max_error (with its sign),
/// size and experiment of the largest error. Keys of the findings: model, finding (`at-bound`, the
/// name of a cause, or `failed` for a part of the fit with an error, which has no model), parameter,
/// count, total, words.
pub fn fit_diagnostics(diagnostics: &[FitDiagnostics], failed: &[FailedPart]) -> [Table; 3] {
    [residuals(diagnostics), residuals_by_size(diagnostics), findings(diagnostics, failed)]
}

/// The table of the residuals of each model by operation.
fn residuals(diagnostics: &[FitDiagnostics]) -> Table {
    let columns = [
        Column::text("model"),
        Column::text("operation"),
        Column::number("experiments").drop_priority(2),
        Column::number("mean_error").with_title("mean error"),
        Column::number("max_error").with_title("largest error"),
        Column::number("size").with_title("at size"),
        Column::text("experiment").with_title("in").drop_priority(1),
    ];
    let mut table = Table::new("residuals", "Residuals of the fit", columns).with_note(
        "Errors are (predicted − measured) / measured; the mean is that of absolute values.",
    );
    for one in diagnostics {
        for of in &one.residuals {
            let count: usize = of.sizes.iter().map(|size| size.observations).sum();
            table.push([
                Cell::text(one.kind.name()),
                Cell::text(&of.operation),
                Cell::integer(count as u64),
                percent_cell(of.mean_error),
                Cell::number(of.largest.error, signed_percent(of.largest.error)),
                Cell::size(of.largest.experiment.size()),
                Cell::text(of.largest.experiment.to_string()),
            ]);
        }
    }
    table
}

/// The table of the residuals of each model by operation and size.
fn residuals_by_size(diagnostics: &[FitDiagnostics]) -> Table {
    let words = ["model", "operation"].map(Column::text);
    let numbers = ["size", "experiments", "observed", "bias", "mean_error"].map(Column::number);
    let mut table =
        Table::new("residuals_by_size", "Residuals by size", words.into_iter().chain(numbers));
    for one in diagnostics {
        for of in &one.residuals {
            for size in &of.sizes {
                table.push([
                    Cell::text(one.kind.name()),
                    Cell::text(&of.operation),
                    Cell::size(size.size),
                    Cell::integer(size.observations as u64),
                    seconds(size.observed),
                    Cell::number(size.bias, signed_percent(size.bias)),
                    percent_cell(size.mean_error),
                ]);
            }
        }
    }
    table
}

/// The table of parameters at their bounds, suspected causes of misfit, and parts that failed.
fn findings(diagnostics: &[FitDiagnostics], failed: &[FailedPart]) -> Table {
    let columns = [
        Column::text("model"),
        Column::text("finding"),
        Column::text("parameter"),
        Column::number("count"),
        Column::number("total"),
        Column::text("words"),
    ];
    let mut table = Table::new("findings", "Findings of the fit", columns);
    for one in diagnostics {
        for bound in &one.at_bounds {
            table.push([
                Cell::text(one.kind.name()),
                Cell::text("at-bound"),
                Cell::text(bound.parameter),
                Cell::integer(bound.count as u64),
                Cell::integer(bound.total as u64),
                Cell::text(bound.to_string()),
            ]);
        }
        for misfit in &one.misfits {
            let name = Cell::text(misfit.name());
            let words = Cell::text(misfit.to_string());
            table.push([
                Cell::text(one.kind.name()),
                name,
                Cell::Null,
                Cell::Null,
                Cell::Null,
                words,
            ]);
        }
    }
    for part in failed {
        let words = Cell::text(part.to_string());
        let finding = Cell::text("failed");
        table.push([Cell::Null, finding, Cell::Null, Cell::Null, Cell::Null, words]);
    }
    table
}

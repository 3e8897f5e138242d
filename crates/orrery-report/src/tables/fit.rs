//! Residuals of fits, parameters at their bounds and suspected causes of misfit, as tables.

use super::columns::Columns;
use super::format::{error_cell, percent_cell, seconds};
use super::table::Table;
use orrery::model::{FailedPart, FitDiagnostics, OperationResiduals};

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
    let rows: Vec<_> =
        diagnostics.iter().flat_map(|one| one.residuals.iter().map(|of| (one.kind, of))).collect();
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, _)| kind.name());
    columns.text("operation", |(_, of)| &of.operation);
    let count =
        |of: &OperationResiduals| of.sizes.iter().map(|size| size.observations).sum::<usize>();
    columns.number("experiments", |(_, of)| count(of)).drop_first(2);
    columns.number("mean_error", |(_, of)| percent_cell(of.mean_error));
    columns.number("max_error", |(_, of)| error_cell(of.largest.error)).titled("largest error");
    columns.number("size", |(_, of)| of.largest.experiment.size()).titled("at size");
    let experiment = |of: &OperationResiduals| of.largest.experiment.to_string();
    columns.text("experiment", |(_, of)| experiment(of)).titled("in").drop_first(1);
    columns.table("residuals", "Residuals of the fit").with_note(
        "Errors are (predicted − measured) / measured; the mean is that of absolute values.",
    )
}

/// The table of the residuals of each model by operation and size.
fn residuals_by_size(diagnostics: &[FitDiagnostics]) -> Table {
    let mut rows = Vec::new();
    for one in diagnostics {
        for of in &one.residuals {
            rows.extend(of.sizes.iter().map(|size| (one.kind, of, size)));
        }
    }
    let mut columns = Columns::of(&rows);
    columns.text("model", |(kind, ..)| kind.name());
    columns.text("operation", |(_, of, _)| &of.operation);
    columns.number("size", |(.., size)| size.size);
    columns.number("experiments", |(.., size)| size.observations);
    columns.number("observed", |(.., size)| seconds(size.observed));
    columns.number("bias", |(.., size)| error_cell(size.bias));
    columns.number("mean_error", |(.., size)| percent_cell(size.mean_error));
    columns.table("residuals_by_size", "Residuals by size")
}

/// The table of parameters at their bounds, suspected causes of misfit, and parts that failed.
fn findings(diagnostics: &[FitDiagnostics], failed: &[FailedPart]) -> Table {
    let mut rows = Vec::new();
    for one in diagnostics {
        let model = Some(one.kind.name());
        let bounds = one.at_bounds.iter();
        rows.extend(bounds.map(|bound| (model, "at-bound", Some(bound), bound.to_string())));
        let misfits = one.misfits.iter();
        rows.extend(misfits.map(|misfit| (model, misfit.name(), None, misfit.to_string())));
    }
    rows.extend(failed.iter().map(|part| (None, "failed", None, part.to_string())));
    let mut columns = Columns::of(&rows);
    columns.text("model", |(model, ..)| *model);
    columns.text("finding", |(_, finding, ..)| *finding);
    columns.text("parameter", |(_, _, bound, _)| bound.map(|bound| bound.parameter));
    columns.number("count", |(_, _, bound, _)| bound.map(|bound| bound.count));
    columns.number("total", |(_, _, bound, _)| bound.map(|bound| bound.total));
    columns.text("words", |(.., words)| words);
    columns.table("findings", "Findings of the fit")
}

use std::collections::BTreeMap;

use super::{Model, ModelKind, PredictError, Predictor, Question, Validation, ValidationRow, ValidationSummary};
use crate::numeric::{mean, median, median_estimate};
use crate::sample::{Experiment, Samples};

/// Sets observed medians against what each of these kinds of models predicts.
///
/// Calls of the MPI library are left out: which algorithm to predict is not known; [`super::compare_native`] has them.
///
/// # Errors
///
/// When the model does not hold a kind, or the samples speak of processors that it does not have.
pub fn validate(model: &Model, samples: &Samples, kinds: &[ModelKind], level: f64) -> Result<Validation, PredictError> {
    let series = samples.in_order().filter(|series| !matches!(series.experiment, Experiment::Native { .. }));
    let mut predictors: Vec<Predictor> =
        kinds.iter().map(|&kind| Predictor::new(model, kind)).collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for series in series {
        let observed = median_estimate(&series.seconds(), level);
        for predictor in &mut predictors {
            let predicted = predictor.ask(&Question::Experiment(series.experiment))?;
            let error = predicted.seconds.get() / observed.value - 1.0;
            rows.push(ValidationRow { experiment: series.experiment, observed, predicted, error });
        }
    }
    let summary = summary(&rows, kinds);
    Ok(Validation { rows, summary })
}

fn summary(rows: &[ValidationRow], kinds: &[ModelKind]) -> Vec<ValidationSummary> {
    let mut summary = Vec::new();
    for &model in kinds {
        let mut errors: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.predicted.model == model) {
            // An experiment that took no time at all has no relative error.
            if row.error.is_finite() {
                errors.entry(row.experiment.word()).or_default().push(row.error.abs());
            }
        }
        let all: Vec<f64> = errors.values().flatten().copied().collect();
        let operations = errors.into_iter().chain([("all".to_owned(), all)]);
        summary.extend(operations.map(|(operation, errors)| ValidationSummary {
            model,
            operation,
            rows: errors.len(),
            mean_error: mean(&errors),
            median_error: median(&errors),
            max_error: errors.iter().copied().fold(0.0, f64::max),
        }));
    }
    summary
}

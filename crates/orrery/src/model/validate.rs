use std::collections::BTreeMap;

use super::{Model, ModelKind, PredictError, Predictor, Query, Validation, ValidationRow, ValidationSummary};
use crate::numeric::{mean, median, median_estimate};
use crate::platform::{Hosts, LinkClass};
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
    let hosts = hosts(model, samples);
    let mut rows = Vec::new();
    for series in series {
        let observed = median_estimate(&series.seconds(), level);
        for predictor in &mut predictors {
            let predicted = predictor.predict(&Query::Experiment(series.experiment))?;
            let error = predicted.seconds.get() / observed.value - 1.0;
            let (experiment, class) = (series.experiment, series.experiment.class(&hosts));
            rows.push(ValidationRow { experiment, class, observed, predicted, error });
        }
    }
    let summary = summary(&rows, kinds);
    Ok(Validation { rows, summary })
}

/// The hosts of the processors, as the samples tell, or else the model.
fn hosts(model: &Model, samples: &Samples) -> Hosts {
    if samples.provenance.hosts().is_empty() { model.shared_hosts() } else { samples.hosts() }
}

fn summary(rows: &[ValidationRow], kinds: &[ModelKind]) -> Vec<ValidationSummary> {
    let mut summary = Vec::new();
    for &model in kinds {
        let mut errors: BTreeMap<(String, Option<LinkClass>), Vec<f64>> = BTreeMap::new();
        let mut all = Vec::new();
        // An experiment that took no time at all has no relative error.
        for row in rows.iter().filter(|row| row.predicted.model == model && row.error.is_finite()) {
            let (word, error) = (row.experiment.name(), row.error.abs());
            all.push(error);
            if row.class.is_some() {
                errors.entry((word.clone(), row.class)).or_default().push(error);
            }
            errors.entry((word, None)).or_default().push(error);
        }
        // Where all experiments of an operation are of one class there is nothing to be told apart.
        let classes =
            |operation: &str| errors.keys().filter(|(word, class)| word == operation && class.is_some()).count();
        let alike: Vec<String> =
            errors.keys().map(|(word, _)| word.clone()).filter(|word| classes(word) == 1).collect();
        errors.retain(|(word, class), _| class.is_none() || !alike.contains(word));
        let operations = errors.into_iter().chain([(("all".to_owned(), None), all)]);
        summary.extend(operations.map(|((operation, class), errors)| ValidationSummary {
            model,
            operation,
            class,
            rows: errors.len(),
            mean_error: mean(&errors),
            median_error: median(&errors),
            max_error: errors.iter().copied().fold(0.0, f64::max),
        }));
    }
    summary
}

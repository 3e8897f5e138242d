//! The errors of models in the measured collective operations.

use std::collections::BTreeMap;

use super::or_failed;
use crate::model::collective_errors::MAX_MEASURED;
use crate::model::{
    CollectiveAlgorithm, FailedPart, FitOptions, MeasuredError, Model, ModelKind, PredictError,
    Predictor, Query,
};
use orrery_base::numeric::{median, median_variance_factor, pooled_relative_deviation};
use orrery_measure::sample::{Experiment, Samples, Series};

/// The largest number of rows of an algorithm that are predicted, evenly chosen.
const MAX_ROWS: usize = 64;

/// Adds to all kinds of a fitted model their errors in the collective operations among the samples.
///
/// `model` has none yet. Operations that parameters or thresholds were estimated from,
/// that may escalate, or that have more processors than the model are left out, as are calls of a
/// library whose schedules have more operations than the budget of the samples.
///
/// The first row of each kind that has no prediction is recorded as failed; all such rows are left
/// out.
pub(super) fn add_errors(
    model: &mut Model,
    samples: &Samples,
    options: &FitOptions,
    failed: &mut Vec<FailedPart>,
) {
    if !options.corrections {
        return;
    }
    let groups = groups(model, samples, options);
    if groups.is_empty() {
        return;
    }
    let mut found: Vec<(ModelKind, Vec<MeasuredError>)> = Vec::new();
    for kind in model.kinds() {
        let part = format!("errors of {kind} in collective operations");
        let mut errors = Vec::new();
        let predictor = Predictor::new(model, kind).map(|one| Some(one.without_losses()));
        let Some(mut predictor) = or_failed(predictor, &part, failed) else { continue };
        let mut first = Ok(());
        for (&algorithm, series) in &groups {
            let spread = pooled_relative_deviation(series.iter().map(|one| one.seconds()));
            for one in series {
                match measured_error(&mut predictor, algorithm, one, spread) {
                    // Absurd numbers come from readings in another unit, for example.
                    Ok(error) => errors.extend(error.filter(MeasuredError::is_readable)),
                    Err(error) => first = first.and(Err(error)),
                }
            }
        }
        or_failed(first, part, failed);
        let step = errors.len().div_ceil(MAX_MEASURED).max(1);
        found.push((kind, errors.into_iter().step_by(step).collect()));
    }
    for (kind, errors) in found.into_iter().filter(|(_, errors)| !errors.is_empty()) {
        model.discrepancies.entry(kind).or_default().collectives = errors;
    }
}

/// Returns the series of each algorithm that the model can predict.
fn groups<'a>(
    model: &Model,
    samples: &'a Samples,
    options: &FitOptions,
) -> BTreeMap<CollectiveAlgorithm, Vec<&'a Series>> {
    let mut operations = 0_u64;
    let mut groups: BTreeMap<CollectiveAlgorithm, Vec<&Series>> = BTreeMap::new();
    for series in samples.in_order() {
        let experiment = &series.experiment;
        let is_used =
            options.is_in_range(experiment) && experiment.processors_needed() <= model.processors();
        let is_fitted = options.collectives && !matches!(experiment, Experiment::Native { .. });
        if !is_used || is_fitted || model.has_thresholds_of(experiment) {
            continue;
        }
        let own = experiment.of_library_schedule().unwrap_or(*experiment);
        let Some(algorithm) = CollectiveAlgorithm::of(experiment).filter(|_| own.has_program())
        else {
            continue;
        };
        let with_it = operations.saturating_add(own.operations());
        if with_it <= samples.budget().operations() {
            operations = with_it;
            groups.entry(algorithm).or_default().push(series);
        }
    }
    for series in groups.values_mut() {
        let step = series.len().div_ceil(MAX_ROWS).max(1);
        *series = series.iter().copied().step_by(step).collect();
    }
    groups
}

/// Returns the error of a predictor in a series of an algorithm; `None` if it may escalate, or if a
/// time is 0. `spread` is the relative standard deviation of a reading.
fn measured_error(
    predictor: &mut Predictor,
    algorithm: CollectiveAlgorithm,
    series: &Series,
    spread: f64,
) -> Result<Option<MeasuredError>, PredictError> {
    let experiment = series.experiment;
    let prediction = predictor.predict(&Query::Experiment(experiment))?;
    let (readings, predicted) = (series.seconds(), prediction.seconds.get());
    let measured = median(&readings);
    if prediction.escalation.is_some() || predicted <= 0.0 || measured <= 0.0 {
        return Ok(None);
    }
    Ok(Some(MeasuredError {
        algorithm,
        root: experiment.reader(),
        procs: experiment.procs(),
        size: experiment.size(),
        error: (measured / predicted).ln(),
        noise: spread * median_variance_factor(readings.len()).sqrt(),
    }))
}

//! The measured rows of algorithms, compared with the times of their plain schedules.

mod estimate;

use std::collections::BTreeMap;

use estimate::{Row, estimate};

use super::or_failed;
use crate::model::{
    CollectiveAlgorithm, Corrections, FailedPart, FitOptions, Model, ModelKind, PredictError,
    Predictor, Query,
};
use orrery_base::numeric::{median, median_variance_factor, pooled_relative_deviation};
use orrery_measure::sample::{Experiment, Samples, Series};

/// The largest number of rows of an algorithm that are predicted, evenly chosen.
const MAX_ROWS: usize = 64;

/// Estimates the corrections of all kinds of a fitted model from the collective operations among
/// the samples.
///
/// `model` has no corrections yet. Operations that parameters or thresholds were estimated from,
/// that may escalate, or that have more processors than the model are left out, as are calls of a
/// library whose schedules have more operations than the budget of the samples.
///
/// The first row of each kind that has no prediction is recorded as failed; all such rows are left
/// out.
pub(super) fn corrections(
    model: &Model,
    samples: &Samples,
    options: &FitOptions,
    failed: &mut Vec<FailedPart>,
) -> BTreeMap<ModelKind, Corrections> {
    let mut found = BTreeMap::new();
    if !options.corrections {
        return found;
    }
    let groups = groups(model, samples, options);
    if groups.is_empty() {
        return found;
    }
    for kind in model.kinds() {
        let part = format!("corrections of {kind}");
        let predictor = Predictor::new(model, kind).map(Some);
        let Some(mut predictor) = or_failed(predictor, &part, failed) else { continue };
        let mut first = Ok(());
        // The intervals of parameters of a model that misfits single messages contain its misfit.
        let is_off = model.discrepancies.get(&kind).is_some_and(|all| all.point_to_point.is_some());
        let mut of_kind = Corrections::new();
        for (algorithm, series) in &groups {
            let spread = pooled_relative_deviation(series.iter().map(|one| one.seconds()));
            let mut rows: Vec<Row> = Vec::new();
            for one in series {
                match row(&mut predictor, one, spread, is_off) {
                    Ok(row) => rows.extend(row),
                    Err(error) => first = first.and(Err(error)),
                }
            }
            of_kind
                .extend(estimate(&rows, options.level).map(|correction| (*algorithm, correction)));
        }
        or_failed(first, part, failed);
        if !of_kind.is_empty() {
            found.insert(kind, of_kind);
        }
    }
    found
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

/// Returns the comparison of a series with the plain schedule; `None` if it may escalate, or if a
/// time is 0. `spread` is the relative standard deviation of a reading. If `is_off`, the model
/// misfits single messages, and the intervals of its parameters do not count.
fn row(
    predictor: &mut Predictor,
    series: &Series,
    spread: f64,
    is_off: bool,
) -> Result<Option<Row>, PredictError> {
    let experiment = series.experiment;
    let prediction = predictor.predict(&Query::Experiment(experiment))?;
    let (readings, predicted) = (series.seconds(), prediction.seconds.get());
    let measured = median(&readings);
    if prediction.escalation.is_some() || predicted <= 0.0 || measured <= 0.0 {
        return Ok(None);
    }
    let noise = spread.powi(2) * median_variance_factor(readings.len());
    let parameters = prediction.uncertainty.readings.filter(|_| !is_off).unwrap_or(0.0);
    let (size, procs, root) = (experiment.size(), experiment.procs(), experiment.reader());
    Ok(Some(Row { size, procs, root, error: (measured / predicted).ln(), noise, parameters }))
}

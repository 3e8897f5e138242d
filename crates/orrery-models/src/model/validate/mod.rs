//! Observed times compared with predicted ones.

mod ranking;

use std::collections::BTreeMap;

pub use ranking::{RANKING_LEVEL, Ranked, RankingBasis};

use super::{Model, ModelKind, PredictError, Prediction, Predictor, Query};
use orrery_base::numeric::{Estimate, mean, median, median_estimate};
use orrery_cluster::platform::{Hosts, LinkClass};
use orrery_measure::sample::{Experiment, ExperimentKind, Samples};

/// The comparison of observed and predicted times, by experiment and by model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Validation {
    /// One row for each experiment and model, ordered by experiment, then by model.
    pub rows: Vec<ValidationRow>,
    /// For each model, first for the experiments that the fit has not seen, then for those that it
    /// has: the accuracy of each operation, then of each class of links if an operation has
    /// several, and finally of all operations together.
    pub summary: Vec<ValidationSummary>,
}

/// The comparison of one experiment with one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationRow {
    /// The experiment.
    pub experiment: Experiment,
    /// True if the fit of the model has seen the experiment: the error is a residual, not that of a
    /// prediction.
    pub seen: bool,
    /// The class of its links, within a host or across hosts, in clusters with both.
    pub class: Option<LinkClass>,
    /// The median of the readings in seconds, with its interval and the number of readings.
    pub observed: Estimate,
    /// The prediction of the model.
    pub predicted: Prediction,
    /// (predicted − observed) / observed.
    pub error: f64,
}

/// The accuracy of one model for a set of experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationSummary {
    /// The model.
    pub model: ModelKind,
    /// The operation: `roundtrip`, `scatter/linear`, …; `all` for all of them.
    pub operation: String,
    /// True if the fit of the model has seen these experiments.
    pub seen: bool,
    /// The class of links of the experiments; `None` for all.
    pub class: Option<LinkClass>,
    /// The number of experiments.
    pub rows: usize,
    /// The mean of |error|.
    pub mean_error: f64,
    /// The median of |error|.
    pub median_error: f64,
    /// The largest |error|.
    pub max_error: f64,
    /// The part of the intervals of these predictions that contain the observed time, from 0 to 1;
    /// `None` without intervals, and for experiments that the fit has seen.
    pub inside: Option<f64>,
}

impl ValidationRow {
    /// Returns true if the interval of the prediction contains the observed median; `None` without
    /// an interval, and for an experiment that the fit has seen.
    pub fn is_inside(&self) -> Option<bool> {
        let (low, high) = self.predicted.interval.filter(|_| !self.seen)?;
        Some((low.get()..=high.get()).contains(&self.observed.value))
    }
}

/// Returns the part of the intervals of some predictions that contain the observed time, from 0 to
/// 1; `None` without intervals, and for experiments that the fit has seen.
pub fn inside<'a>(rows: impl IntoIterator<Item = &'a ValidationRow>) -> Option<f64> {
    let known: Vec<bool> = rows.into_iter().filter_map(ValidationRow::is_inside).collect();
    let held = known.iter().filter(|is_inside| **is_inside).count();
    (!known.is_empty()).then(|| held as f64 / known.len() as f64)
}

/// Compares observed medians with the predictions of each of these kinds of models.
///
/// Alarms that a measured time settles are left out. Anchors repeat round trips, and are no
/// experiments of their own.
///
/// Calls of the MPI library are left out, since their algorithm is not known; see
/// [`compare_native`].
///
/// # Errors
///
/// When the model does not contain a kind, or the samples name processors that it does not have.
pub fn validate(
    model: &Model,
    samples: &Samples,
    kinds: &[ModelKind],
    level: f64,
) -> Result<Validation, PredictError> {
    let is_compared = |one: &Experiment| one.has_program() && one.kind() != ExperimentKind::Anchor;
    let series = samples.in_order().filter(|series| is_compared(&series.experiment));
    let mut predictors: Vec<Predictor> =
        kinds.iter().map(|&kind| Predictor::new(model, kind)).collect::<Result<_, _>>()?;
    let hosts = hosts(model, samples);
    let mut rows = Vec::new();
    for series in series {
        let observed = median_estimate(&series.seconds(), level);
        let seen = model.has_seen(&series.experiment);
        for predictor in &mut predictors {
            let mut predicted = predictor.predict(&Query::Experiment(series.experiment))?;
            predicted.alarms.retain(|alarm| !alarm.is_settled_by_measuring());
            let error = predicted.seconds.get() / observed.value - 1.0;
            let (experiment, class) = (series.experiment, series.experiment.class(&hosts));
            rows.push(ValidationRow { experiment, seen, class, observed, predicted, error });
        }
    }
    let summary = summary(&rows, kinds);
    Ok(Validation { rows, summary })
}

/// Returns the hosts of the processors from the samples, or else from the model.
fn hosts(model: &Model, samples: &Samples) -> Hosts {
    if samples.provenance.hosts().is_empty() { model.shared_hosts() } else { samples.hosts() }
}

/// Returns the accuracy of each model by operation and by class of links, of held-out and of seen
/// experiments.
fn summary(rows: &[ValidationRow], kinds: &[ModelKind]) -> Vec<ValidationSummary> {
    let mut summary = Vec::new();
    for &model in kinds {
        for seen in [false, true] {
            let is_counted = |row: &&ValidationRow| {
                row.predicted.model == model && row.seen == seen && row.error.is_finite()
            };
            let counted: Vec<&ValidationRow> = rows.iter().filter(is_counted).collect();
            if !counted.is_empty() {
                summary.extend(by_operation(model, seen, &counted));
            }
        }
    }
    summary
}

/// Returns the accuracy of a model for each operation, each class of links, and all of these rows,
/// whose errors are finite: an experiment with a time of zero has no relative error.
fn by_operation(
    model: ModelKind,
    seen: bool,
    rows: &[&ValidationRow],
) -> impl Iterator<Item = ValidationSummary> {
    let mut groups: BTreeMap<(String, Option<LinkClass>), Vec<&ValidationRow>> = BTreeMap::new();
    for row in rows {
        let word = row.experiment.name();
        if row.class.is_some() {
            groups.entry((word.clone(), row.class)).or_default().push(row);
        }
        groups.entry((word, None)).or_default().push(row);
    }
    // If all experiments of an operation are of one class, the class has no row of its own.
    let classes = |operation: &str| {
        groups.keys().filter(|(word, class)| word == operation && class.is_some()).count()
    };
    let alike: Vec<String> =
        groups.keys().map(|(word, _)| word.clone()).filter(|word| classes(word) == 1).collect();
    groups.retain(|(word, class), _| class.is_none() || !alike.contains(word));
    let operations = groups.into_iter().chain([(("all".to_owned(), None), rows.to_vec())]);
    operations.map(move |((operation, class), rows)| {
        let errors: Vec<f64> = rows.iter().map(|row| row.error.abs()).collect();
        ValidationSummary {
            model,
            operation,
            seen,
            class,
            rows: errors.len(),
            mean_error: mean(&errors),
            median_error: median(&errors),
            max_error: errors.iter().copied().fold(0.0, f64::max),
            inside: inside(rows),
        }
    })
}

/// A collective operation as carried out by the MPI library, compared with the prediction of each
/// algorithm by one model.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeComparison {
    /// The experiment: an [`Experiment::Native`] without a forced algorithm.
    pub experiment: Experiment,
    /// The median of the readings in seconds, with its interval and the number of readings.
    pub observed: Estimate,
    /// The model.
    pub model: ModelKind,
    /// The prediction and the relative error (predicted − observed) / observed of each algorithm.
    pub algorithms: Vec<(Prediction, f64)>,
}

impl NativeComparison {
    /// Returns the algorithm with the nearest prediction, and its relative error; `None` if no
    /// algorithm could be compared. A near prediction does not prove that the library uses this
    /// algorithm: it may use an unknown one, or change it with the size.
    pub fn nearest(&self) -> Option<&(Prediction, f64)> {
        let known = self.algorithms.iter().filter(|(_, error)| error.is_finite());
        known.min_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))
    }

    /// Returns the prediction of the algorithm that is the fastest according to the model; `None`
    /// without predictions.
    pub fn fastest(&self) -> Option<&Prediction> {
        let predictions = self.algorithms.iter().map(|(prediction, _)| prediction);
        predictions.min_by(|a, b| a.seconds.get().total_cmp(&b.seconds.get()))
    }
}

/// Compares each collective operation of the MPI library with the predictions of all algorithms, by
/// kinds of models.
///
/// Operations whose algorithm was forced, and of more processors than the model has, are left out.
///
/// # Errors
///
/// When the model does not hold a kind.
pub fn compare_native(
    model: &Model,
    samples: &Samples,
    kinds: &[ModelKind],
    level: f64,
) -> Result<Vec<NativeComparison>, PredictError> {
    let mut predictors: Vec<Predictor> =
        kinds.iter().map(|&kind| Predictor::new(model, kind)).collect::<Result<_, _>>()?;
    let mut comparisons = Vec::new();
    for series in samples.series() {
        let Experiment::Native { kind, algorithm: None, root, procs, size } = series.experiment
        else {
            continue;
        };
        if series.experiment.processors_needed() > model.processors() {
            continue;
        }
        let observed = median_estimate(&series.seconds(), level);
        for (predictor, &model) in predictors.iter_mut().zip(kinds) {
            let mut algorithms = Vec::new();
            for algorithm in kind.algorithms_on(procs) {
                let query = Query::Experiment(Experiment::Collective {
                    kind,
                    algorithm,
                    root,
                    procs,
                    size,
                });
                let prediction = predictor.predict(&query)?;
                let error = prediction.seconds.get() / observed.value - 1.0;
                algorithms.push((prediction, error));
            }
            comparisons.push(NativeComparison {
                experiment: series.experiment,
                observed,
                model,
                algorithms,
            });
        }
    }
    comparisons.sort_by_key(|comparison| (comparison.experiment, comparison.model));
    Ok(comparisons)
}

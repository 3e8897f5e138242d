use crate::model::{Model, ModelKind, PredictError, Prediction, Predictor, Query};
use orrery_base::numeric::{Estimate, median_estimate};
use orrery_measure::sample::{Experiment, Samples};

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

use super::{Model, ModelKind, PredictError, Prediction, Predictor, Query};
use crate::numeric::{Estimate, median_estimate};
use crate::sample::{Experiment, Samples};
use crate::schedule::Algorithm;

/// A collective operation as the MPI library carried it out, against what one model predicts of each algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeComparison {
    /// What was measured: an [`Experiment::Native`].
    pub experiment: Experiment,
    /// The median of the readings in seconds, with its interval and the number of readings.
    pub observed: Estimate,
    /// The model.
    pub model: ModelKind,
    /// For each algorithm: what the model says, and (predicted − observed) / observed.
    pub algorithms: Vec<(Prediction, f64)>,
}

impl NativeComparison {
    /// The algorithm whose prediction is nearest, with its relative error. That it is near does not prove that the
    /// library uses it: the library may use one that is not known here, or change it with the size.
    pub fn nearest(&self) -> Option<&(Prediction, f64)> {
        let known = self.algorithms.iter().filter(|(_, error)| error.is_finite());
        known.min_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))
    }
}

/// Sets each collective operation of the MPI library against the predictions of all algorithms, by kinds of models.
///
/// Operations of more processors than the model has are left out: nothing can be said of them.
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
        let Experiment::Native { kind, root, procs, size } = series.experiment else { continue };
        if series.experiment.processors_needed() > model.processors() {
            continue;
        }
        let observed = median_estimate(&series.seconds(), level);
        for (predictor, &model) in predictors.iter_mut().zip(kinds) {
            let mut algorithms = Vec::new();
            for algorithm in Algorithm::ALL {
                let query = Query::Experiment(Experiment::Collective { kind, algorithm, root, procs, size });
                let prediction = predictor.predict(&query)?;
                algorithms.push((prediction, prediction.seconds.get() / observed.value - 1.0));
            }
            comparisons.push(NativeComparison { experiment: series.experiment, observed, model, algorithms });
        }
    }
    comparisons.sort_by_key(|comparison| (comparison.experiment, comparison.model));
    Ok(comparisons)
}

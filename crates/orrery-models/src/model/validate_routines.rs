use super::{
    KernelChoice, Model, ModelKind, RoutinePredictError, RoutinePrediction, RoutinePredictor,
};
use orrery_base::numeric::median;
use orrery_base::units::Seconds;
use orrery_measure::sample::RoutineTimings;

/// The measured time of a call of a parallel routine, or of a redistribution, beside the predicted
/// one.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineComparison<P = RoutinePrediction> {
    /// The prediction.
    pub predicted: P,
    /// The median of the measured times.
    pub measured: Seconds,
    /// The number of readings.
    pub readings: usize,
    /// The error of the prediction, relative to the measured time.
    pub error: f64,
}

impl<P> RoutineComparison<P> {
    /// Compares a prediction of this time with measured times.
    pub(super) fn new(predicted: P, seconds: Seconds, times: &[f64]) -> Self {
        let measured = Seconds::new(median(times));
        let error = seconds.get() / measured.get() - 1.0;
        Self { predicted, measured, readings: times.len(), error }
    }
}

/// How well the fastest grid of a routine is predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct GridRegret {
    /// The call on the grid that is predicted to be the fastest.
    pub chosen: RoutineComparison,
    /// The call on the grid that was measured to be the fastest.
    pub best: RoutineComparison,
    /// The number of measured grids.
    pub grids: usize,
}

impl GridRegret {
    /// The measured time of the chosen grid over that of the best one, less 1.
    pub fn regret(&self) -> f64 {
        self.chosen.measured.get() / self.best.measured.get() - 1.0
    }
}

/// Compares measured times of parallel routines with the predictions of a kind of model.
///
/// # Errors
///
/// When a call cannot be predicted, such as one on more processes than the model has processors.
pub fn validate_routines(
    model: &Model,
    kind: ModelKind,
    timings: &RoutineTimings,
    kernels: &KernelChoice,
) -> Result<Vec<RoutineComparison>, RoutinePredictError> {
    let mut predictor = RoutinePredictor::new(model, kind)?;
    let compare = |(call, times): (_, Vec<f64>)| {
        let predicted = predictor.predict(&call, kernels)?;
        let seconds = predicted.seconds;
        Ok(RoutineComparison::new(predicted, seconds, &times))
    };
    timings.calls().into_iter().map(compare).collect()
}

/// The regret of the chosen grid, for each routine and dimensions that were measured on several
/// grids or with several blocks.
pub fn grid_regrets(comparisons: &[RoutineComparison]) -> Vec<GridRegret> {
    let key = |one: &RoutineComparison| {
        let call = &one.predicted.call;
        (call.routine(), call.variant(), call.dimensions())
    };
    let mut keys: Vec<_> = comparisons.iter().map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |wanted| {
        let all: Vec<&RoutineComparison> =
            comparisons.iter().filter(|one| key(one) == wanted).collect();
        let least = |time: fn(&RoutineComparison) -> Seconds| {
            all.iter().copied().min_by(|a, b| time(a).total_cmp(&time(b))).cloned()
        };
        let (chosen, best) = (least(|one| one.predicted.seconds)?, least(|one| one.measured)?);
        (all.len() > 1).then_some(GridRegret { chosen, best, grids: all.len() })
    };
    keys.into_iter().filter_map(of).collect()
}

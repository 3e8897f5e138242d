use crate::comm::thresholds::{Pieces, SlopeCorrection};
use crate::comm::{Contribution, Escalation, ParameterId, Predicted, Thresholds};
use orrery_base::numeric::Estimate;
use orrery_base::units::Seconds;

/// The probability of the interval that is predicted for the time of an escalating operation.
const INTERVAL_PROBABILITY: f64 = 0.95;

/// Returns the prediction with the slope correction κ·m added if the model has one.
pub(super) fn corrected(
    predicted: Predicted,
    thresholds: &Thresholds,
    pieces: Pieces,
    corrected: Option<SlopeCorrection>,
) -> Predicted {
    match corrected.and_then(|corrected| thresholds.slope(pieces.size, corrected)) {
        Some((name, estimate)) => {
            let (parameter, factor) = (of_root(name, thresholds), pieces.block.get() as f64);
            predicted.plus(Contribution { parameter, factor, estimate })
        }
        None => predicted,
    }
}

/// Returns the parameter of thresholds with this name.
fn of_root(name: &'static str, thresholds: &Thresholds) -> ParameterId {
    ParameterId { name, place: (Some(thresholds.root), None), size: None, group: None }
}

/// Returns the prediction of an operation that may escalate, and the probability that it does.
///
/// The time of an escalating operation is a distribution: T without escalation, T + level at the
/// probability of each level. The prediction is its median; its interval extends from the 2.5 %
/// quantile to the 97.5 % quantile, widened by the intervals of T and of the level at the upper
/// end.
pub(super) fn escalating(
    predicted: Predicted,
    thresholds: &Thresholds,
    pieces: Pieces,
    corrected: Option<SlopeCorrection>,
) -> (Predicted, Option<f64>) {
    let levels = thresholds.escalations(pieces);
    if levels.is_empty() {
        return (predicted, None);
    }
    let irregularity = thresholds.irregularity(pieces, corrected);
    let at = |quantile: f64| irregularity.escalation(quantile).map(|level: usize| &levels[level]);
    let (low, high) = predicted.interval.unwrap_or((predicted.seconds, predicted.seconds));
    let end = |level: Option<&Escalation>, pick: fn(&Estimate) -> f64| {
        Seconds::new(level.map_or(0.0, |level| pick(&level.seconds)))
    };
    let tail = f64::midpoint(1.0, -INTERVAL_PROBABILITY);
    let low =
        low + end(at(tail), |level| level.interval.map_or(level.value, |interval| interval.low));
    let high = high
        + end(at(1.0 - tail), |level| level.interval.map_or(level.value, |interval| interval.high));
    let mut predicted = match at(0.5) {
        Some(level) => {
            let parameter = of_root("escalations", thresholds);
            predicted.plus(Contribution { parameter, factor: 1.0, estimate: level.seconds })
        }
        None => predicted,
    };
    predicted.interval = Some((low, high));
    (predicted, Some(irregularity.probability()))
}

/// Returns the prediction of the mean time of an operation that may escalate: E(T) = T + n·p·level,
/// for n messages that escalate with probability p by a level on average.
pub(super) fn expected(predicted: Predicted, thresholds: &Thresholds, pieces: Pieces) -> Predicted {
    let Some((factor, estimate)) = thresholds.expected_escalation(pieces) else { return predicted };
    let (low, high) = estimate
        .interval
        .map_or((estimate.value, estimate.value), |interval| (interval.low, interval.high));
    let parameter = of_root("escalations", thresholds);
    let mut predicted = predicted.plus(Contribution { parameter, factor, estimate });
    let moved = |(from, to)| (from + Seconds::new(factor * low), to + Seconds::new(factor * high));
    predicted.interval = predicted.interval.map(moved);
    predicted
}

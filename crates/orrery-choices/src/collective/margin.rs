//! Differences of predicted times with their intervals and reasons.

use super::{Candidate, EQUAL_TIMES};
use orrery_base::units::Seconds;
use orrery_models::comm::{Contribution, ParameterErrors, Predicted};

/// What the time of a chosen candidate consists of, and where it saves time against the next one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reason {
    /// The parameters with the largest part of the time, and that part (0 to 1).
    pub dominant: Option<(&'static str, f64)>,
    /// The parameters in which the next candidate takes more time, and that time relative to the
    /// chosen candidate's; the largest difference.
    pub saved: Option<(&'static str, f64)>,
    /// The fastest candidate, if it was not chosen because its losses at in-ports are unknown.
    pub avoided: Option<Candidate>,
}

impl Reason {
    /// The reason for a chosen candidate against the next one.
    pub(super) fn of(chosen: &Predicted, next: Option<&Predicted>) -> Self {
        let total = chosen.seconds.get();
        if total <= 0.0 {
            return Self::default();
        }
        let largest = |sums: Vec<(&'static str, f64)>| {
            let largest = sums.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
            largest
                .map(|(name, seconds)| (name, seconds / total))
                .filter(|(_, part)| *part > EQUAL_TIMES)
        };
        let own = sums(chosen);
        let saved = next.and_then(|next| {
            let mut difference = sums(next);
            for (name, seconds) in &own {
                match difference.iter_mut().find(|(other, _)| other == name) {
                    Some((_, sum)) => *sum -= seconds,
                    None => difference.push((name, -seconds)),
                }
            }
            largest(difference)
        });
        Self { dominant: largest(own), saved, avoided: None }
    }
}

/// The time of each kind of parameter in seconds.
fn sums(predicted: &Predicted) -> Vec<(&'static str, f64)> {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for one in &predicted.contributions {
        let seconds = one.seconds().get();
        match sums.iter_mut().find(|(name, _)| *name == one.parameter.name) {
            Some((_, sum)) => *sum += seconds,
            None => sums.push((one.parameter.name, seconds)),
        }
    }
    sums
}

/// The time of `other` minus that of `chosen`; 0 if they are equal up to rounding errors.
pub(super) fn margin(chosen: &Predicted, other: &Predicted) -> Seconds {
    let margin = other.seconds - chosen.seconds;
    if margin.get().abs() <= EQUAL_TIMES * chosen.seconds.get() { Seconds::ZERO } else { margin }
}

/// Returns the interval of the time of `slow` minus that of `fast`, on both sides of thresholds
/// that are not known exactly; `None` if a parameter has none. `model` is the half width in seconds
/// that the discrepancies of the model add.
pub(super) fn margin_interval(
    fast: &Predicted,
    slow: &Predicted,
    model: f64,
    errors: &ParameterErrors,
) -> Option<(Seconds, Seconds)> {
    let fast = || std::iter::once(fast).chain(&fast.alternatives);
    let pairs = std::iter::once(slow)
        .chain(&slow.alternatives)
        .flat_map(|slow| fast().map(move |fast| (fast, slow)));
    let intervals = pairs.map(|(fast, slow)| difference_interval(fast, slow, model, errors));
    let intervals = intervals.collect::<Option<Vec<_>>>()?;
    intervals.into_iter().reduce(|(low, high), (other, far)| (low.min(other), high.max(far)))
}

/// Returns the interval of the time of `slow` minus that of `fast`: errors of parameters on both
/// critical paths cancel. `model` is the half width in seconds that the discrepancies of the model
/// add. `None` if the errors are unknown.
fn difference_interval(
    fast: &Predicted,
    slow: &Predicted,
    model: f64,
    errors: &ParameterErrors,
) -> Option<(Seconds, Seconds)> {
    let margin = (slow.seconds - fast.seconds).get();
    // Measured errors of an operation contain a part of those of the parameters.
    let scaled = |one: &Contribution, by: f64| Contribution { factor: by * one.factor, ..*one };
    let mut difference: Vec<Contribution> =
        slow.contributions.iter().map(|one| scaled(one, slow.error_factor)).collect();
    for one in fast.contributions.iter().map(|one| scaled(one, -fast.error_factor)) {
        match difference.iter_mut().find(|other| other.parameter == one.parameter) {
            Some(both) => both.factor += one.factor,
            None => difference.push(one),
        }
    }
    let (below, above) = errors.half_widths(&difference)?;
    Some((Seconds::new(margin - below.hypot(model)), Seconds::new(margin + above.hypot(model))))
}

use super::{MeasuredError, Query};
use crate::comm::{Contribution, ParameterErrors, Predicted, first_interval};
use orrery_base::numeric::student_quantile;
use orrery_base::units::Seconds;

/// The parts of the interval of a prediction: half their widths, relative to the time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Uncertainty {
    /// The part of the readings, through the intervals of the parameters; `None` if a parameter has
    /// none.
    pub readings: Option<f64>,
    /// The part of the model, through what is known of its errors in collective operations or its
    /// [`Discrepancy`]; `None` if neither is known.
    pub model: Option<f64>,
}

/// The level of intervals of models whose parameters have none.
const DEFAULT_LEVEL: f64 = 0.95;

impl Uncertainty {
    /// Returns the parts of the interval of a prediction, and the interval: independent errors of
    /// readings and model.
    ///
    /// The errors `drawn` below and above the time, which come from draws of all parameters but
    /// shared links, take the place of those of the contributions. `model` is half the widths that
    /// the error of the model adds.
    pub(super) fn of(
        predicted: &Predicted,
        errors: &ParameterErrors,
        drawn: Option<(f64, f64)>,
        model: Option<(f64, f64)>,
    ) -> (Self, Option<(Seconds, Seconds)>) {
        let seconds = predicted.seconds.get();
        let readings = match drawn {
            Some(drawn) => {
                let of_links =
                    predicted.contributions.iter().filter(|one| one.parameter.group.is_some());
                let of_links = errors.half_widths(&of_links.copied().collect::<Vec<_>>());
                of_links.map(|(below, above)| (below.hypot(drawn.0), above.hypot(drawn.1)))
            }
            None => errors.half_widths(&predicted.contributions),
        };
        // Errors of the plain time are multiplied like the time itself.
        let readings = readings
            .map(|(below, above)| (predicted.error_factor * below, predicted.error_factor * above));
        let relative = |(below, above): (f64, f64)| {
            if seconds > 0.0 { f64::midpoint(below, above) / seconds } else { 0.0 }
        };
        let parts = Self { readings: readings.map(relative), model: model.map(relative) };
        (parts, interval(seconds, together(readings, model)))
    }
}

/// Returns the level of the intervals of contributions, or the default one if they have none.
pub(super) fn level_of(contributions: &[Contribution]) -> f64 {
    first_interval(contributions).map_or(DEFAULT_LEVEL, |interval| interval.level)
}

/// Returns half the widths below and above a value of two independent errors together; `None` if
/// both are unknown.
pub(super) fn together(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (one, other) {
        (Some(a), Some(b)) => Some((f64::hypot(a.0, b.0), f64::hypot(a.1, b.1))),
        (one, other) => one.or(other),
    }
}

/// The interval of a time \[s\] with these half-widths below and above it, which does not fall
/// below 0; `None` without half-widths.
pub(super) fn interval(
    seconds: f64,
    half_widths: Option<(f64, f64)>,
) -> Option<(Seconds, Seconds)> {
    half_widths.map(|(below, above)| {
        (Seconds::new((seconds - below).max(0.0)), Seconds::new(seconds + above))
    })
}

/// The discrepancy of a kind of model for a group of experiments: its relative error apart from
/// noise.
///
/// Source of the term: Kennedy, O'Hagan, "Bayesian calibration of computer models", J. R. Statist.
/// Soc. B 63, 2001.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discrepancy {
    /// The standard deviation of ln(observed/predicted).
    pub relative: f64,
    /// The number of independent errors that it is estimated from.
    pub degrees: u64,
}

/// The discrepancies of a kind of model by groups of experiments; `None` where noise explains the
/// errors, or none is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discrepancies {
    /// For messages that are alone.
    pub point_to_point: Option<Discrepancy>,
    /// For concurrent messages: collective operations if any were measured, otherwise one-to-two
    /// experiments and exchanges.
    pub concurrent: Option<Discrepancy>,
    /// The errors in measured collective operations.
    pub collectives: Vec<MeasuredError>,
}

/// The smallest number of degrees of freedom of an interval: fewer errors do not determine their
/// distribution.
const MIN_DEGREES: f64 = 4.0;

impl Discrepancy {
    /// The half-widths of the interval of a time at a confidence level, below and above it \[s\].
    pub fn half_widths(&self, seconds: Seconds, level: f64) -> (f64, f64) {
        let exponent =
            self.relative * student_quantile((self.degrees as f64).max(MIN_DEGREES), level);
        (seconds.get() * -f64::exp_m1(-exponent), seconds.get() * f64::exp_m1(exponent))
    }
}

impl Discrepancies {
    /// Returns the discrepancy for a query; that of single messages where none of concurrent ones
    /// is known. `None` if neither is known.
    pub fn of(&self, query: &Query) -> Option<Discrepancy> {
        let is_concurrent = match query {
            Query::PointToPoint { .. } => false,
            Query::Experiment(experiment) => experiment.kind().has_concurrent_messages(),
        };
        if is_concurrent { self.of_concurrent() } else { self.point_to_point }
    }

    /// Returns the discrepancy for concurrent messages; that of single messages where none of
    /// concurrent ones is known. `None` if neither is known.
    pub fn of_concurrent(&self) -> Option<Discrepancy> {
        self.concurrent.or(self.point_to_point)
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

use super::Discrepancy;
use crate::comm::{ParameterErrors, Predicted};
use crate::units::Seconds;

/// The parts of the interval of a prediction: half their widths, relative to the time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Uncertainty {
    /// The part of the readings, through the intervals of the parameters; `None` if a parameter has none.
    pub readings: Option<f64>,
    /// The part of the model, through its [`Discrepancy`]; `None` if it has none.
    pub model: Option<f64>,
}

/// The level of intervals of models whose parameters have none.
const DEFAULT_LEVEL: f64 = 0.95;

impl Uncertainty {
    /// Returns the parts of the interval of a prediction, and the interval: independent errors of readings and model.
    ///
    /// The errors `drawn` below and above the time, which come from draws of all parameters but shared links, take the place of
    /// those of the contributions.
    pub(super) fn of(
        predicted: &Predicted,
        errors: &ParameterErrors,
        drawn: Option<(f64, f64)>,
        discrepancy: Option<Discrepancy>,
    ) -> (Self, Option<(Seconds, Seconds)>) {
        let seconds = predicted.seconds.get();
        let readings = match drawn {
            Some(drawn) => {
                let of_links = predicted.contributions.iter().filter(|one| one.parameter.group.is_some());
                let of_links = errors.half_widths(&of_links.copied().collect::<Vec<_>>());
                of_links.map(|(below, above)| (below.hypot(drawn.0), above.hypot(drawn.1)))
            }
            None => errors.half_widths(&predicted.contributions),
        };
        let level = predicted.contributions.iter().find_map(|one| one.estimate.interval).map(|interval| interval.level);
        let model = discrepancy.map(|one| one.half_widths(predicted.seconds, level.unwrap_or(DEFAULT_LEVEL)));
        let relative =
            |(below, above): (f64, f64)| if seconds > 0.0 { f64::midpoint(below, above) / seconds } else { 0.0 };
        let parts = Self { readings: readings.map(relative), model: model.map(relative) };
        let both = match (readings, model) {
            (Some(a), Some(b)) => Some((f64::hypot(a.0, b.0), f64::hypot(a.1, b.1))),
            (one, other) => one.or(other),
        };
        let interval =
            both.map(|(below, above)| (Seconds::new((seconds - below).max(0.0)), Seconds::new(seconds + above)));
        (parts, interval)
    }
}

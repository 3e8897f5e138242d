use crate::comm::{Contribution, ParameterErrors, first_interval};
use orrery_base::numeric::{Estimate, false_discovery_rates, normal_p_value, normal_quantile};

/// A value with its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Uncertain {
    value: f64,
    /// `None` if it is unknown.
    deviation: Option<f64>,
}

impl Uncertain {
    /// The time of a message: Σ factor·parameter, with the errors of the parameters. The longer
    /// half of an interval counts.
    pub(super) fn of_time(
        seconds: f64,
        contributions: &[Contribution],
        errors: &ParameterErrors,
    ) -> Self {
        let level = first_interval(contributions).map(|interval| interval.level);
        let half = errors.half_widths(contributions).zip(level);
        let deviation =
            half.map(|((below, above), level)| below.max(above) / normal_quantile(level));
        Self { value: seconds, deviation }
    }
}

impl From<&Estimate> for Uncertain {
    fn from(estimate: &Estimate) -> Self {
        Self { value: estimate.value, deviation: estimate.interval.map(|_| estimate.deviation()) }
    }
}

/// A value in two models: the time of a message in seconds, or a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The value in the old model.
    pub old: f64,
    /// The value in the new model.
    pub new: f64,
    /// The standard deviation of the difference; `None` if one of the values has no interval.
    pub deviation: Option<f64>,
    /// The p-value of no difference, adjusted for the number of comparisons; `None` without
    /// deviation.
    pub p_value: Option<f64>,
    /// True if the difference is at least the tolerance and, where its deviation is known,
    /// significant.
    pub is_change: bool,
}

impl Change {
    /// A change that is not tested yet.
    pub(super) fn between(old: Uncertain, new: Uncertain) -> Self {
        let deviation = old.deviation.zip(new.deviation).map(|(old, new)| old.hypot(new));
        Self { old: old.value, new: new.value, deviation, p_value: None, is_change: false }
    }

    /// The relative change new/old − 1; infinite if the old value is 0 and the new one is not.
    pub fn relative(&self) -> f64 {
        let difference = self.new - self.old;
        if difference == 0.0 { 0.0 } else { difference / self.old }
    }

    /// The relative half-width of the interval of the difference, for one comparison; `None`
    /// without deviation.
    pub fn half_width(&self, level: f64) -> Option<f64> {
        self.deviation
            .map(|deviation| normal_quantile(level) * deviation / self.old)
            .filter(|half| half.is_finite())
    }

    /// The magnitude |ln(new/old)|, by which changes are ordered.
    pub fn magnitude(&self) -> f64 {
        self.relative().ln_1p().abs()
    }

    /// The p-value of no difference before its adjustment; `None` if the deviation is unknown.
    fn single_p_value(&self) -> Option<f64> {
        let (difference, deviation) = (self.new - self.old, self.deviation?);
        Some(if difference == 0.0 { 1.0 } else { normal_p_value(difference / deviation) })
    }
}

/// Tests a family of changes and sets their adjusted p-values and [`Change::is_change`]. At most
/// the fraction 1 − `level` of the significant changes is expected to be wrong; `tolerance` is the
/// largest relative change that does not count.
pub(super) fn test<'a>(
    changes: impl IntoIterator<Item = &'a mut Change>,
    level: f64,
    tolerance: f64,
) {
    let mut changes: Vec<&mut Change> = changes.into_iter().collect();
    let single: Vec<Option<f64>> = changes.iter().map(|change| change.single_p_value()).collect();
    let mut adjusted =
        false_discovery_rates(&single.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
    for (change, single) in changes.iter_mut().zip(single) {
        change.p_value = single.and_then(|_| adjusted.next());
        let is_significant = change.p_value.is_none_or(|p| p <= 1.0 - level);
        let is_large = (change.new - change.old).abs() > tolerance * change.old.abs();
        change.is_change = is_significant && is_large;
    }
}

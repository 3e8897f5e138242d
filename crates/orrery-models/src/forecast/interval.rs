//! Prediction intervals whose coverage is measured and corrected.
//!
//! Adaptive conformal inference (Gibbs, Candès: Adaptive conformal inference under distribution
//! shift, NeurIPS 2021, section 2), for each end of the interval by itself, so that skewed errors
//! are covered too. The lower end is the forecast plus the α-quantile of the last errors. After
//! each value,
//!
//! α ← α + γ·(α₀ − 1[value below the interval]),  α₀ = (1 − level)/2,
//!
//! and likewise for the upper end. Whatever the series is, the fraction of values below the
//! intervals of T forecasts then differs from α₀ by at most a multiple of 1/(γ·T) (proposition 4.1
//! there), as long as the ends can go that far.

use std::collections::VecDeque;

use super::window::Window;

/// The number of last errors whose quantiles are used.
const ERRORS: usize = 200;

/// The step γ of the correction after each value.
const STEP: f64 = 0.002;

/// The number of last forecasts over which the coverage is measured.
pub(super) const COVERAGE_WINDOW: usize = 500;

/// How often values were inside their prediction intervals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of values that were inside.
    pub inside: u64,
    /// The number of values that had an interval.
    pub count: u64,
}

impl Coverage {
    /// The fraction of the values that were inside; `None` without values.
    pub fn fraction(self) -> Option<f64> {
        (self.count > 0).then(|| self.inside as f64 / self.count as f64)
    }

    /// Adds the outcome of one forecast.
    pub(super) fn add(&mut self, is_inside: bool) {
        self.inside += u64::from(is_inside);
        self.count += 1;
    }
}

/// The state of the intervals of one level for the forecasts of one horizon.
#[derive(Debug, Clone)]
pub(super) struct ConformalInterval {
    /// The probability α₀ on each side.
    target: f64,
    /// The probability α of the lower end.
    lower: f64,
    /// The probability α of the upper end.
    upper: f64,
    errors: Window,
    /// The outcomes of the last forecasts, true if inside.
    outcomes: VecDeque<bool>,
    recent: Coverage,
}

impl ConformalInterval {
    /// Intervals of a level between 0 and 1.
    pub(super) fn new(level: f64) -> Self {
        let target = (1.0 - level) / 2.0;
        let size = ERRORS.max(min_errors(level));
        let (outcomes, recent) = (VecDeque::with_capacity(COVERAGE_WINDOW), Coverage::default());
        Self {
            target,
            lower: target,
            upper: target,
            errors: Window::new(size, size),
            outcomes,
            recent,
        }
    }

    /// The ends of the interval relative to the forecast, the lower one at most 0 and the upper one
    /// at least 0. `None` if there are too few errors.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        if self.missing_errors() > 0 {
            return None;
        }
        let (smallest, largest) =
            (self.errors.select(0)?, self.errors.select(self.errors.len() - 1)?);
        let range = largest - smallest;
        let lower = match self.rank(self.lower) {
            Some(rank) => self.errors.select(rank)?,
            None => smallest - range * self.excess(self.lower),
        };
        let upper = match self.rank(self.upper) {
            Some(rank) => self.errors.select(self.errors.len() - 1 - rank)?,
            None => largest + range * self.excess(self.upper),
        };
        Some((lower.min(0.0), upper.max(0.0)))
    }

    /// The number of further errors that the first interval needs.
    pub(super) fn missing_errors(&self) -> usize {
        min_errors_of_side(self.target).saturating_sub(self.errors.len())
    }

    /// Appends the error value − forecast, and corrects both ends by the interval that was given
    /// for the value, if one was.
    pub(super) fn update(&mut self, error: f64, value: f64, interval: Option<(f64, f64)>) {
        self.errors.push(error);
        let Some((low, high)) = interval else { return };
        let miss = |is_outside: bool| if is_outside { 1.0 } else { 0.0 };
        self.lower += STEP * (self.target - miss(value < low));
        self.upper += STEP * (self.target - miss(value > high));
        let is_inside = (low..=high).contains(&value);
        if self.outcomes.len() == COVERAGE_WINDOW && self.outcomes.pop_front() == Some(true) {
            self.recent.inside -= 1;
        }
        self.outcomes.push_back(is_inside);
        self.recent.inside += u64::from(is_inside);
        self.recent.count = self.outcomes.len() as u64;
    }

    /// The coverage of the last forecasts.
    pub(super) fn recent(&self) -> Coverage {
        self.recent
    }

    /// The rank from the end of the errors that belongs to a probability: the k-th error from the
    /// end, k = ⌊α·(n + 1)⌋, has at least the coverage 1 − α (Vovk, Gammerman, Shafer: Algorithmic
    /// learning in a random world, 2005, section 2.2). `None` if the interval must be wider than
    /// all errors.
    fn rank(&self, probability: f64) -> Option<usize> {
        let count = self.errors.len();
        let rank = (probability.min(0.5) * (count + 1) as f64).floor();
        (rank >= 1.0).then(|| (rank as usize).min(count) - 1)
    }

    /// How far an end is beyond all errors, as a multiple of their range: for α < 0 in proportion
    /// to −α/α₀.
    fn excess(&self, probability: f64) -> f64 {
        (-probability / self.target).max(0.0)
    }
}

/// The number of errors that intervals of a level need.
fn min_errors(level: f64) -> usize {
    min_errors_of_side((1.0 - level) / 2.0)
}

/// The number of errors n that an end with this probability needs: α·(n + 1) ≥ 1.
fn min_errors_of_side(target: f64) -> usize {
    // The rounding error of 1 − level must not require one more error.
    ((1.0 / target - 1.0) * (1.0 - 1e-9)).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_errors_have_no_interval() {
        let mut interval = ConformalInterval::new(0.95);
        for count in 0..39 {
            assert_eq!((interval.ends(), interval.missing_errors()), (None, 39 - count));
            interval.update(1.0, 1.0, None);
        }
        assert_eq!(interval.ends(), Some((0.0, 1.0)));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "an end of the same quantile is the same number")]
    fn misses_widen_their_side() {
        let mut interval = ConformalInterval::new(0.95);
        (0..200).for_each(|k| interval.update(f64::from(k % 20 - 10), 0.0, None));
        let (low, high) = interval.ends().unwrap();
        (0..30).for_each(|k| interval.update(f64::from(k % 20 - 10), 100.0, Some((low, high))));
        let (lower, higher) = interval.ends().unwrap();
        assert_eq!(lower, low);
        assert!(higher > high + 10.0, "{higher}");
        assert_eq!(interval.recent(), Coverage { inside: 0, count: 30 });
    }

    /// Series whose errors grow keep their coverage.
    #[test]
    fn the_coverage_holds_when_errors_grow() {
        let mut interval = ConformalInterval::new(0.9);
        let mut inside = 0;
        for step in 0_u64..10_000 {
            let uniform =
                (step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1_u64 << 24) as f64;
            let value = (uniform - 0.3) * (step as f64 / 500.0).exp();
            let given = interval.ends();
            inside += u64::from(given.is_some_and(|(low, high)| (low..=high).contains(&value)));
            interval.update(value, value, given);
        }
        assert!((8_900..9_100).contains(&inside), "{inside}");
    }
}

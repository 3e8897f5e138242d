//! The mean since the last change of level.
//!
//! Changes are found by cumulative sums (Page: Continuous inspection schemes, Biometrika 41, 1954)
//! of the deviations from the mean in units of their mean magnitude, z:
//!
//! S⁺ ← max(0, S⁺ + z − k),  S⁻ ← max(0, S⁻ − z − k),  a change if S⁺ > h or S⁻ > h.
//!
//! Deviations are limited to a few units, so that one spike is no change of level.

/// The deviation k that is not counted, in mean deviations.
const ALLOWANCE: f64 = 0.5;

/// The sum h of deviations that makes a change, in mean deviations.
const THRESHOLD: f64 = 8.0;

/// The maximum of one deviation, in mean deviations.
const MAX_DEVIATION: f64 = 4.0;

/// The discount of past deviations in their mean.
const DISCOUNT: f64 = 0.98;

/// The maximum number of values that the mean counts: a level may drift slowly.
const MAX_VALUES: f64 = 200.0;

/// The number of values that a new level starts from.
const RESTART_VALUES: f64 = 5.0;

/// The mean of the values since the last change of level.
#[derive(Debug, Clone, Default)]
pub(super) struct Level {
    mean: f64,
    /// The number of values in the mean.
    values: f64,
    /// The discounted sum and the discounted number of absolute deviations.
    deviations: (f64, f64),
    above: f64,
    below: f64,
    changes: u64,
}

impl Level {
    /// Appends a value; a new level starts at the median of the last 5 values, this one included.
    pub(super) fn update(&mut self, value: f64, recent_median: f64) {
        let deviation = value - self.mean;
        let (sum, count) = self.deviations;
        if self.values > 0.0 {
            if sum > 0.0 {
                let z = (deviation / (sum / count)).clamp(-MAX_DEVIATION, MAX_DEVIATION);
                self.above = (self.above + z - ALLOWANCE).max(0.0);
                self.below = (self.below - z - ALLOWANCE).max(0.0);
            }
            self.deviations = (DISCOUNT * sum + deviation.abs(), DISCOUNT * count + 1.0);
        }
        if self.above > THRESHOLD || self.below > THRESHOLD {
            (self.above, self.below) = (0.0, 0.0);
            (self.mean, self.values) = (recent_median, RESTART_VALUES);
            self.changes += 1;
        } else {
            self.values = (self.values + 1.0).min(MAX_VALUES);
            self.mean += (value - self.mean) / self.values;
        }
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// The number of changes of level so far.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(values: impl IntoIterator<Item = f64>) -> Level {
        let mut level = Level::default();
        let mut last = Vec::new();
        for value in values {
            last.push(value);
            let tail = &last[last.len().saturating_sub(5)..];
            level.update(value, orrery_base::numeric::median(tail));
        }
        level
    }

    fn wave(step: u32) -> f64 {
        f64::from(step * 7 % 5) - 2.0
    }

    #[test]
    fn a_shift_restarts_the_mean() {
        let level = play((0..100).map(wave).chain((0..12).map(|step| 20.0 + wave(step))));
        assert_eq!(level.changes(), 1);
        assert!((level.mean() - 20.0).abs() < 1.0, "{}", level.mean());
    }

    #[test]
    fn a_spike_is_no_shift() {
        let level = play((0..100).map(wave).chain([1000.0]).chain((0..50).map(wave)));
        assert_eq!(level.changes(), 0);
    }
}

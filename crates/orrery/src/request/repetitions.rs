use serde::{Deserialize, Serialize};

use super::{RequestError, check_level, check_positive};
use crate::budget::Budget;
use crate::measure::{MEMORY_PER_READING, Precision};

/// How often the experiments of a campaign are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RepetitionRequest {
    /// The minimum number of readings.
    pub min_reps: u32,
    /// The maximum number of readings; 100, or the minimum if that is larger, by default.
    pub max_reps: Option<u32>,
    /// The half-width of the interval, relative to the median, at which repetitions stop.
    pub eps: f64,
    /// The level of the interval.
    pub level: f64,
    /// The number of repetitions before the first reading.
    pub warm_up: u32,
}

/// The checked repetitions of the experiments of a campaign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repetitions {
    /// The stopping rule.
    pub precision: Precision,
    /// The number of repetitions before the first reading.
    pub warm_up: u32,
}

impl Default for RepetitionRequest {
    fn default() -> Self {
        let Precision { min_reps, eps, level, .. } = Precision::default();
        Self { min_reps, max_reps: None, eps, level, warm_up: 1 }
    }
}

impl RepetitionRequest {
    /// Returns the repetitions.
    ///
    /// # Errors
    ///
    /// When a number is out of its range, when the maximum is below the minimum, or when the
    /// repetitions of an experiment exceed the budget.
    pub fn checked(&self) -> Result<Repetitions, RequestError> {
        let Self { min_reps, max_reps, eps, level, warm_up } = *self;
        let usual = Precision::default();
        let max_reps = max_reps.unwrap_or(usual.max_reps.max(min_reps));
        check_level(level)?;
        check_positive("eps", eps)?;
        if min_reps == 0 {
            return Err(RequestError::invalid("min_reps", min_reps, "it must be at least 1"));
        }
        if max_reps < min_reps {
            return Err(RequestError::range(("min_reps", min_reps), ("max_reps", max_reps)));
        }
        let budget = Budget::of_input(0);
        let repetitions =
            format!("one experiment with {warm_up} repetitions before its first reading");
        budget.check_operations(repetitions, warm_up.into())?;
        let readings = format!("one experiment with {max_reps} readings");
        budget.check_memory(readings, u64::from(max_reps) * MEMORY_PER_READING)?;
        Ok(Repetitions {
            precision: Precision { min_reps, max_reps, level, eps, ..usual },
            warm_up,
        })
    }
}

impl Repetitions {
    /// The same with at least this number of readings.
    #[must_use]
    pub fn at_least(self, readings: u32) -> Self {
        Self { precision: self.precision.at_least(readings), ..self }
    }

    /// The text for the provenance of samples.
    pub fn words(&self) -> String {
        let Precision { min_reps, max_reps, level, eps, .. } = self.precision;
        let warm_up = self.warm_up;
        format!(
            "min-reps {min_reps}, max-reps {max_reps}, eps {eps}, level {level}, warm-up {warm_up}"
        )
    }
}

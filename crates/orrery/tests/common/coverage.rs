//! Counts of intervals that contain the truth.

use orrery::numeric::{Estimate, Interval};

/// The number of intervals, and of those that contain the truth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Coverage {
    pub all: usize,
    pub inside: usize,
}

impl Coverage {
    /// Counts an interval.
    pub fn add(&mut self, low: f64, high: f64, truth: f64) {
        self.all += 1;
        self.inside += usize::from((low..=high).contains(&truth));
    }

    /// Counts the interval of an estimate, if there is one.
    pub fn estimate(&mut self, estimate: &Estimate, truth: f64) {
        if let Some(Interval { low, high, .. }) = estimate.interval {
            self.add(low, high, truth);
        }
    }

    /// The part of the intervals that contain the truth.
    pub fn part(&self) -> f64 {
        self.inside as f64 / self.all as f64
    }
}

//! The discrepancy of a model: the part of its errors that the noise of readings does not explain.

use super::Query;
use orrery_base::numeric::student_quantile;
use orrery_base::units::Seconds;

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
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Discrepancies {
    /// For messages that are alone.
    pub point_to_point: Option<Discrepancy>,
    /// For concurrent messages: collective operations if any were measured, otherwise one-to-two
    /// experiments and exchanges.
    pub concurrent: Option<Discrepancy>,
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

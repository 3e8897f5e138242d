//! A measured value.

use crate::name::SeriesName;
use crate::timestamp::Timestamp;

/// A measured value of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What was measured.
    pub series: SeriesName,
    /// When.
    pub time: Timestamp,
    /// The value, in the unit of the quantity; finite.
    pub value: f64,
}

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

/// The code of the service's refusals of the content of a sample, which are no answer of a proxy: an
/// agent may leave the sample out.
#[cfg(any(feature = "client", feature = "service"))]
pub(crate) const INVALID_SAMPLE: &str = "invalid_sample";

/// The code of the service's refusals of a sample that is too far ahead of its clock: it is accepted
/// when the clock comes near.
#[cfg(any(feature = "client", feature = "service"))]
pub(crate) const SAMPLE_AHEAD: &str = "sample_ahead";

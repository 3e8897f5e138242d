//! Units as types: [`Seconds`], [`Bytes`], [`SecondsPerByte`] and [`BytesPerSecond`], with only meaningful operators,
//! and the notation of sizes on the command line ([`SizeList`]).

mod bytes;
mod number_list;
mod rate;
mod seconds;
mod size_list;

pub use bytes::Bytes;
pub use number_list::NumberList;
pub use rate::{BytesPerSecond, SecondsPerByte};
pub use seconds::Seconds;
pub use size_list::SizeList;

/// The error of a text that is not a valid size, number, list or duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read {text:?} as {expected}: {reason}")]
pub struct UnitError {
    /// The text.
    pub text: String,
    /// The expected content, with an example.
    pub expected: &'static str,
    /// The reason.
    pub reason: String,
}

use std::fmt;

/// Writes `value unit` with at least three significant digits.
fn three_digits(f: &mut fmt::Formatter<'_>, value: f64, unit: &str) -> fmt::Result {
    let decimals = match value.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    f.pad(&format!("{value:.decimals$} {unit}"))
}

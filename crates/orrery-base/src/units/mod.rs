//! Units as types: [`Seconds`], [`Bytes`], [`SecondsPerByte`] and [`BytesPerSecond`], with only
//! meaningful operators, and the notation of sizes on the command line ([`SizeList`]).

mod as_text;
mod bytes;
mod named_enum;
mod number_list;
mod rate;
mod seconds;
mod size_list;

use std::fmt;

use crate::names::advice;

pub use bytes::{Bytes, rounded_bytes};
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

/// The error of a text that is none of the names of a set.
///
/// ```
/// use orrery_base::units::UnknownName;
/// let known = ["max", "root", "global"];
/// let error = UnknownName::find("timing method", "mean", &known, |name| *name).unwrap_err();
/// assert_eq!(error.to_string(), "unknown timing method \"mean\"; known are max, root, global");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}; {}", advice(.name, "known", .known))]
pub struct UnknownName {
    /// The set, such as `algorithm`.
    pub what: &'static str,
    /// The text.
    pub name: String,
    /// The names of the set.
    pub known: Vec<&'static str>,
}

/// A set of named values, each with a description for people who choose one.
pub trait Described: std::str::FromStr<Err = UnknownName> + Clone + Send + Sync + 'static {
    /// The names with their descriptions.
    const DESCRIPTIONS: &'static [(&'static str, &'static str)];
}

impl UnknownName {
    /// The value of the set `all` that has the name `text`; `what` describes the set in the error.
    ///
    /// # Errors
    ///
    /// When no value has this name.
    pub fn find<T: Copy>(
        what: &'static str,
        text: &str,
        all: &[T],
        name: impl Fn(&T) -> &'static str,
    ) -> Result<T, Self> {
        let found = all.iter().find(|value| name(value) == text).copied();
        found.ok_or_else(|| Self {
            what,
            name: text.to_owned(),
            known: all.iter().map(name).collect(),
        })
    }
}

/// Writes `value unit` with three significant digits from 1 to 999; larger values and 0 have no
/// decimals, smaller ones two.
fn three_digits(f: &mut fmt::Formatter<'_>, value: f64, unit: &str) -> fmt::Result {
    let decimals = match value.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    f.pad(&format!("{value:.decimals$} {unit}"))
}

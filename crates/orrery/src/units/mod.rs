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

/// A size, a list of sizes or a duration that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read {text:?} as {expected}: {reason}")]
pub struct UnitError {
    /// What was given.
    pub text: String,
    /// What was expected in its place, with an example.
    pub expected: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

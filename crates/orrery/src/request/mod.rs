//! Requests: what a user can ask of a model, typed and serialisable, checked in one place.
//!
//! A request has public fields with defaults. Its answer is computed by one method, which first
//! checks the fields against each other and against the model. Commands, bindings and services
//! translate their arguments into requests and show the answers; a [`RequestError`] has the name of
//! a field as data, which each of them words in its own way.

mod algorithms;
#[cfg(feature = "applications")]
mod applications;
mod collective_choice;
mod error;
#[cfg(feature = "estimation")]
mod fit;
mod kernel;
mod message;
mod order;
#[cfg(feature = "estimation")]
mod repetitions;
mod roots;
#[cfg(feature = "estimation")]
mod validation;

pub use algorithms::{AlgorithmSelection, Algorithms};
#[cfg(feature = "applications")]
pub use applications::*;
#[cfg(feature = "estimation")]
pub use collective_choice::MeasuredChoices;
pub use collective_choice::{CollectiveChoiceRequest, CollectiveRanges};
pub use error::RequestError;
#[cfg(feature = "estimation")]
pub use fit::{Fitted, fit_samples};
#[cfg(feature = "applications")]
pub use kernel::KernelAnswer;
pub use kernel::KernelRequest;
pub use message::{Answer, CollectiveRequest, MessageRequest, Queries, SizedQuery};
pub use order::{CollectiveOrder, OrderRequest};
#[cfg(feature = "estimation")]
pub use repetitions::{RepetitionRequest, Repetitions};
pub use roots::{Roots, RootsError};
#[cfg(feature = "estimation")]
pub use validation::{ValidatedSamples, ValidationRequest};

use crate::budget::Budget;
use crate::model::{Model, ModelKind};
use crate::platform::Processor;

/// The name of a request for several answers in messages: `a request of 12 predictions`.
fn request_of(count: u64, answer: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("a request of {count} {answer}{plural}")
}

/// Checks the number of answers to a request with lists of these lengths, one for each combination;
/// each takes about this number of operations. Returns the number.
///
/// # Errors
///
/// When the answers take more operations or memory than an input may request.
fn check_answers(
    lengths: impl IntoIterator<Item = usize>,
    answer: &str,
    operations: u64,
) -> Result<u64, RequestError> {
    /// The memory in bytes of an answer with its parts, and of its row.
    const MEMORY: u64 = 10 << 10;
    let count = lengths.into_iter().fold(1_u64, |all, one| all.saturating_mul(one as u64));
    Budget::of_input(0).check_memory(request_of(count, answer), count.saturating_mul(MEMORY))?;
    check_work(count, answer, operations)?;
    Ok(count)
}

/// Checks the operations of a number of answers, each of which takes about `operations`.
fn check_work(count: u64, answer: &str, operations: u64) -> Result<(), RequestError> {
    let all = count.saturating_mul(operations);
    Ok(Budget::of_input(0).check_operations(request_of(count, answer), all)?)
}

/// Checks a confidence level.
///
/// # Errors
///
/// When it is not between 0 and 1.
pub fn check_level(level: f64) -> Result<(), RequestError> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    let reason = "it must lie between 0 and 1, such as 0.95";
    Err(RequestError::invalid("level", level, reason))
}

/// Checks that a field is a finite number above 0.
///
/// # Errors
///
/// When it is not.
pub fn check_positive(field: &'static str, value: f64) -> Result<(), RequestError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(RequestError::invalid(field, value, "it must be a finite number above 0"))
}

/// Returns the named kinds of models, or all kinds of the model for an empty list.
///
/// # Errors
///
/// When the model has no model of the communication.
pub fn kinds(named: &[ModelKind], model: &Model) -> Result<Vec<ModelKind>, RequestError> {
    let known = model.kinds();
    match (known.is_empty(), named.is_empty()) {
        (true, _) => Err(RequestError::NoCommunication),
        (false, true) => Ok(known),
        (false, false) => Ok(named.to_vec()),
    }
}

/// Checks that a rank in a field is one of the processors that take part.
///
/// # Errors
///
/// When there is no such rank.
pub fn check_rank(
    field: &'static str,
    rank: Processor,
    processors: usize,
) -> Result<(), RequestError> {
    if rank.index() < processors {
        return Ok(());
    }
    let last = processors.saturating_sub(1);
    let reason = format!("valid ranks of {processors} processors are 0 to {last}");
    Err(RequestError::invalid(field, rank, reason))
}

/// Checks that a message goes from one of the processors to another one.
///
/// # Errors
///
/// When there is no such processor, or when both are the same.
pub fn check_ends(from: Processor, to: Processor, processors: usize) -> Result<(), RequestError> {
    check_rank("from", from, processors)?;
    check_rank("to", to, processors)?;
    if from == to {
        let reason = "sender and receiver must differ; name two ranks";
        return Err(RequestError::invalid("to", to, reason));
    }
    Ok(())
}

/// Returns how many of the processors of a model take part: all by default.
///
/// # Errors
///
/// When they are fewer than 2, or more than the model has.
pub fn procs(procs: Option<usize>, processors: usize) -> Result<usize, RequestError> {
    let given = procs.unwrap_or(processors);
    if (2..=processors).contains(&given) {
        return Ok(given);
    }
    let reason = format!("with {processors} processors, valid numbers are 2 to {processors}");
    Err(RequestError::invalid("procs", given, reason))
}

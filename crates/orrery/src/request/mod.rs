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
pub use kernel::KernelRequest;
pub use message::{Answer, CollectiveRequest, MessageRequest, Queries, SizedQuery};
pub use order::{CollectiveOrder, OrderRequest};
#[cfg(feature = "estimation")]
pub use repetitions::{RepetitionRequest, Repetitions};
pub use roots::{Roots, RootsError};
#[cfg(feature = "estimation")]
pub use validation::{ValidatedSamples, ValidationRequest};

use crate::model::{Model, ModelKind};
use crate::platform::Processor;

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

//! Errors of requests in the words of the command.

use std::path::{Path, PathBuf};

use anyhow::Error;
use orrery::request::RequestError;

use crate::applies;
use crate::context::Usage;

/// The option of a field of a request.
fn option(field: &str) -> String {
    match field {
        "sizes" => "--size".to_owned(),
        field => format!("--{}", field.replace('_', "-")),
    }
}

/// The error of a request as wrong usage, with the names of options in place of those of fields.
#[expect(clippy::needless_pass_by_value, reason = "errors are mapped by value")]
pub fn usage(error: RequestError) -> Usage {
    Usage(error.worded(option))
}

/// The error of the library behind a request, or else the error of the request.
fn cause(error: RequestError) -> Result<Error, RequestError> {
    Ok(match error {
        RequestError::Budget(cause) => Error::new(cause),
        RequestError::Predict(cause) => Error::new(cause),
        RequestError::Measured(cause) => Error::new(cause),
        RequestError::Fit(cause) => Error::new(cause),
        RequestError::HostClasses(cause) => Error::new(cause),
        RequestError::Kernel(cause) => Error::new(cause),
        RequestError::Routine(cause) => Error::new(cause),
        RequestError::Region(cause) => Error::new(cause),
        RequestError::Runs(cause) => Error::new(cause),
        RequestError::Forecast(cause) => Error::new(cause),
        RequestError::Failed { remedy: Some(("speed", _)), .. } => {
            let text = error.worded(option);
            Error::msg(format!("{text} FLOPS, or --cluster with the speeds of the hosts"))
        }
        RequestError::Failed { .. } => Error::msg(error.worded(option)),
        error => return Err(error),
    })
}

/// The error of the command for a request: wrong usage, or the cause.
pub fn without_file(error: RequestError) -> Error {
    cause(error).unwrap_or_else(|error| usage(error).into())
}

/// The error of the command for a request about the model in a file: wrong usage if the request is
/// wrong, otherwise the cause at the place of the model.
pub fn failure(error: RequestError, model: &Path) -> Error {
    failure_at(error, model.display().to_string())
}

/// The error of a comparison of the model in a file with measurements.
pub fn of_given(error: RequestError, model: &Path, given: &[PathBuf]) -> Error {
    match error {
        RequestError::Budget(_) => failure_at(error, applies::names(given)),
        error => failure(error, model),
    }
}

/// The error of a model file without a model of what is asked, and the command that makes one.
fn absent(place: &str, subject: &str, command: &str) -> Usage {
    Usage(format!(
        "{place}: this file has no model of {subject}; make one with \"orrery {command}\", or name \
            another file"
    ))
}

/// The same with the place of what the request is about.
pub fn failure_at(error: RequestError, place: String) -> Error {
    match cause(error) {
        Ok(cause) => cause.context(place),
        Err(RequestError::NoCommunication) => absent(&place, "messages", "fit SAMPLES").into(),
        Err(RequestError::NoApplication) => {
            absent(&place, "an application", "scaling fit RUNS").into()
        }
        Err(error) => usage(error).into(),
    }
}

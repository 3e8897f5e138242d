//! Errors of requests in the words of the command.

use std::path::Path;

use anyhow::Error;
use orrery::request::RequestError;

use crate::context::Usage;

/// The option of a field of a request.
fn option(field: &str) -> String {
    match field {
        "sizes" => "--size".to_owned(),
        field => format!("--{}", field.replace('_', "-")),
    }
}

/// Wrong usage, in the names of options.
#[expect(clippy::needless_pass_by_value, reason = "errors are mapped by value")]
pub fn usage(error: RequestError) -> Usage {
    Usage(error.worded(option))
}

/// The error of the command for the simulation of an application.
pub fn of_run(error: RequestError) -> Error {
    match error {
        RequestError::Predict(cause) => Error::new(cause),
        RequestError::Run { .. } | RequestError::Missing { .. } => Error::msg(error.worded(option)),
        error => usage(error).into(),
    }
}

/// The error of the command for a request about the model in a file: wrong usage if the request is
/// wrong, otherwise the cause at the place of the model.
pub fn failure(error: RequestError, model: &Path) -> Error {
    let place = model.display().to_string();
    match error {
        RequestError::Predict(cause) => Error::new(cause).context(place),
        RequestError::Measured(cause) => Error::new(cause).context(place),
        RequestError::Kernel(cause) => Error::new(cause).context(place),
        RequestError::Routine(cause) => Error::new(cause).context(place),
        RequestError::Region(cause) => Error::new(cause).context(place),
        RequestError::Forecast(cause) => Error::new(cause).context(place),
        RequestError::NoCommunication | RequestError::NoApplication => {
            Usage(format!("{place}: {error}")).into()
        }
        error => usage(error).into(),
    }
}

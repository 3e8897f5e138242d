//! Errors of the library as exceptions, and its warnings.

use std::error::Error;
use std::ffi::CString;
use std::fmt::Display;

use orrery::file::{FaultKind, FileError};
use orrery::request::RequestError;
use pyo3::prelude::*;

/// The exceptions, which are classes of Python with two bases.
#[allow(missing_docs, reason = "they are documented in Python")]
mod exceptions {
    pyo3::import_exception!(orrery._errors, FileError);
    pyo3::import_exception!(orrery._errors, InputError);
    pyo3::import_exception!(orrery._errors, InternalError);
    pyo3::import_exception!(orrery._errors, MachineError);
    pyo3::import_exception!(orrery._errors, ServiceError);
}

/// The text of an error with those that caused it.
fn text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The exception for an argument, or for a content that cannot be used.
pub(crate) fn input(error: impl Error) -> PyErr {
    exceptions::InputError::new_err(text(&error))
}

/// The exception for an argument, in words.
pub(crate) fn argument(words: impl Into<String>) -> PyErr {
    exceptions::InputError::new_err(words.into())
}

/// The exception for a request, with the names of arguments.
pub(crate) fn request(error: RequestError) -> PyErr {
    let name = |field: &str| if field == "from" { "from_".to_owned() } else { field.to_owned() };
    error.cause().map_or_else(
        || argument(error.worded(name)),
        |cause| exceptions::InputError::new_err(text(cause)),
    )
}

/// The exception for a file: wrong content, or a file that cannot be read or written.
pub(crate) fn file(error: FileError) -> PyErr {
    match &error {
        FileError::Content { fault, .. } if fault.kind() == &FaultKind::Unreadable => system(error),
        FileError::Content { .. } | FileError::Write { .. } => input(error),
        FileError::System { .. }
        | FileError::Exists { .. }
        | FileError::OtherKind { .. }
        | FileError::InUse { .. }
        | FileError::Changed { .. } => system(error),
    }
}

/// The exception for a file that cannot be read or written.
pub(crate) fn system(error: impl Error) -> PyErr {
    exceptions::FileError::new_err(text(&error))
}

/// The exception for a machine that fails.
pub(crate) fn machine(error: impl Error) -> PyErr {
    exceptions::MachineError::new_err(text(&error))
}

/// The exception for a service that cannot be reached, or refuses a request.
pub(crate) fn service(error: impl Error) -> PyErr {
    exceptions::ServiceError::new_err(text(&error))
}

/// The exception for a fault of the library.
pub(crate) fn internal(words: impl Display) -> PyErr {
    exceptions::InternalError::new_err(format!("fault of the library: {words}"))
}

/// Issues a warning for the line of the caller.
pub(crate) fn warn(py: Python<'_>, words: impl Display) -> PyResult<()> {
    let category = py.import("orrery._errors")?.getattr("OrreryWarning")?;
    let words = CString::new(words.to_string().replace('\0', "?")).unwrap_or_default();
    PyErr::warn(py, &category, &words, 1)
}

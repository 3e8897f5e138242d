use std::path::Path;

use super::error::ModelError;
use super::{FORMAT, VERSION, models, processors, provenance};
use crate::file;
use crate::json::{Layout, quote};
use crate::model::Model;

/// Returns the text of a model file, with one line for each array, so that files can be compared line by line.
///
/// # Errors
///
/// A model that could not be read back: a number that is not finite, a negative delay, a value outside its interval, a
/// parameter for another number of processors, a missing parameter.
pub fn to_text(model: &Model) -> Result<String, ModelError> {
    let refuse = |(place, fault)| ModelError::Write { place, fault };
    let layout = Layout::Object(vec![
        ("format".into(), Layout::Line(quote(FORMAT))),
        ("version".into(), Layout::Line(VERSION.to_string())),
        ("provenance".into(), provenance::write(&model.provenance, model.measured).map_err(refuse)?),
        ("processors".into(), processors::write(&model.hosts)),
        ("models".into(), models::write(model).map_err(refuse)?),
    ]);
    Ok(format!("{layout}\n"))
}

/// Writes a model file atomically; an existing file is replaced as a whole or left unchanged.
///
/// # Errors
///
/// All errors of [`to_text`] and of the operating system.
pub fn write(path: impl AsRef<Path>, model: &Model) -> Result<(), ModelError> {
    let path = path.as_ref();
    file::write(path, &to_text(model)?, true)
}

use std::path::Path;

use super::error::ModelError;
use super::{FORMAT, VERSION, models, processors, provenance};
use crate::file;
use crate::json::{Layout, quote};
use crate::model::Model;

/// The text of a model file: one line for each array, so that two of them can be compared line by line.
///
/// # Errors
///
/// A model that could not be read back: a number that is not finite, a negative delay, a value outside its interval, a
/// parameter for another number of processors, a missing one.
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

/// Writes a model file as a whole: it is there with all its content, or as it was before. A file that exists is
/// replaced.
///
/// # Errors
///
/// Whatever [`to_text`] refuses, and whatever the system refuses.
pub fn write(path: impl AsRef<Path>, model: &Model) -> Result<(), ModelError> {
    let path = path.as_ref();
    file::write(path, &to_text(model)?, true)
}

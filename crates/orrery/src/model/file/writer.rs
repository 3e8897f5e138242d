use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::error::ModelError;
use super::layout::{Layout, quote};
use super::{FORMAT, VERSION, kinds, processors, provenance};
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
        ("models".into(), kinds::write(model).map_err(refuse)?),
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
    let text = to_text(model)?;
    replace(path, text.as_bytes()).map_err(|reason| ModelError::System {
        path: path.to_owned(),
        doing: "write",
        reason,
    })
}

/// Replaces the content of a file in one step, by way of a file beside it.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link keeps pointing to its file; a device or pipe is written to as it is.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(content);
    }
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = target.with_file_name(beside);
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(content)?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, &target)).inspect_err(|_| drop(fs::remove_file(&beside)))
}

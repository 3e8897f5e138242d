//! JSON with positions: values record where they begin, for the errors of files; and JSON in a
//! layout for reading.

mod error;
mod layout;
mod node;

pub use error::{byte_at, file_error, json_path, missing, syntax};
pub use layout::{Layout, list, object, quote};
pub use node::{Node, Object};

use std::path::Path;

use crate::file::{Fault, FaultKind, FileError, FileKind, Result, kind_of, other_kind};

/// Returns the text of a file's content, without a byte order mark.
///
/// # Errors
///
/// Content that is not UTF-8; the error includes the text before the first invalid byte.
pub fn text(content: &[u8]) -> Result<&str, (Fault, String)> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    std::str::from_utf8(content).map_err(|error| {
        let before = String::from_utf8_lossy(&content[..error.valid_up_to()]).into_owned();
        let fault = "the file is not UTF-8 text, so it is not JSON; check the name of the file";
        (Fault::new(fault).of_kind(FaultKind::NotText).at(before.len()), before)
    })
}

/// Reads the content of a file of a kind with `parse`; an error has the file, the line, the column
/// and the path of its fault.
///
/// # Errors
///
/// When the content is no object in JSON or looks like a file of another kind, or `parse` refuses
/// it.
pub fn read<'a, T>(
    content: &'a [u8],
    path: &Path,
    kind: FileKind,
    parse: impl FnOnce(&'a str) -> Result<T>,
) -> Result<T, FileError> {
    let begin = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content).trim_ascii_start();
    if !begin.starts_with(b"{") || kind_of(content).is_some_and(|found| found != kind) {
        return Err(FileError::located(path, "", other_kind(content, kind)));
    }
    let text = text(content).map_err(|(fault, before)| file_error(path, &before, fault))?;
    parse(text).map_err(|fault| file_error(path, text, fault))
}

/// Checks the format and the version of a file of this kind.
///
/// # Errors
///
/// When the file has another format, or a newer version.
pub fn check_format(file: &Object, kind: FileKind, version: u64) -> Result<()> {
    let expected = format!("{:?}", kind.format());
    let node = file.needed("format", &expected)?;
    let found = node.string(&expected)?;
    if found != kind.format() {
        let message = format!("the format is {found:?}, not {expected}");
        return Err(node.refuse(message).of_kind(FaultKind::Format { wanted: kind, found: None }));
    }
    let node = file.needed("version", &version.to_string())?;
    if node.whole(&format!("{version}, the version of the format"))? == version {
        return Ok(());
    }
    let found = node.text();
    Err(node.refuse(format!(
        "the version is {found}, but this version of orrery reads version {version}; use the \
            version that wrote the file"
    )))
}

//! JSON with positions: values record where they begin, for the errors of files; and JSON in a
//! layout for reading.

mod error;
mod layout;
mod node;

pub use error::{byte_at, file_error, json_path, missing, syntax};
pub use layout::{Layout, quote};
pub use node::{Node, Object};

use std::path::Path;

use crate::file::{Fault, FaultKind, FileError, Result};

/// Returns the text of a file, without its byte order mark.
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

/// Reads the text of a file with `parse`; an error has the line, the column and the path of its
/// fault.
///
/// # Errors
///
/// When the content is no JSON, or `parse` refuses it.
pub fn read<'a, T>(
    content: &'a [u8],
    path: &Path,
    parse: impl FnOnce(&'a str) -> Result<T>,
) -> Result<T, FileError> {
    let text = text(content).map_err(|(fault, before)| file_error(path, &before, fault))?;
    parse(text).map_err(|fault| file_error(path, text, fault))
}

/// Checks the format and the version of a file; `advice` says which file to name instead.
///
/// # Errors
///
/// When the file has another format, or a newer version.
pub fn check_format(file: &Object, format: &str, version: u64, advice: &str) -> Result<()> {
    let expected = format!("{format:?}");
    let node = file.needed("format", &expected)?;
    let found = node.string(&expected)?;
    if found != format {
        return Err(node.refuse(format!("the format is {found:?}, not {expected}; {advice}")));
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

/// The value of the key `format` of a JSON object, which all files of Orrery in JSON have; `None`
/// for any other content.
///
/// ```
/// use orrery_base::json::format_of;
/// assert_eq!(format_of(br#"{"format": "orrery-runs", "version": 1, "runs": []}"#).as_deref(), Some("orrery-runs"));
/// assert_eq!(format_of(br#"{"name": "package", "version": "1.0.0"}"#), None);
/// ```
pub fn format_of(content: &[u8]) -> Option<String> {
    let root = Node::root(text(content).ok()?).ok()?;
    root.object("an object").ok()?.get("format")?.string("a string").ok()
}

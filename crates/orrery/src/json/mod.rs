//! JSON with positions: values record where they begin, for the errors of files; and JSON in a
//! layout for reading.

mod error;
mod layout;
mod node;

pub use error::Fault;
pub(crate) use error::{byte_at, file_error, json_path};
pub(crate) use layout::{Layout, quote};
pub(crate) use node::{Node, Object};

use crate::file::Located;

/// Returns the text of a file, without its byte order mark.
///
/// # Errors
///
/// Content that is not UTF-8; the error includes the text before the first invalid byte.
pub(crate) fn text(content: &[u8]) -> Result<&str, (Located<Fault>, String)> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    std::str::from_utf8(content).map_err(|error| {
        let before = String::from_utf8_lossy(&content[..error.valid_up_to()]).into_owned();
        (Located { byte: before.len(), fault: Fault::NotText }, before)
    })
}

/// The value of the key `format` of a JSON object, which all files of Orrery in JSON have; `None`
/// for any other content.
///
/// ```
/// use orrery::json::format_of;
/// assert_eq!(format_of(br#"{"format": "orrery-runs", "version": 1, "runs": []}"#).as_deref(), Some("orrery-runs"));
/// assert_eq!(format_of(br#"{"name": "package", "version": "1.0.0"}"#), None);
/// ```
pub fn format_of(content: &[u8]) -> Option<String> {
    let root = Node::root(text(content).ok()?).ok()?;
    root.object("an object").ok()?.get("format")?.string("a string").ok()
}

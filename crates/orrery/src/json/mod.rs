//! JSON texts whose values know where they stand, so that every error of a file can say so; and JSON laid out for people.

mod fault;
mod layout;
mod node;
mod place;

pub use fault::Fault;
pub(crate) use layout::{Layout, quote};
pub(crate) use node::{Node, Object};
pub(crate) use place::{byte_at, file_error, json_path};

use crate::file::Located;

/// The text of a file, without its byte order mark.
///
/// # Errors
///
/// What is not text, with all that stands before it.
pub(crate) fn text(content: &[u8]) -> Result<&str, (Located<Fault>, String)> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    std::str::from_utf8(content).map_err(|error| {
        let before = String::from_utf8_lossy(&content[..error.valid_up_to()]).into_owned();
        (Located { byte: before.len(), fault: Fault::NotText }, before)
    })
}

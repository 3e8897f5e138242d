//! Faults of JSON texts, and their positions as lines, columns and paths.

use std::fmt::Write as _;
use std::path::Path;

use crate::file::{FileError, FileFault, Located};

/// The reason why a JSON text is invalid, in a file of any format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The content is binary, or text in another encoding.
    #[error("the file is not UTF-8 text, so it is not JSON; check the name of the file")]
    NotText,
    /// The text is not JSON.
    #[error(
        "{reason}; correct the JSON here or just before (numbers are finite: JSON has no NaN and \
            no infinity)"
    )]
    Syntax {
        /// The message of the JSON parser.
        reason: String,
    },
    /// The JSON ends too early.
    #[error(
        "the file ends in the middle of the JSON; write it again, or close the open objects and \
            arrays"
    )]
    Truncated,
    /// A key is missing.
    #[error("there is no key {key:?}; add \
        it{}", if .hint.is_empty() { String::new() } else { format!(": {hint}") })]
    Missing {
        /// The key.
        key: String,
        /// The value of the key.
        hint: &'static str,
    },
    /// A key is given twice.
    #[error("the key {key:?} is given twice in this object; remove one of them")]
    Twice {
        /// The key.
        key: String,
    },
    /// A value has the wrong type.
    #[error("this is {found}, but {expected} is expected here")]
    Expected {
        /// The value found.
        found: String,
        /// The value expected.
        expected: &'static str,
    },
}

/// Returns the byte at a line and a byte of that line, both from 1, as the JSON parser counts them.
pub(crate) fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// Returns the error of a JSON file, with the line, the column and the path of a fault.
pub(crate) fn file_error<F: FileFault>(
    path: &Path,
    text: &str,
    located: Located<F>,
) -> FileError<F> {
    let found = json_path(text, located.byte).into();
    match FileError::located(path, text, located) {
        FileError::At { path, position, fault, .. } => {
            FileError::At { path, position, place: found, fault }
        }
        other => other,
    }
}

/// An object or array that is not closed before the position.
enum Open {
    /// An object with the key that was read last, and whether its colon was read.
    Object { key: String, colon: bool },
    /// An array with the number of its entries before the position.
    Array(usize),
}

/// Returns the path of the value that begins at or encloses a byte, such as
/// `models.lmo.fixed_delay.value[3]`.
///
/// The text before the byte must be the beginning of a JSON text; of anything else the path is a
/// best guess.
pub(crate) fn json_path(text: &str, byte: usize) -> String {
    let bytes = &text.as_bytes()[..byte.min(text.len())];
    let mut open = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => open.push(Open::Object { key: String::new(), colon: false }),
            b'[' => open.push(Open::Array(0)),
            b'}' | b']' => drop(open.pop()),
            b':' => {
                if let Some(Open::Object { colon, .. }) = open.last_mut() {
                    *colon = true;
                }
            }
            b',' => match open.last_mut() {
                Some(Open::Object { colon, .. }) => *colon = false,
                Some(Open::Array(index)) => *index += 1,
                None => {}
            },
            b'"' => {
                let end = end_of_string(bytes, at);
                if let Some(Open::Object { key, colon: false }) = open.last_mut() {
                    *key = serde_json::from_slice(&bytes[at..end]).unwrap_or_default();
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    words(&open)
}

/// Returns the position behind the closing quote of the string that begins at `start`, or the end
/// of the text.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the path of nested objects and arrays.
fn words(open: &[Open]) -> String {
    let mut path = String::new();
    for level in open {
        match level {
            Open::Object { key, colon: true } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Open::Object { .. } => {}
            Open::Array(index) => {
                write!(path, "[{index}]").expect("writing to a string does not fail");
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named() {
        let text = "{\"a\": [1, {\"b\\\"\": 2}, [], ×],\n \"c\": {}}";
        let at = |needle: &str| text.find(needle).unwrap();
        assert_eq!(json_path(text, 0), "");
        assert_eq!(json_path(text, at("[1")), "a");
        assert_eq!(json_path(text, at("1")), "a[0]");
        assert_eq!(json_path(text, at("2")), "a[1].b\"");
        assert_eq!(json_path(text, at("×")), "a[3]");
        assert_eq!(json_path(text, at("{}")), "c");
        assert_eq!(byte_at(text, 2, 7), at("{}"));
    }
}

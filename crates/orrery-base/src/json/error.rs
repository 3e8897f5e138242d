//! Faults of JSON texts, and their positions as lines, columns and paths.

use std::fmt::Write as _;
use std::path::Path;

use crate::file::{Fault, FaultKind, FileError};

/// The fault of JSON that ends too early.
pub(super) fn truncated() -> Fault {
    Fault::new(
        "the file ends in the middle of the JSON; write it again, or close the open objects and \
            arrays",
    )
    .of_kind(FaultKind::Truncated)
}

/// The fault of a text that is not JSON, with the reason of the parser.
pub fn syntax(reason: &str) -> Fault {
    Fault::new(format!(
        "{reason}; correct the JSON here or just before (numbers are finite: JSON has no NaN and \
            no infinity)"
    ))
}

/// The fault of an object in which a required key is missing; `near` is a similar key that it has,
/// `hint` describes the value to add, and is empty if the key says enough.
pub fn missing(key: &str, near: Option<&str>, hint: &str) -> Fault {
    let separator = if hint.is_empty() { "" } else { ": " };
    let rename = near.map(|near| format!("rename {near:?}, or ")).unwrap_or_default();
    Fault::new(format!("there is no key {key:?}; {rename}add it{separator}{hint}"))
}

/// Returns the byte of the text, from 0, for a line and a byte of that line, both from 1 as the
/// JSON parser counts them; at most the length of the text.
pub fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// Returns the error of a JSON file, with the line, the column and the path of a fault whose byte
/// is known.
pub fn file_error(path: &Path, text: &str, fault: Fault) -> FileError {
    let place = json_path(text, fault.byte().unwrap_or(0));
    FileError::located(path, text, fault.within(place))
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
pub fn json_path(text: &str, byte: usize) -> String {
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

/// Returns the position behind the closing quote of the string whose opening quote is at `start`,
/// or the end of the text if it is not closed.
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

/// Returns the path of nested objects and arrays, outermost first, such as `models.lmo.value[3]`.
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

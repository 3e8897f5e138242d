//! Texts from files and command lines, made safe for terminals.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

/// The maximum number of characters of a line of a message.
const MAX_MESSAGE_LINE: usize = 2000;

/// The number of characters that are kept at the end of a longer line: the remedy.
const KEPT_END: usize = 500;

/// Replaces control characters by their escapes in JSON, such as `\u001b`; line breaks and tabs
/// stay.
///
/// A file can contain escape sequences that change the colors, the title or the content of a
/// terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unsafe(character) {
            let _ = write!(safe, "\\u{:04x}", u32::from(character));
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// The name of a scheme by its file, on one line.
pub fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    stem.trim().chars().map(escaped).collect()
}

/// Returns true for control characters, and for those that change the direction of text.
fn is_unsafe(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t' | '\r')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A message that can be printed: without control characters, and with long lines shortened in the
/// middle.
pub fn message(text: &str) -> String {
    let text = printable(text).replace('\r', "\\r");
    text.split('\n').map(shortened).collect::<Vec<_>>().join("\n")
}

/// Prints a message to stderr; one that cannot be printed is lost.
pub fn report(text: &str) {
    let _ = writeln!(io::stderr(), "{}", message(text));
}

/// A line without its middle if it is long: a message may quote a whole file.
fn shortened(line: &str) -> Cow<'_, str> {
    let length = line.chars().count();
    if length <= MAX_MESSAGE_LINE {
        return Cow::Borrowed(line);
    }
    let at = |count: usize| line.char_indices().nth(count).map_or(line.len(), |(byte, _)| byte);
    let (begin, end) = (MAX_MESSAGE_LINE - KEPT_END, length - KEPT_END);
    Cow::Owned(format!(
        "{} … ({} characters) … {}",
        &line[..at(begin)],
        end - begin,
        &line[at(end)..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            printable("a\u{1b}[31mb\tc\n\u{9b}\u{202e}"),
            "a\\u001b[31mb\tc\n\\u009b\\u202e"
        );
        assert_eq!(message("a\rb"), "a\\rb");
        assert!(matches!(printable("µs – é\r\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_lines_keep_their_begin_and_their_end() {
        let long =
            message(&format!("t.csv:1:2: {:?} is wrong\n; correct it", "é".repeat(2_000_000)));
        assert!(
            long.starts_with("t.csv:1:2: \"éé") && long.ends_with("é\" is wrong\n; correct it"),
            "{long}"
        );
        assert!(long.chars().count() < 2100 && long.contains("characters"));
    }
}

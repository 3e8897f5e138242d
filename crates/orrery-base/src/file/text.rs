//! Lines and words of texts with their offsets, and remarks on lines.

use std::fmt;
use std::path::PathBuf;

/// A word of a line and its offset in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its characters.
    pub text: &'a str,
    /// The offset of the first byte in the line.
    pub start: usize,
}

/// The words of a line, separated by white space.
pub fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(begin) = rest.find(|c: char| !c.is_whitespace()) {
        let start = line.len() - rest.len() + begin;
        let text = line[start..].split_whitespace().next().unwrap_or_default();
        words.push(Word { text, start });
        rest = &line[start + text.len()..];
    }
    words
}

/// The lines of a text without their line breaks: the offset of each, its text, and true if a line
/// break ends it.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let offset = start;
        start += line.len();
        (offset, line.trim_end_matches(['\n', '\r']), line.ends_with('\n'))
    })
}

/// The number of the last line of a text, from 1, if no line break ends it: a part may be missing,
/// and a number that was cut is another number. `None` if the text ends with a line break or
/// blanks.
///
/// ```
/// use orrery_base::file::torn_line;
/// assert_eq!(torn_line(b"n,seconds\n1600,12.5"), Some(2));
/// assert_eq!(torn_line(b"n,seconds\n1600,12.5\n"), None);
/// ```
pub fn torn_line(content: &[u8]) -> Option<usize> {
    let last = content.rsplit(|&byte| byte == b'\n').next()?;
    (!last.trim_ascii().is_empty()).then(|| content.split(|&byte| byte == b'\n').count())
}

/// The warning for a text whose last line may be incomplete, of a format that is often written by
/// hand.
pub const TORN_LINE_USED: &str = "the last line has no line break and may be incomplete; it is \
    used (if it is complete, add the line break)";

/// A remark on a line of an imported file; displayed as `file:line: remark`, or `file: remark` for
/// a binary file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark<K> {
    /// The file.
    pub path: PathBuf,
    /// The number of the line, from 1; 0 in a binary file.
    pub line: usize,
    /// The content of the remark.
    pub kind: K,
}

impl<K: fmt::Display> fmt::Display for Remark<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.line == 0 {
            write!(f, "{path}: {}", self.kind)
        } else {
            write!(f, "{path}:{}: {}", self.line, self.kind)
        }
    }
}

/// A line and a column of a text; displayed as `line:column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
}

impl Position {
    /// The position of a byte of a text; the end of the text if the byte is beyond it.
    ///
    /// ```
    /// use orrery_base::file::Position;
    /// assert_eq!(Position::of("first\nµ = 2", 9), Position { line: 2, column: 3 });
    /// ```
    pub fn of(text: &str, byte: usize) -> Self {
        let before = &text.as_bytes()[..byte.min(text.len())];
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let line = before.split(|&b| b == b'\n').count();
        Self { line, column: String::from_utf8_lossy(&before[start..]).chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_offsets() {
        let found: Vec<_> =
            words("\t 8  µs 1.5 ").iter().map(|word| (word.text, word.start)).collect();
        assert_eq!(found, [("8", 2), ("µs", 5), ("1.5", 9)]);
        assert!(words("  ").is_empty());
    }

    #[test]
    fn lines_have_offsets() {
        let text = "a\nµb\r\n\nc";
        let all: Vec<_> = lines(text).collect();
        assert_eq!(all, [(0, "a", true), (2, "µb", true), (7, "", true), (8, "c", false)]);
    }
}

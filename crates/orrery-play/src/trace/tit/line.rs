//! The words of a line as numbers of different kinds, and the dialects of traces.

use orrery_base::file::{Fault, Result};
use orrery_base::units::Bytes;
use orrery_program::schedule::Tag;

/// The maximum of counts and sizes, 2⁵³: larger whole numbers are not exact as doubles.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

/// A scanner of the words of a line.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    text: &'a [u8],
    /// The offset of the next byte.
    offset: usize,
}

impl<'a> Line<'a> {
    /// The words of a line from its beginning.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, offset: 0 }
    }

    /// Returns true if the rest of the line is blank or a comment.
    pub(super) fn is_blank_or_comment(&self) -> bool {
        self.text[self.offset..]
            .iter()
            .find(|&&byte| !is_blank(byte))
            .is_none_or(|&byte| byte == b'#')
    }

    /// The next word and its offset; `None` at the end of the line.
    pub(super) fn word(&mut self) -> Option<(usize, &'a [u8])> {
        let is_blank = |at: usize| is_blank(self.text[at]);
        let mut start = self.offset;
        while start < self.text.len() && is_blank(start) {
            start += 1;
        }
        let mut end = start;
        while end < self.text.len() && !is_blank(end) {
            end += 1;
        }
        self.offset = end;
        (start < end).then(|| (start, &self.text[start..end]))
    }

    /// The number of words that are left.
    pub(super) fn left(&self) -> usize {
        let mut rest = self.clone();
        std::iter::from_fn(|| rest.word()).count()
    }

    /// The next word and its offset; an error at the end of the line.
    pub(super) fn need(&mut self, expected: &'static str) -> Result<(usize, &'a [u8])> {
        let byte = self.text.len();
        self.word().ok_or_else(|| {
            Fault::new(format!("the line ends, but {expected} is expected here")).at(byte)
        })
    }

    /// Checks that no word is left.
    pub(super) fn end(&mut self, action: &[u8]) -> Result<()> {
        match self.word() {
            None => Ok(()),
            Some((byte, word)) => Err(Fault::new(format!(
                "{found} is one argument too many for \
                {action}; remove it",
                found = quoted(word),
                action = shown(action)
            ))
            .at(byte)),
        }
    }

    /// A finite number that is not negative.
    pub(super) fn amount(&mut self, expected: &'static str) -> Result<f64> {
        let (byte, word) = self.need(expected)?;
        let number = digits(word).map(|number| number as f64).or_else(|| decimal(word));
        number
            .filter(|number| (0.0..f64::INFINITY).contains(number))
            .ok_or_else(|| unexpected(byte, word, expected))
    }

    /// A count; decimals are cut off, as in SimGrid.
    pub(super) fn count(&mut self, expected: &'static str) -> Result<u64> {
        let (byte, word) = self.need(expected)?;
        let number =
            digits(word).or_else(|| Some(decimal(word).filter(|n| *n >= 0.0)?.trunc() as u64));
        number
            .filter(|&number| number as f64 <= MAX_COUNT)
            .ok_or_else(|| unexpected(byte, word, expected))
    }

    /// A rank and its offset.
    pub(super) fn rank(&mut self, expected: &'static str) -> Result<(usize, u32)> {
        let (byte, word) = self.need(expected)?;
        let number = digits(word).and_then(|number| u32::try_from(number).ok());
        number.map(|number| (byte, number)).ok_or_else(|| unexpected(byte, word, expected))
    }

    /// The sender of a receive and its offset; `None` for any source, which is -1, or -555 as
    /// SimGrid writes it.
    pub(super) fn sender(&mut self, expected: &'static str) -> Result<Option<(usize, u32)>> {
        let mut ahead = self.clone();
        if let Some((_, b"-1" | b"-555")) = ahead.word() {
            *self = ahead;
            return Ok(None);
        }
        self.rank(expected).map(Some)
    }

    /// A count of elements to receive; `None` for a negative one, which marks a probe before the
    /// receive.
    pub(super) fn count_or_probe(&mut self, expected: &'static str) -> Result<Option<u64>> {
        let mut ahead = self.clone();
        if let Some((_, word)) = ahead.word()
            && word.starts_with(b"-")
            && decimal(word).is_some_and(|number| number <= -1.0 && number.is_finite())
        {
            *self = ahead;
            return Ok(None);
        }
        self.count(expected).map(Some)
    }

    /// Reads the next word as a tag.
    pub(super) fn tag(&mut self) -> Result<Tag> {
        let expected = "a tag (a whole number from 0 to 2147483647)";
        let (byte, word) = self.need(expected)?;
        let number = digits(word).filter(|&number| number < 1 << 31);
        number.map(|number| Tag(number as u32)).ok_or_else(|| unexpected(byte, word, expected))
    }

    /// The size in bytes of a datatype by its number; `default` at the end of the line.
    pub(super) fn datatype(&mut self, default: u64) -> Result<u64> {
        const EXPECTED: &str = "the number of a datatype (0 to 26)";
        let Some((byte, word)) = self.word() else { return Ok(default) };
        let size = digits(word).and_then(|number| SIZES.get(number as usize).copied());
        size.ok_or_else(|| unexpected(byte, word, EXPECTED))
    }
}

/// The size of `count` elements of `size` bytes.
pub(super) fn bytes(count: u64, size: u64) -> Result<Bytes> {
    let bytes = count.checked_mul(size).filter(|&bytes| bytes as f64 <= MAX_COUNT).map(Bytes::new);
    bytes.ok_or_else(|| {
        let found = format!("{count} × {size} bytes");
        expected_word(&found, "less than 2^53 bytes").at(0)
    })
}

/// The bytes of SimGrid's datatypes by number: DOUBLE, INT, CHAR, SHORT, LONG, FLOAT, BYTE,
/// LONG_LONG, SIGNED_CHAR, UNSIGNED_CHAR, UNSIGNED_SHORT, UNSIGNED, UNSIGNED_LONG,
/// UNSIGNED_LONG_LONG, LONG_DOUBLE, WCHAR, C_BOOL, INT8 to INT64, UINT8 to UINT64, C_FLOAT_COMPLEX,
/// C_DOUBLE_COMPLEX.
const SIZES: [u64; 27] =
    [8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16];

/// The fault for a word that differs from what is expected.
pub(super) fn unexpected(byte: usize, word: &[u8], expected: &'static str) -> Fault {
    expected_word(&quoted(word), expected).at(byte)
}

/// Returns true if a byte separates words.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// A word as text for a message, at most 40 characters of it.
pub(super) fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    if text.chars().count() > 40 {
        text.chars().take(39).chain(['…']).collect()
    } else {
        text.into_owned()
    }
}

/// A word in quotes for a message.
fn quoted(word: &[u8]) -> String {
    format!("{:?}", shown(word))
}

/// A whole number of at most 18 digits: the common case; `None` for other words.
fn digits(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 18 {
        return None;
    }
    word.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'))
    })
}

/// A number with a sign, decimals or an exponent; `None` for other words.
fn decimal(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The form of messages in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// SimGrid 3.20 and later: peer, tag, count.
    Tagged,
    /// Earlier versions: peer, count; names in camel case.
    Untagged,
}

/// The dialect of a text, by the first line that shows it; [`Dialect::Tagged`] if none does.
///
/// The comment `# version:`, a name in camel case (`Isend`, `waitAll`; but not `sendRecv`, which is
/// in both), and a message with two or with four arguments show the dialect. A last line without a
/// line break may be truncated and is ignored.
pub(super) fn dialect(text: &[u8]) -> Dialect {
    let end = text.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    text[..end].split(|&byte| byte == b'\n').find_map(dialect_of_line).unwrap_or(Dialect::Tagged)
}

/// The dialect that a line shows, if it does.
fn dialect_of_line(line: &[u8]) -> Option<Dialect> {
    let mut line = Line::new(line);
    let (_, first) = line.word()?;
    if first.starts_with(b"#") {
        let is_versioned =
            first == b"#version:" || line.word().is_some_and(|(_, word)| word == b"version:");
        return is_versioned.then_some(Dialect::Tagged);
    }
    let (_, name) = line.word()?;
    if name != b"sendRecv" && name.iter().any(u8::is_ascii_uppercase) {
        return Some(Dialect::Untagged);
    }
    match (name, line.left()) {
        (b"send" | b"isend" | b"recv" | b"irecv", 2) => Some(Dialect::Untagged),
        (b"send" | b"isend" | b"recv" | b"irecv", 4) => Some(Dialect::Tagged),
        _ => None,
    }
}

/// An unexpected word.
fn expected_word(found: &str, expected: &str) -> Fault {
    Fault::new(format!("{found} is found here, but {expected} is expected"))
}

//! The words of a line, and what they can be read as.

use super::error::Fault;
use crate::schedule::Tag;
use crate::units::Bytes;

/// A fault and the byte of the line where it stands.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) byte: usize,
    pub(super) fault: Fault,
}

pub(super) type Result<T> = std::result::Result<T, Refused>;

/// Counts and amounts above this are slips: no double beyond it stands for one whole number.
const MOST: f64 = 9_007_199_254_740_992.0;

/// The words of a line, one by one.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Whether nothing stands here, or a comment.
    pub(super) fn is_blank_or_comment(&self) -> bool {
        self.text[self.at..].iter().find(|&&byte| !is_blank(byte)).is_none_or(|&byte| byte == b'#')
    }

    /// The next word and where it begins.
    pub(super) fn word(&mut self) -> Option<(usize, &'a [u8])> {
        let is_blank = |at: usize| is_blank(self.text[at]);
        let mut start = self.at;
        while start < self.text.len() && is_blank(start) {
            start += 1;
        }
        let mut end = start;
        while end < self.text.len() && !is_blank(end) {
            end += 1;
        }
        self.at = end;
        (start < end).then(|| (start, &self.text[start..end]))
    }

    /// How many words are left.
    pub(super) fn left(&self) -> usize {
        let mut rest = self.clone();
        std::iter::from_fn(|| rest.word()).count()
    }

    pub(super) fn need(&mut self, expected: &'static str) -> Result<(usize, &'a [u8])> {
        let byte = self.text.len();
        self.word().ok_or(Refused { byte, fault: Fault::Missing { expected } })
    }

    /// Refuses words that are left.
    pub(super) fn end(&mut self, action: &[u8]) -> Result<()> {
        match self.word() {
            None => Ok(()),
            Some((byte, word)) => {
                Err(Refused { byte, fault: Fault::TooMany { found: shown(word), action: plain(action) } })
            }
        }
    }

    /// A finite number that is not negative.
    pub(super) fn amount(&mut self, expected: &'static str) -> Result<f64> {
        let (byte, word) = self.need(expected)?;
        let number = digits(word).map(|number| number as f64).or_else(|| decimal(word));
        number.filter(|number| (0.0..f64::INFINITY).contains(number)).ok_or_else(|| wrong(byte, word, expected))
    }

    /// A count; what stands behind its point is cut off, as SimGrid does.
    pub(super) fn count(&mut self, expected: &'static str) -> Result<u64> {
        let (byte, word) = self.need(expected)?;
        let number = digits(word).or_else(|| Some(decimal(word).filter(|n| *n >= 0.0)?.trunc() as u64));
        number.filter(|&number| number as f64 <= MOST).ok_or_else(|| wrong(byte, word, expected))
    }

    /// A rank, with the byte where it stands.
    pub(super) fn rank(&mut self, expected: &'static str) -> Result<(usize, u32)> {
        let (byte, word) = self.need(expected)?;
        let number = digits(word).and_then(|number| u32::try_from(number).ok());
        number.map(|number| (byte, number)).ok_or_else(|| wrong(byte, word, expected))
    }

    /// The sender of a receive; any where it is -1, or -555 as SimGrid writes it.
    pub(super) fn sender(&mut self, expected: &'static str) -> Result<Option<(usize, u32)>> {
        let mut ahead = self.clone();
        if let Some((_, b"-1" | b"-555")) = ahead.word() {
            *self = ahead;
            return Ok(None);
        }
        self.rank(expected).map(Some)
    }

    /// A count of elements to receive; below 0 it is asked first whether there is a message.
    pub(super) fn probed(&mut self, expected: &'static str) -> Result<Option<u64>> {
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

    /// A tag.
    pub(super) fn tag(&mut self) -> Result<Tag> {
        let expected = "a tag (a whole number from 0 to 2147483647)";
        let (byte, word) = self.need(expected)?;
        let number = digits(word).filter(|&number| number < 1 << 31);
        number.map(|number| Tag(number as u32)).ok_or_else(|| wrong(byte, word, expected))
    }

    /// The bytes of a datatype by its number; `unless` where none is named.
    pub(super) fn datatype(&mut self, unless: u64) -> Result<u64> {
        const EXPECTED: &str = "the number of a datatype (0 to 26)";
        let Some((byte, word)) = self.word() else { return Ok(unless) };
        let size = digits(word).and_then(|number| SIZES.get(number as usize).copied());
        size.ok_or_else(|| wrong(byte, word, EXPECTED))
    }
}

/// `count` elements of a size in bytes.
pub(super) fn bytes(count: u64, size: u64) -> Result<Bytes> {
    let bytes = count.checked_mul(size).filter(|&bytes| bytes as f64 <= MOST).map(Bytes::new);
    let fault = || Fault::Expected { found: format!("{count} × {size} bytes"), expected: "less than 2^53 bytes" };
    bytes.ok_or_else(|| Refused { byte: 0, fault: fault() })
}

/// The bytes of SimGrid's datatypes by number: DOUBLE, INT, CHAR, SHORT, LONG, FLOAT, BYTE, LONG_LONG, SIGNED_CHAR,
/// UNSIGNED_CHAR, UNSIGNED_SHORT, UNSIGNED, UNSIGNED_LONG, UNSIGNED_LONG_LONG, LONG_DOUBLE, WCHAR, C_BOOL, INT8 to
/// INT64, UINT8 to UINT64, C_FLOAT_COMPLEX, C_DOUBLE_COMPLEX.
const SIZES: [u64; 27] = [8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16];

pub(super) fn wrong(byte: usize, word: &[u8], expected: &'static str) -> Refused {
    Refused { byte, fault: Fault::Expected { found: shown(word), expected } }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// A word as people read it, a long one cut.
pub(super) fn plain(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    if text.chars().count() > 40 { text.chars().take(39).chain(['…']).collect() } else { text.into_owned() }
}

fn shown(word: &[u8]) -> String {
    format!("{:?}", plain(word))
}

/// A whole number in digits alone: the common case.
fn digits(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 18 {
        return None;
    }
    word.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0')))
}

fn decimal(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

//! One line of a scheme.

use super::MAX_TRANSFERS;
use crate::sharing::{Node, Transfer};
use orrery_base::units::{Bytes, Seconds, UnitError};

/// A word of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    /// The number of its first character in the line, from 1.
    pub(super) column: usize,
}

/// The words of a line before its comment. Blanks separate them; `->` and the colon after a name
/// are words themselves.
pub(super) fn split_words(line: &str) -> Vec<Word<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let (mut column, mut rest) = (1, line);
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("->") {
            2
        } else if first == ':' {
            1
        } else {
            let end = |(at, c): (usize, char)| {
                c.is_whitespace() || c == ':' || rest[at..].starts_with("->")
            };
            rest.char_indices().find(|&place| end(place)).map_or(rest.len(), |(at, _)| at)
        };
        let (text, after) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push(Word { text, column });
        }
        column += text.chars().count();
        rest = after;
    }
    words
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) name: Option<Word<'a>>,
    pub(super) transfer: Transfer,
    pub(super) size: Option<Bytes>,
    /// The number of repetitions, and the word that contains it.
    pub(super) count: (usize, Word<'a>),
    pub(super) delay: Seconds,
}

/// A fault and the word at fault; `None` for the end of the line.
pub(super) type LineFault<'a> = (String, Option<Word<'a>>);

/// The fault of a line that ends where `expected` should be.
fn ends<'a>(expected: &str) -> LineFault<'a> {
    (format!("the line ends where {expected} is expected; write SOURCE -> DESTINATION"), None)
}

/// The fault of too many transfers.
pub(super) fn too_many() -> String {
    format!("the scheme has more than {MAX_TRANSFERS} transfers; reduce the repetitions")
}

/// Reads the words of a line, which are one or more.
pub(super) fn read<'a>(words: &[Word<'a>]) -> Result<Line<'a>, LineFault<'a>> {
    let has_name = words.get(1).is_some_and(|word| word.text == ":");
    let name = if has_name { Some(name(words[0])?) } else { None };
    let mut rest = words[if has_name { 2 } else { 0 }..].iter().copied();
    let source = node(rest.next(), "the number of the source")?;
    match rest.next() {
        Some(word) if word.text == "->" => {}
        Some(word) => {
            let found = word.text;
            let message = format!("{found:?} is not \"->\"; write SOURCE -> DESTINATION");
            return Err((message, Some(word)));
        }
        None => return Err(ends("\"->\"")),
    }
    let last = words[words.len() - 1];
    let destination = node(rest.next(), "the number of the destination")?;
    let (mut size, mut count, mut delay) = (None, None, None);
    while let Some(word) = rest.next() {
        let again = |what: &str| (format!("{what} is given twice; remove one of them"), Some(word));
        if word.text == "after" {
            let given = rest.next().ok_or_else(|| ends("a delay, such as 5ms,"))?;
            if delay.replace(seconds(given)?).is_some() {
                return Err(again("the delay"));
            }
        } else if let Some(number) = word.text.strip_prefix('x') {
            if count.replace((repetitions(number, word)?, word)).is_some() {
                return Err(again("the number of repetitions"));
            }
        } else if word.text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
            if size.replace(bytes(word)?).is_some() {
                return Err(again("the size"));
            }
        } else {
            let found = word.text;
            let message = format!(
                "unknown word {found:?}; after the nodes write a size (20M), repetitions (x2) or a \
                    delay (after 5ms)"
            );
            return Err((message, Some(word)));
        }
    }
    let transfer = Transfer { source, destination };
    Ok(Line {
        name,
        transfer,
        size,
        count: count.unwrap_or((1, last)),
        delay: delay.unwrap_or_default(),
    })
}

/// Checks that a word is a valid name; returns it.
fn name(word: Word) -> Result<Word, LineFault> {
    let begins_with_letter = word.text.starts_with(char::is_alphabetic);
    let is_valid =
        begins_with_letter && word.text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    let message = || {
        format!(
            "{:?} is not a valid name; write a letter, then letters, digits, \"_\", \"-\" and \".\"",
            word.text
        )
    };
    if is_valid { Ok(word) } else { Err((message(), Some(word))) }
}

/// Parses a word as a node number; a missing word is the fault of a line that ends too early.
fn node<'a>(word: Option<Word<'a>>, expected: &'static str) -> Result<Node, LineFault<'a>> {
    let word = word.ok_or_else(|| ends(expected))?;
    let number = digits(word.text).and_then(|text| text.parse().ok());
    number.map(Node).ok_or_else(|| {
        let (found, most) = (word.text, u32::MAX);
        let message = format!("{found:?} is not a node number; valid numbers are 0 to {most}");
        (message, Some(word))
    })
}

/// Parses a word as a size.
fn bytes(word: Word) -> Result<Bytes, LineFault> {
    word.text.parse().map_err(|error: UnitError| (error.to_string(), Some(word)))
}

/// Reads a number of repetitions above 0, the digits of a word without its `x`; one that no integer
/// can hold is the fault of too many transfers.
fn repetitions<'a>(number: &str, word: Word<'a>) -> Result<usize, LineFault<'a>> {
    match digits(number).map(|number| number.parse::<usize>().unwrap_or(usize::MAX)) {
        Some(count) if count > MAX_TRANSFERS => Err((too_many(), Some(word))),
        Some(count) if count > 0 => Ok(count),
        _ => {
            let found = word.text;
            let message =
                format!("{found:?} is not a number of repetitions; write x2 for two transfers");
            Err((message, Some(word)))
        }
    }
}

/// Returns the text if it consists only of decimal digits.
fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The units of delays and their number in a second; a unit that ends in another one comes first.
const UNITS: [(&str, f64); 5] = [("ms", 1e3), ("us", 1e6), ("µs", 1e6), ("ns", 1e9), ("s", 1.0)];

/// Parses a word such as `5ms` as a delay.
fn seconds(word: Word) -> Result<Seconds, LineFault> {
    let unit = UNITS
        .iter()
        .find_map(|(unit, per_second)| Some((word.text.strip_suffix(unit)?, per_second)));
    let seconds =
        unit.and_then(|(number, per_second)| Some(number.parse::<f64>().ok()? / per_second));
    let valid = seconds.filter(|seconds| seconds.is_finite() && seconds.is_sign_positive());
    valid.map(Seconds::new).ok_or_else(|| {
        let found = word.text;
        let message = format!(
            "{found:?} is not a delay; write a number from 0 with s, ms, us or ns, such as 5ms"
        );
        (message, Some(word))
    })
}

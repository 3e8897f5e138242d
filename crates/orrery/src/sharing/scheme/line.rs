//! One line of a scheme.

use super::MAX_TRANSFERS;
use super::error::Fault;
use super::words::Word;
use crate::sharing::{Node, Transfer};
use crate::units::{Bytes, Seconds};

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) name: Option<Word<'a>>,
    pub(super) transfer: Transfer,
    pub(super) size: Option<Bytes>,
    /// How many of them there are, and where that is said.
    pub(super) count: (usize, Word<'a>),
    pub(super) delay: Seconds,
}

/// A fault, and the word that is at fault; nothing for the end of the line.
pub(super) type Refused<'a> = (Fault, Option<Word<'a>>);

/// Reads the words of a line, of which there is one or more.
pub(super) fn read<'a>(words: &[Word<'a>]) -> Result<Line<'a>, Refused<'a>> {
    let named = words.get(1).is_some_and(|word| word.text == ":");
    let name = if named { Some(name(words[0])?) } else { None };
    let mut rest = words[if named { 2 } else { 0 }..].iter().copied();
    let source = node(rest.next(), "the number of the source")?;
    match rest.next() {
        Some(word) if word.text == "->" => {}
        Some(word) => return Err((Fault::Arrow { found: word.text.to_owned() }, Some(word))),
        None => return Err((Fault::Ends { expected: "\"->\"" }, None)),
    }
    let last = words[words.len() - 1];
    let destination = node(rest.next(), "the number of the destination")?;
    let (mut size, mut count, mut delay) = (None, None, None);
    while let Some(word) = rest.next() {
        let again = |what| (Fault::Again { what }, Some(word));
        if word.text == "after" {
            let given = rest.next().ok_or((Fault::Ends { expected: "a delay, such as 5ms," }, None))?;
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
            return Err((Fault::Word { found: word.text.to_owned() }, Some(word)));
        }
    }
    let transfer = Transfer { source, destination };
    Ok(Line { name, transfer, size, count: count.unwrap_or((1, last)), delay: delay.unwrap_or_default() })
}

fn name(word: Word) -> Result<Word, Refused> {
    let begins = word.text.starts_with(char::is_alphabetic);
    let fits = word.text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    if begins && fits { Ok(word) } else { Err((Fault::Name { found: word.text.to_owned() }, Some(word))) }
}

fn node<'a>(word: Option<Word<'a>>, expected: &'static str) -> Result<Node, Refused<'a>> {
    let word = word.ok_or((Fault::Ends { expected }, None))?;
    let number = digits(word.text).and_then(|text| text.parse().ok());
    number.map(Node).ok_or_else(|| (Fault::Node { found: word.text.to_owned() }, Some(word)))
}

fn bytes(word: Word) -> Result<Bytes, Refused> {
    word.text.parse().map_err(|error| (Fault::Size(error), Some(word)))
}

/// A number above 0. One that is too long to read is too many transfers too.
fn repetitions<'a>(number: &str, word: Word<'a>) -> Result<usize, Refused<'a>> {
    match digits(number).map(|number| number.parse::<usize>().unwrap_or(usize::MAX)) {
        Some(count) if count > MAX_TRANSFERS => Err((Fault::TooMany, Some(word))),
        Some(count) if count > 0 => Ok(count),
        _ => Err((Fault::Count { found: word.text.to_owned() }, Some(word))),
    }
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The units of delays, longer names first where one ends in another.
const UNITS: [(&str, f64); 5] = [("ms", 1e3), ("us", 1e6), ("µs", 1e6), ("ns", 1e9), ("s", 1.0)];

fn seconds(word: Word) -> Result<Seconds, Refused> {
    let unit = UNITS.iter().find_map(|(unit, per)| Some((word.text.strip_suffix(unit)?, per)));
    let seconds = unit.and_then(|(number, per)| Some(number.parse::<f64>().ok()? / per));
    let fits = seconds.filter(|seconds| seconds.is_finite() && seconds.is_sign_positive());
    fits.map(Seconds::new).ok_or_else(|| (Fault::Delay { found: word.text.to_owned() }, Some(word)))
}

use std::collections::BTreeMap;

use super::error::{Fault, SchemeError};
use super::line::{self, Line};
use super::words::{Word, words};
use super::{Arc, DEFAULT_SIZE, MAX_TRANSFERS, Scheme, names};

/// Reads a scheme.
///
/// Transfers without a name get the next of a, b, … that is not given. Repetitions of a named one are `name.1`, `name.2`, …
///
/// # Errors
///
/// The first thing that is wrong, with its place.
pub fn parse(text: &str) -> Result<Scheme, SchemeError> {
    let mut given = BTreeMap::new();
    let mut lines = Vec::new();
    let mut count = 0;
    for (number, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let words = words(text);
        if words.is_empty() {
            continue;
        }
        let place = Place { number: number + 1, text };
        let line = line::read(&words).map_err(|(fault, word)| place.refuse(fault, word))?;
        count += line.count.0;
        if count > MAX_TRANSFERS {
            return Err(place.refuse(Fault::TooMany, Some(line.count.1)));
        }
        for name in given_names(&line) {
            if let Some(first) = given.insert(name.clone(), place.number) {
                return Err(place.refuse(Fault::Twice { name, first }, line.name));
            }
        }
        lines.push(line);
    }
    let mut free = (0..).map(names::nth).filter(|name| !given.contains_key(name));
    let mut arcs = Vec::with_capacity(count);
    for line in lines {
        let mut named = given_names(&line).into_iter();
        for _ in 0..line.count.0 {
            arcs.push(Arc {
                name: named.next().or_else(|| free.next()).unwrap_or_default(),
                transfer: line.transfer,
                size: line.size.unwrap_or(DEFAULT_SIZE),
                delay: line.delay,
            });
        }
    }
    Ok(Scheme { arcs })
}

/// The names that a line gives to its transfers; none without a name.
fn given_names(line: &Line) -> Vec<String> {
    match (line.name, line.count.0) {
        (None, _) => Vec::new(),
        (Some(name), 1) => vec![name.text.to_owned()],
        (Some(name), count) => (1..=count).map(|k| format!("{}.{k}", name.text)).collect(),
    }
}

/// A line and its number.
struct Place<'a> {
    number: usize,
    text: &'a str,
}

impl Place<'_> {
    /// A fault of a word, or of the end of the line.
    fn refuse(&self, fault: Fault, word: Option<Word>) -> SchemeError {
        let end = self.text.split('#').next().unwrap_or_default().trim_end().chars().count();
        let (column, length) = word.map_or((end + 1, 1), |word| (word.column, word.text.chars().count()));
        SchemeError { line: self.number, column, length, text: self.text.to_owned(), fault }
    }
}

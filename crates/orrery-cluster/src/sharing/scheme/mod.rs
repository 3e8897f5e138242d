//! Schemes: named transfers with sizes and delays, and the notation of schemes in files.
//!
//! Each line is one transfer, `NAME: SOURCE -> DESTINATION SIZE xCOUNT after DELAY`; only the arrow
//! and its two nodes are required. `#` begins a comment. The grammar is in `docs/file-formats.md`.
//!
//! ```
//! use orrery_cluster::sharing::scheme;
//! let scheme = scheme::parse("a: 0 -> 1 20M\n0 -> 2 4K x2 after 5ms # two transfers")?;
//! let names: Vec<_> = scheme.arcs.iter().map(|arc| arc.name.as_str()).collect();
//! assert_eq!(names, ["a", "b", "c"]);
//!
//! let error = scheme::parse("0 -> 1\n0 - 2").unwrap_err();
//! assert_eq!(error.to_string(), "2:3: \"-\" is not \"->\"; write SOURCE -> DESTINATION\n  0 - 2\n    ^");
//! # Ok::<(), scheme::SchemeError>(())
//! ```

mod line;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use line::{Line, Word, split_words, too_many};

use super::{Node, Transfer};
use orrery_base::units::{Bytes, Seconds};

/// The size of a transfer without one: 20M, as in the measurements of the paper.
pub const DEFAULT_SIZE: Bytes = Bytes::new(20 << 20);

/// One transfer of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct Arc {
    /// Its name, unique in the scheme.
    pub name: String,
    /// Its source and destination.
    pub transfer: Transfer,
    /// The size of the message.
    pub size: Bytes,
    /// The start, counted from the start of the scheme.
    pub delay: Seconds,
}

/// Named transfers that are measured or simulated together, in the order of their lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scheme {
    /// The transfers.
    pub arcs: Vec<Arc>,
}

impl Scheme {
    /// The transfers without names, sizes and delays.
    pub fn transfers(&self) -> Vec<Transfer> {
        self.arcs.iter().map(|arc| arc.transfer).collect()
    }

    /// An approximate upper bound of the number of changes of rates when the scheme is simulated
    /// over time.
    ///
    /// Transfers with the same nodes, size and delay start and end together. When one of them does,
    /// the rates of all transfers at a node can change.
    pub fn rate_changes(&self) -> u64 {
        let mut groups = BTreeSet::new();
        let mut degrees: BTreeMap<Node, u64> = BTreeMap::new();
        let mut groups_at: BTreeMap<Node, u64> = BTreeMap::new();
        for arc in self.arcs.iter().filter(|arc| !arc.transfer.is_local()) {
            let nodes = [arc.transfer.source, arc.transfer.destination];
            let is_new = groups.insert((nodes, arc.size, arc.delay.get().to_bits()));
            for node in nodes {
                *degrees.entry(node).or_default() += 1;
                *groups_at.entry(node).or_default() += u64::from(is_new);
            }
        }
        degrees.iter().map(|(node, degree)| degree * groups_at[node]).sum()
    }

    /// Returns true if all transfers start at the same time.
    pub fn starts_together(&self) -> bool {
        self.arcs.windows(2).all(|two| two[0].delay == two[1].delay)
    }
}

/// Reads a scheme.
///
/// Transfers without a name get the next of a, b, … that is free. Repetitions of a named one are
/// `name.1`, `name.2`, …
///
/// # Errors
///
/// The first error in the text, with its place.
pub fn parse(text: &str) -> Result<Scheme, SchemeError> {
    let mut used = BTreeMap::new();
    let mut lines = Vec::new();
    let mut count = 0;
    for (number, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let words = split_words(text);
        if words.is_empty() {
            continue;
        }
        let place = Place { number: number + 1, text };
        let line = line::read(&words).map_err(|(message, word)| place.error(message, word))?;
        count += line.count.0;
        if count > MAX_TRANSFERS {
            return Err(place.error(too_many(), Some(line.count.1)));
        }
        for name in given_names(&line) {
            if let Some(first) = used.insert(name.clone(), place.number) {
                let message = format!(
                    "the name {name:?} is used in line {first} already; give each transfer a name \
                        of its own"
                );
                return Err(place.error(message, line.name));
            }
        }
        lines.push(line);
    }
    let mut free = (0..).map(default_name).filter(|name| !used.contains_key(name));
    let mut arcs = Vec::with_capacity(count);
    for line in lines {
        let mut given = given_names(&line).into_iter();
        for _ in 0..line.count.0 {
            arcs.push(Arc {
                name: given.next().or_else(|| free.next()).unwrap_or_default(),
                transfer: line.transfer,
                size: line.size.unwrap_or(DEFAULT_SIZE),
                delay: line.delay,
            });
        }
    }
    Ok(Scheme { arcs })
}

/// The names of the transfers of a line; empty if the line has no name.
fn given_names(line: &Line) -> Vec<String> {
    match (line.name, line.count.0) {
        (None, _) => Vec::new(),
        (Some(name), 1) => vec![name.text.to_owned()],
        (Some(name), count) => (1..=count).map(|k| format!("{}.{k}", name.text)).collect(),
    }
}

/// The name of the unnamed transfer with this index, from 0: a, b, …, z, aa, ab, …
fn default_name(mut index: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'a' + (index % 26) as u8));
        if index < 26 {
            return letters.into_iter().rev().collect();
        }
        index = index / 26 - 1;
    }
}

/// A line and its number.
struct Place<'a> {
    number: usize,
    text: &'a str,
}

impl Place<'_> {
    /// The error of a word of this line, or of its end if there is no word.
    fn error(&self, message: String, word: Option<Word>) -> SchemeError {
        let end = self.text.split('#').next().unwrap_or_default().trim_end().chars().count();
        let (column, length) =
            word.map_or((end + 1, 1), |word| (word.column, word.text.chars().count()));
        SchemeError { line: self.number, column, length, text: self.text.to_owned(), message }
    }
}

/// The largest number of transfers of a scheme.
pub const MAX_TRANSFERS: usize = 100_000;

/// An error in a scheme, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
    /// The number of characters at fault.
    pub length: usize,
    /// The line.
    pub text: String,
    /// The problem and its remedy.
    pub message: String,
}

/// The largest number of characters of a line that a message shows.
const MAX_SHOWN: usize = 76;

/// `LINE:COLUMN: what is wrong`, then the line, then a marker below the place.
impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = (self.column - 1).saturating_sub(MAX_SHOWN / 2);
        let shown = |c: char| if c.is_control() || c.is_whitespace() { ' ' } else { c };
        let line: String = self.text.chars().skip(from).take(MAX_SHOWN).map(shown).collect();
        let before = self.column - 1 - from;
        let marker = "^".repeat(self.length.clamp(1, (MAX_SHOWN - before).max(1)));
        write!(
            f,
            "{}:{}: {}\n  {}\n  {:before$}{marker}",
            self.line,
            self.column,
            self.message,
            line.trim_end(),
            ""
        )
    }
}

impl std::error::Error for SchemeError {}

#[cfg(test)]
mod tests {
    use super::default_name;

    #[test]
    fn default_names_follow_the_alphabet() {
        for (index, name) in
            [(0, "a"), (25, "z"), (26, "aa"), (27, "ab"), (701, "zz"), (702, "aaa")]
        {
            assert_eq!(default_name(index), name);
        }
    }
}

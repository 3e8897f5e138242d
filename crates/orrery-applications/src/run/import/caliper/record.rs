//! The records of a profile: a line with keys and values.

use super::error;
use orrery_base::file::{Fault, lines};

/// A record: `__rec=node,id=33,attr=32,data=main`. A backslash escapes a character, and `\n` is a
/// line break.
pub(super) struct Record {
    /// The keys with their values.
    entries: Vec<(String, Vec<String>)>,
}

impl Record {
    /// Parses a line; any line is a record.
    pub(super) fn parse(line: &str) -> Self {
        let mut entries = Vec::new();
        let mut words = vec![String::new()];
        let mut characters = line.chars();
        while let Some(c) = characters.next() {
            match c {
                ',' => entries.push(entry(std::mem::replace(&mut words, vec![String::new()]))),
                '=' => words.push(String::new()),
                _ => {
                    let c = if c == '\\' { unescaped(characters.next()) } else { c };
                    words.last_mut().into_iter().for_each(|word| word.push(c));
                }
            }
        }
        entries.push(entry(words));
        Self { entries }
    }

    /// The values of a key; empty if it is missing.
    pub(super) fn values(&self, key: &str) -> &[String] {
        self.entries.iter().find(|(other, _)| other == key).map_or(&[], |(_, values)| values)
    }

    /// The kind of the record: `node`, `ctx` or `globals`.
    pub(super) fn kind(&self) -> &str {
        self.values("__rec").first().map_or("", String::as_str)
    }

    /// The values of a key as ids of nodes.
    pub(super) fn ids(&self, key: &'static str) -> Result<Vec<u64>, Fault> {
        let id = |text: &String| text.parse().map_err(|_| error::id(key, text));
        self.values(key).iter().map(id).collect()
    }

    /// The ids of attributes with their values, as in a snapshot.
    pub(super) fn attributes(&self) -> Result<Vec<(u64, &str)>, Fault> {
        Ok(self
            .ids("attr")?
            .into_iter()
            .zip(self.values("data").iter().map(String::as_str))
            .collect())
    }
}

/// A key and its values.
fn entry(words: Vec<String>) -> (String, Vec<String>) {
    let mut words = words.into_iter();
    (words.next().unwrap_or_default(), words.collect())
}

/// The character behind a backslash.
fn unescaped(c: Option<char>) -> char {
    match c {
        Some('n') => '\n',
        Some(c) => c,
        None => '\\',
    }
}

/// The records of a text with their bytes.
pub(super) fn records(text: &str) -> impl Iterator<Item = Result<(usize, Record), Fault>> {
    lines(text).filter(|(_, line, _)| !line.trim().is_empty()).map(|(byte, line, is_complete)| {
        let fault = match (line.starts_with(super::START), is_complete) {
            (true, true) => return Ok((byte, Record::parse(line))),
            (true, false) => Fault::new("the profile ends within this record; copy it again"),
            (false, _) => Fault::new(
                "this is no record of Caliper, which begins with __rec=; \
                remove the line, or copy the profile again",
            ),
        };
        Err(fault.at(byte))
    })
}

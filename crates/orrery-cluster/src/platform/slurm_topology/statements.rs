//! The statements of a file in Slurm's configuration language: lines of `KEY=VALUE`, comments,
//! continued lines.

use orrery_base::file::{Fault, lines};

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The byte of the key in the text.
    pub(super) key_byte: usize,
    pub(super) value: String,
    /// The byte of the value in the text.
    pub(super) value_byte: usize,
}

/// A line with those that continue it, without comments.
#[derive(Debug, Default)]
struct Statement {
    text: String,
    /// Where its pieces begin: (byte of the statement, byte of the file), ascending.
    pieces: Vec<(usize, usize)>,
}

impl Statement {
    /// The byte of the file of a byte of the statement.
    fn place(&self, byte: usize) -> usize {
        let piece = self.pieces.partition_point(|(start, _)| *start <= byte).saturating_sub(1);
        self.pieces.get(piece).map_or(0, |(start, place)| place + byte - start)
    }

    /// A fault at a byte of the statement.
    fn fault(&self, byte: usize, fault: impl Into<Fault>) -> Fault {
        fault.into().at(self.place(byte))
    }

    /// The entries, separated by blanks; blanks may surround `=`, and quotes enclose a value with
    /// blanks.
    fn entries(&self) -> Result<Vec<Entry>, Fault> {
        let text = self.text.as_str();
        let skip = |from: usize| from + text[from..].len() - text[from..].trim_start().len();
        let word = |from: usize| {
            from + text[from..].find(char::is_whitespace).unwrap_or(text.len() - from)
        };
        let mut entries = Vec::new();
        let mut at = skip(0);
        while at < text.len() {
            let end = at
                + text[at..]
                    .find(|c: char| c == '=' || c.is_whitespace())
                    .unwrap_or(text.len() - at);
            let key = &text[at..end];
            let equals = skip(end);
            if key.is_empty() || !text[equals..].starts_with('=') {
                let fault = if key.eq_ignore_ascii_case("include") {
                    let file = &text[equals..word(equals)];
                    format!("files are not included; put the lines of {file:?} in its place")
                } else {
                    let found = &text[at..word(at)];
                    format!(
                        "{found:?} is no KEY=VALUE; a line is SwitchName=NAME with Nodes=HOSTS or \
                            Switches=NAMES"
                    )
                };
                return Err(self.fault(at, fault));
            }
            let begin = skip(equals + 1);
            let (value, value_at, next) = match text[begin..].strip_prefix('"') {
                Some(quoted) => {
                    let length = quoted
                        .find('"')
                        .ok_or_else(|| self.fault(begin, "the quote is not closed on its line"))?;
                    (&quoted[..length], begin + 1, begin + length + 2)
                }
                None => (&text[begin..word(begin)], begin, word(begin)),
            };
            let (key_byte, value_byte) = (self.place(at), self.place(value_at));
            entries.push(Entry {
                key: key.to_owned(),
                key_byte,
                value: value.to_owned(),
                value_byte,
            });
            at = skip(next);
        }
        Ok(entries)
    }
}

/// The statements of a text with at least one entry.
///
/// `#` begins a comment, also within a line; a backslash at the end of a line continues it. As in
/// Slurm, comments are removed before, so that a comment is not continued.
pub(super) fn statements(text: &str) -> Result<Vec<Vec<Entry>>, Fault> {
    let mut all = Vec::new();
    let mut current = Statement::default();
    for (start, line, _) in lines(text) {
        let line = line.split('#').next().unwrap_or_default();
        let continued = line.trim_end().strip_suffix('\\');
        current.pieces.push((current.text.len(), start));
        current.text.push_str(continued.unwrap_or(line));
        if continued.is_none() {
            all.push(std::mem::take(&mut current));
        }
    }
    all.push(current);
    let entries = all
        .iter()
        .map(Statement::entries)
        .filter(|entries| entries.as_ref().map_or(true, |all| !all.is_empty()));
    entries.collect()
}

//! The errors of the scheme language.

use std::fmt;

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

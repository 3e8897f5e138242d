//! The errors of the scheme language.

use std::fmt;

use orrery_base::units::UnitError;

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
    /// The problem.
    pub fault: Fault,
}

/// A fault of a scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A line ends too early.
    #[error("the line ends where {expected} is expected; write SOURCE -> DESTINATION")]
    Ends {
        /// What is missing.
        expected: &'static str,
    },
    /// Another word in place of the arrow.
    #[error("{found:?} is not \"->\"; write SOURCE -> DESTINATION")]
    Arrow {
        /// The word.
        found: String,
    },
    /// An invalid node.
    #[error("{found:?} is not a node number; valid numbers are 0 to {}", u32::MAX)]
    Node {
        /// The word.
        found: String,
    },
    /// An invalid name.
    #[error(
        "{found:?} is not a valid name; write a letter, then letters, digits, \"_\", \"-\" \
            and \".\""
    )]
    Name {
        /// The word.
        found: String,
    },
    /// A name that two transfers have.
    #[error(
        "the name {name:?} is used in line {first} already; give each transfer a name of its own"
    )]
    Twice {
        /// The name.
        name: String,
        /// The line in which it was used first.
        first: usize,
    },
    /// An invalid size.
    #[error(transparent)]
    Size(#[from] UnitError),
    /// An invalid number of repetitions.
    #[error("{found:?} is not a number of repetitions; write x2 for two transfers")]
    Count {
        /// The word.
        found: String,
    },
    /// Too many transfers.
    #[error("the scheme has more than {MAX_TRANSFERS} transfers; reduce the repetitions")]
    TooMany,
    /// An invalid delay.
    #[error("{found:?} is not a delay; write a number from 0 with s, ms, us or ns, such as 5ms")]
    Delay {
        /// The word.
        found: String,
    },
    /// A part of a line that occurs twice.
    #[error("{what} is given twice; remove one of them")]
    Again {
        /// The part.
        what: &'static str,
    },
    /// An unknown word.
    #[error(
        "unknown word {found:?}; after the nodes write a size (20M), repetitions (x2) or a delay \
            (after 5ms)"
    )]
    Word {
        /// The word.
        found: String,
    },
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
            self.fault,
            line.trim_end(),
            ""
        )
    }
}

impl std::error::Error for SchemeError {}

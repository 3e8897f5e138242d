use std::fmt;

use super::MAX_TRANSFERS;
use crate::units::UnitError;

/// Why a scheme cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
    /// How many characters are concerned.
    pub length: usize,
    /// The line.
    pub text: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A line ends too early.
    #[error("the line ends where {expected} should stand; write SOURCE -> DESTINATION")]
    Ends {
        /// What should stand there.
        expected: &'static str,
    },
    /// Something else stands where the arrow should.
    #[error("{found:?} stands where \"->\" should; write SOURCE -> DESTINATION")]
    Arrow {
        /// What stands there.
        found: String,
    },
    /// A node that is none.
    #[error("{found:?} is no node; nodes are numbers from 0 to {}", u32::MAX)]
    Node {
        /// What stands there.
        found: String,
    },
    /// A name that is none.
    #[error("{found:?} is no name; a name begins with a letter and holds letters, digits, \"_\", \"-\" and \".\"")]
    Name {
        /// What stands there.
        found: String,
    },
    /// A name that is given twice.
    #[error("the name {name:?} is given in line {first} already; each transfer has a name of its own")]
    Twice {
        /// The name.
        name: String,
        /// The line in which it was given first.
        first: usize,
    },
    /// A size that cannot be read.
    #[error(transparent)]
    Size(#[from] UnitError),
    /// A number of repetitions that is none.
    #[error("{found:?} is no number of repetitions; write x2 for two at once")]
    Count {
        /// What stands there.
        found: String,
    },
    /// Too many transfers.
    #[error("with this there are more than {MAX_TRANSFERS} transfers; write fewer repetitions")]
    TooMany,
    /// A delay that cannot be read.
    #[error("{found:?} is no delay; write a number from 0 with s, ms, us or ns, such as 5ms")]
    Delay {
        /// What stands there.
        found: String,
    },
    /// Something is given twice.
    #[error("{what} is given twice; remove one of them")]
    Again {
        /// What it is.
        what: &'static str,
    },
    /// A word that has no meaning here.
    #[error("{found:?} is not understood; behind the nodes come a size (20M), repetitions (x2), a delay (after 5ms)")]
    Word {
        /// What stands there.
        found: String,
    },
}

/// So many characters of a line are shown at most.
const SHOWN: usize = 76;

/// `LINE:COLUMN: what is wrong`, below it the line and what points to the place.
impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = (self.column - 1).saturating_sub(SHOWN / 2);
        let shown = |c: char| if c.is_control() || c.is_whitespace() { ' ' } else { c };
        let line: String = self.text.chars().skip(from).take(SHOWN).map(shown).collect();
        let before = self.column - 1 - from;
        let pointer = "^".repeat(self.length.clamp(1, (SHOWN - before).max(1)));
        write!(f, "{}:{}: {}\n  {}\n  {:before$}{pointer}", self.line, self.column, self.fault, line.trim_end(), "")
    }
}

impl std::error::Error for SchemeError {}

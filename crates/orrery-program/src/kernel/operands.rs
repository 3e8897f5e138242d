use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The state of the operands of a call when it begins.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Operands {
    /// In caches, as far as they fit: an untimed call of the same operands comes first.
    #[default]
    Warm,
    /// Not in caches: other memory is written before each call.
    Cold,
}

impl Operands {
    /// All states.
    pub const ALL: [Self; 2] = [Self::Warm, Self::Cold];

    /// The word in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
}

impl FromStr for Operands {
    type Err = UnknownOperands;

    /// Parses the word in files.
    fn from_str(word: &str) -> Result<Self, UnknownOperands> {
        let known = Self::ALL.into_iter().find(|operands| operands.name() == word);
        known.ok_or_else(|| UnknownOperands { word: word.to_owned() })
    }
}

impl fmt::Display for Operands {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error about a word that is no state of operands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operands are warm or cold, and not {word:?}")]
pub struct UnknownOperands {
    /// The word.
    pub word: String,
}

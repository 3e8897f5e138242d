use std::str::FromStr;

use serde::{Deserialize, Serialize};

orrery_base::named_enum! {
    /// The state of the operands of a call when it begins.
    #[derive(
        Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    #[serde(rename_all = "lowercase")]
    pub enum Operands {
        /// In caches, as far as they fit: an untimed call of the same operands comes first.
        #[default]
        Warm => "warm",
        /// Not in caches: other memory is written before each call.
        Cold => "cold",
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

/// The error about a word that is no state of operands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown operands {word:?}; known are warm, cold")]
pub struct UnknownOperands {
    /// The word.
    pub word: String,
}

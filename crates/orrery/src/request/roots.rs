use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{RequestError, check_rank};
use crate::platform::Processor;

/// The roots of an operation that are measured, or among which one is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Roots {
    /// All ranks.
    All,
    /// These; rank 0, or the only root of samples, for an empty list.
    #[serde(untagged)]
    Ranks(Vec<Processor>),
}

impl Default for Roots {
    fn default() -> Self {
        Self::Ranks(Vec::new())
    }
}

/// A text that names no roots.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no rank; write all, or ranks such as 0,1")]
pub struct RootsError(String);

impl FromStr for Roots {
    type Err = RootsError;

    /// Parses `all`, or ranks separated by commas.
    fn from_str(list: &str) -> Result<Self, RootsError> {
        if list == "all" {
            return Ok(Self::All);
        }
        let rank = |word: &str| word.parse().map(Processor).map_err(|_| RootsError(word.into()));
        list.split(',').map(|word| rank(word.trim())).collect::<Result<_, _>>().map(Self::Ranks)
    }
}

impl Roots {
    /// Returns the roots among this number of processors.
    ///
    /// # Errors
    ///
    /// When there is no such rank.
    pub fn of(&self, procs: usize) -> Result<Vec<Processor>, RequestError> {
        match self {
            Self::All => Ok(Processor::first(procs).collect()),
            Self::Ranks(ranks) if ranks.is_empty() => Ok(vec![Processor(0)]),
            Self::Ranks(ranks) => {
                ranks.iter().try_for_each(|rank| check_rank("root", *rank, procs))?;
                Ok(ranks.clone())
            }
        }
    }
}

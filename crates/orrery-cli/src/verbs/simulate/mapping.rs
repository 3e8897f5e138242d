//! Rank-to-host mappings on the command line.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context as _;
use orrery::platform::{MappingPolicy, RankMapping};
use orrery::request::RankPlacement;

use crate::hand_written;

/// A mapping policy (`rrn`, `rrp`, `random[:SEED]`), or a file of a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingOption {
    Policy(MappingPolicy),
    File(PathBuf),
}

impl FromStr for MappingOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(policy) => Ok(Self::Policy(policy)),
            Err(error) if text.starts_with("random:") || text.is_empty() => Err(error.to_string()),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

impl std::fmt::Display for MappingOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Policy(policy) => policy.fmt(f),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl MappingOption {
    /// The placement; that of a file is read.
    pub fn load(&self) -> anyhow::Result<RankPlacement> {
        match self {
            Self::Policy(policy) => Ok(RankPlacement::Policy(*policy)),
            Self::File(path) => {
                let name = path.display().to_string();
                let text = hand_written::read(path).with_context(|| {
                    format!(
                        "cannot read {name}; a placement is rrn, rrp, random[:SEED] or a file with \
                            a host for each rank"
                    )
                })?;
                Ok(RankPlacement::Listed(RankMapping::parse(&text, &name)?))
            }
        }
    }
}

//! What simulations assume where a cluster file has no value.

use std::fmt;

/// A value that a cluster file does not have, and what simulations take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assumption {
    /// Links have no latency: 0 is taken.
    Latency {
        /// The links, such as `links.backbone`.
        links: String,
    },
    /// There is no link for messages within a host: they take its links to the switch and back.
    Memory,
}

impl Assumption {
    /// The keyword of the assumption, which is that of what is missing.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Latency { .. } => "latency",
            Self::Memory => "memory",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latency { links } => write!(f, "{links} has no latency: 0 is taken"),
            Self::Memory => f.write_str(
                "links.memory is missing: messages within a host take its links to the switch and \
                    back",
            ),
        }
    }
}

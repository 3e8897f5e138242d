use std::fmt;

use serde::{Deserialize, Serialize};

/// A processor: the place of one process, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Processor(pub u32);

impl Processor {
    /// The number as an index into arrays per processor.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` processors.
    pub fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count as u32).map(Self)
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

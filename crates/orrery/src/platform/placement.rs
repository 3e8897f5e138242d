use serde::{Deserialize, Serialize};

use super::Processor;
use crate::schedule::Rank;

/// Where the ranks of a program stand: rank r on processor `placement.processor(r)`.
///
/// A processor is the place of one process, so no two ranks share one; [`Placement::is_distinct`] tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Placement(Vec<Processor>);

impl Placement {
    /// Rank r on the r-th of these processors.
    pub fn new(processors: impl IntoIterator<Item = Processor>) -> Self {
        Self(processors.into_iter().collect())
    }

    /// Rank r on processor r, for so many ranks.
    pub fn identity(ranks: usize) -> Self {
        Self(Processor::first(ranks).collect())
    }

    /// How many ranks are placed.
    pub fn ranks(&self) -> usize {
        self.0.len()
    }

    /// The processor of a rank.
    ///
    /// # Panics
    ///
    /// When the rank is not placed: schedules are checked against their placement before they run.
    pub fn processor(&self, rank: Rank) -> Processor {
        self.0[rank.index()]
    }

    /// Whether no two ranks stand on the same processor.
    pub fn is_distinct(&self) -> bool {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// The processors in the order of the ranks.
    pub fn processors(&self) -> &[Processor] {
        &self.0
    }
}

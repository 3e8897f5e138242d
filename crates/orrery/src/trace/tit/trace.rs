use super::error::Place;
use super::rank::RankActions;
use super::replay::Replay;
use crate::schedule::Rank;
use crate::units::Seconds;

/// A trace: what each rank did, in amounts.
#[derive(Debug, Clone)]
pub struct Trace {
    pub(super) files: Vec<String>,
    /// For each rank the number of its file.
    pub(super) origins: Vec<u32>,
    pub(super) ranks: Vec<RankActions>,
    pub(super) lines: u64,
}

impl Trace {
    /// How many ranks take part.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// How many actions were read, of all ranks together.
    pub fn actions(&self) -> u64 {
        self.lines
    }

    /// Where an action of a rank stands: the `statement` of its cursor.
    pub fn place(&self, rank: Rank, statement: u32) -> Option<Place> {
        let line = *self.ranks.get(rank.index())?.lines.get(statement as usize)? as usize;
        Some(Place { file: self.files[self.origins[rank.index()] as usize].clone(), line, column: 1 })
    }

    /// The trace as a schedule: rank r computes `speeds[r]` operations in a second, a test takes so long.
    ///
    /// # Panics
    ///
    /// When there are fewer speeds than ranks.
    pub fn schedule<'a>(&'a self, speeds: &'a [f64], test: Seconds) -> Replay<'a> {
        assert!(speeds.len() >= self.ranks(), "a speed for each rank");
        Replay { trace: self, speeds, test }
    }
}

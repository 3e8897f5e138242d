use serde::{Deserialize, Serialize};

use super::MachineError;
use crate::engine;
use crate::platform::{Placement, Processor};
use crate::schedule::{Cursor, Operation, Program, Rank, Reading, Reducer, Schedule, Timer, Transfer};

/// A program, where it runs and how often: the unit of work between two decisions of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// What runs.
    pub program: Program,
    /// Where its ranks stand.
    pub placement: Placement,
    /// What is read.
    pub reading: Reading,
    /// Repetitions that are run first and not read.
    pub warm_up: u32,
    /// The number of the first repetition that is read; later batches of one experiment count on.
    pub first_repetition: u32,
    /// How many repetitions are read.
    pub repetitions: u32,
}

/// A batch that does not fit its machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The program and the placement speak of different numbers of ranks.
    #[error("the program has {ranks} ranks, but {placed} are placed")]
    RankCount {
        /// Ranks of the program.
        ranks: usize,
        /// Ranks of the placement.
        placed: usize,
    },
    /// A rank stands on a processor that the machine does not have.
    #[error("processor {processor} does not exist: the machine has {processors}, numbered from 0")]
    NoSuchProcessor {
        /// The processor.
        processor: Processor,
        /// How many there are.
        processors: usize,
    },
    /// Two ranks stand on one processor.
    #[error("two ranks are placed on one processor")]
    SharedProcessor,
    /// Root minus barrier, or a reading on the global clock, of a timer that is not the whole time of a rank.
    #[error("timer {} ends before its rank does; this reading is of the whole time of a rank", .0.0)]
    PartialTimer(Timer),
    /// The reading names a rank that the program does not have.
    #[error("rank {0} is to be read, but the program does not have it")]
    NoSuchRank(u32),
}

impl Batch {
    /// The rank that should begin when all others are known to stand at their first operation: the one that is read, if
    /// it sends first. (One that receives first must begin when the others do.)
    ///
    /// A rank that leaves a barrier does not know whether the others have left it; a message that finds them busy with
    /// leaving makes the shortest round trips up to a third longer. Where there is a starter, a barrier may let it call all
    /// others and wait for their answers.
    pub fn starter(&self) -> Option<Rank> {
        // Messages that are to be under way at once start together.
        if matches!(self.program, Program::Concurrent(_)) {
            return None;
        }
        let Reducer::At(rank) = self.reading.reducer else { return None };
        let mut cursor = Cursor::default();
        let mut operations = std::iter::from_fn(|| self.program.next(rank, &mut cursor));
        match operations.find(|operation| !matches!(operation, Operation::Start(_))) {
            Some(Operation::Do(Transfer::Send { .. }) | Operation::Post(Transfer::Send { .. }, _)) => Some(rank),
            _ => None,
        }
    }

    /// Whether the starter has heard, by its last receive at the latest, from all others that they are at their end.
    ///
    /// Then no barrier is needed between two repetitions: the others stand at their first operation again and wait for
    /// the starter, and a repetition is the next turn of a ping-pong.
    ///
    /// ```
    /// use orrery::machine::Batch;
    /// use orrery::platform::{Placement, Processor};
    /// use orrery::schedule::{Program, RoundTrip};
    /// use orrery::units::Bytes;
    /// let program = Program::RoundTrip(RoundTrip { out: Bytes::new(64), back: Bytes::ZERO });
    /// let (reading, placement) = (program.reading(), Placement::new([0, 1].map(Processor)));
    /// let batch = Batch { program, placement, reading, warm_up: 2, first_repetition: 0, repetitions: 5 };
    /// assert!(batch.is_self_synchronizing());
    /// ```
    pub fn is_self_synchronizing(&self) -> bool {
        let Some(starter) = self.starter() else { return false };
        Rank::first(self.program.ranks()).all(|rank| {
            let mut cursor = Cursor::default();
            let mut operations = std::iter::from_fn(|| self.program.next(rank, &mut cursor));
            let last = operations.try_fold(None, |last, operation| match operation {
                Operation::Start(_) | Operation::Stop(_) => Some(last),
                Operation::Post(..) | Operation::Wait(_) | Operation::Test(_) => None,
                operation => Some(Some(operation)),
            });
            let is_answer = |last| matches!(last, Some(Operation::Do(Transfer::Send { to, .. })) if to == starter);
            last.is_some_and(|last| rank == starter || is_answer(last))
        })
    }

    /// Whether the reading of the rank on this processor is asked for.
    pub fn is_read_on(&self, processor: Processor) -> bool {
        let ranks = Rank::first(self.placement.ranks());
        ranks
            .zip(self.placement.processors())
            .any(|(rank, place)| *place == processor && self.reading.reducer.reads(rank))
    }

    /// Whether the batch fits a machine of so many processors.
    ///
    /// # Errors
    ///
    /// What does not fit.
    pub fn check(&self, processors: usize) -> Result<(), BatchError> {
        let ranks = self.program.ranks();
        if ranks != self.placement.ranks() {
            return Err(BatchError::RankCount { ranks, placed: self.placement.ranks() });
        }
        if let Some(&processor) = self.placement.processors().iter().find(|p| p.index() >= processors) {
            return Err(BatchError::NoSuchProcessor { processor, processors });
        }
        if !self.placement.is_distinct() {
            return Err(BatchError::SharedProcessor);
        }
        match self.reading.reducer {
            Reducer::At(rank) | Reducer::RootMinusBarrier(rank) if rank.index() >= ranks => {
                Err(BatchError::NoSuchRank(rank.0))
            }
            Reducer::RootMinusBarrier(_) | Reducer::Global if self.reading.timer != Timer::WHOLE => {
                Err(BatchError::PartialTimer(self.reading.timer))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a batch fits a machine of so many processors, and its program can run to its end.
pub(super) fn checked(batch: &Batch, processors: usize) -> Result<(), MachineError> {
    batch.check(processors)?;
    engine::check(&batch.program)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Explicit, OneToTwo};
    use crate::units::{Bytes, Seconds};

    fn is_self_synchronizing(program: Program) -> bool {
        let (reading, placement) = (program.reading(), Placement::identity(program.ranks()));
        Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 1 }.is_self_synchronizing()
    }

    #[test]
    fn only_answers_of_all_others_at_their_end_bring_ranks_together() {
        assert!(is_self_synchronizing(Program::OneToTwo(OneToTwo { size: Bytes::new(9) })));
        let (there, back) = (Operation::send(Rank(1), Bytes::ZERO), Operation::receive(Rank(0), Bytes::ZERO));
        let home = Operation::send(Rank(0), Bytes::ZERO);
        let read_at_0 = |others: Vec<Operation>| {
            let program =
                Program::Explicit(Explicit::new(vec![vec![there, Operation::receive(Rank(1), Bytes::ZERO)], others]));
            let reading = Reading { timer: Timer::WHOLE, reducer: Reducer::At(Rank(0)) };
            let placement = Placement::identity(2);
            Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 1 }
                .is_self_synchronizing()
        };
        assert!(read_at_0(vec![back, home]));
        assert!(!read_at_0(vec![back, home, Operation::Spin(Seconds::new(1e-3))]));
        assert!(!read_at_0(vec![home, back]));
    }
}

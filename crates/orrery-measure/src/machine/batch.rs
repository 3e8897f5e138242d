use serde::{Deserialize, Serialize};

use super::MachineError;
use orrery_base::file::Fault;
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Placement, Processor};
use orrery_program::schedule::{
    Cursor, Operation, Program, Rank, Reading, Reducer, Schedule, Timer, Transfer,
};

/// A program with its placement and its number of repetitions: the unit of work of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// The program.
    pub program: Program,
    /// The processor of each rank.
    pub placement: Placement,
    /// The timer and the rank that are read in each repetition.
    pub reading: Reading,
    /// The number of repetitions that run first and are not read.
    pub warm_up: u32,
    /// The number of the first repetition that is read; later batches of an experiment continue the
    /// numbering.
    pub first_repetition: u32,
    /// The number of repetitions that are read.
    pub repetitions: u32,
}

impl Batch {
    /// Returns the rank that must start when all others wait at their first operation: the rank
    /// that is read, if it sends first. `None` if it receives first, since it must then start
    /// together with the others.
    ///
    /// A rank that leaves a barrier cannot detect if the others have left it; a message that
    /// arrives meanwhile makes the shortest round trips up to a third longer. With a starter, the
    /// barrier is a message from it to all others and their answers.
    pub fn starter(&self) -> Option<Rank> {
        // Concurrent messages start together.
        if matches!(self.program, Program::Concurrent(_)) {
            return None;
        }
        let Reducer::At(rank) = self.reading.reducer else { return None };
        let mut cursor = Cursor::default();
        let mut operations = std::iter::from_fn(|| self.program.next(rank, &mut cursor));
        match operations.find(|operation| !matches!(operation, Operation::Start(_))) {
            Some(
                Operation::Do(Transfer::Send { .. }) | Operation::Post(Transfer::Send { .. }, _),
            ) => Some(rank),
            _ => None,
        }
    }

    /// Returns true if the starter's last receive proves that all ranks have finished, so that no
    /// barrier is needed between two repetitions.
    ///
    /// The others then wait at their first operation again, and a repetition is the next turn of a
    /// ping-pong.
    ///
    /// ```
    /// use orrery_measure::machine::Batch;
    /// use orrery_cluster::platform::{Placement, Processor};
    /// use orrery_program::schedule::{Program, RoundTrip};
    /// use orrery_base::units::Bytes;
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

    /// Returns true if the rank on this processor is read.
    pub fn is_read_on(&self, processor: Processor) -> bool {
        let ranks = Rank::first(self.placement.ranks());
        ranks
            .zip(self.placement.processors())
            .any(|(rank, place)| *place == processor && self.reading.reducer.reads(rank))
    }

    /// Checks that the batch fits a machine with this number of processors.
    ///
    /// # Errors
    ///
    /// The first mismatch.
    pub fn check(&self, processors: usize) -> Result<(), Fault> {
        let ranks = self.program.ranks();
        if ranks != self.placement.ranks() {
            let placed = self.placement.ranks();
            return Err(Fault::new(format!(
                "the program has {ranks} ranks, but the placement has {placed}; place each rank"
            )));
        }
        check_placement(&self.placement, processors)?;
        match self.reading.reducer {
            Reducer::At(rank) | Reducer::RootMinusBarrier(rank) if rank.index() >= ranks => {
                Err(no_such_rank(rank))
            }
            Reducer::RootMinusBarrier(_) | Reducer::Global
                if self.reading.timer != Timer::WHOLE =>
            {
                Err(Fault::new(format!(
                    "timer {} does not cover the whole rank, as the timing methods root and global \
                        require; read the timer of the whole rank",
                    self.reading.timer.0
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that a machine with this number of processors has those of a placement, and that each
/// has one rank.
pub(super) fn check_placement(placement: &Placement, processors: usize) -> Result<(), Fault> {
    if let Some(processor) = placement.processors().iter().find(|one| one.index() >= processors) {
        return Err(Fault::new(format!(
            "processor {processor} does not exist: the machine has {processors}, numbered from 0"
        )));
    }
    if placement.is_distinct() {
        return Ok(());
    }
    Err(Fault::new("two ranks are placed on one processor; give each its own"))
}

/// The fault of a reading at a rank that does not exist.
pub(super) fn no_such_rank(rank: Rank) -> Fault {
    let rank = rank.0;
    Fault::new(format!(
        "the reading names rank {rank}, which the program does not have; name one of its ranks"
    ))
}

/// The readings of several batches, reduced over the processors that take part.
///
/// A machine of several processes gives each process the batches of its processor, and adds the
/// readings that it returns.
#[derive(Debug)]
pub struct BatchReadings<'a> {
    batches: Vec<&'a Batch>,
    /// For each processor the indices of its batches, ascending.
    shares: Vec<Vec<usize>>,
    reduced: Vec<Vec<Seconds>>,
}

impl<'a> BatchReadings<'a> {
    /// No readings yet, on a machine with this number of processors.
    pub fn new(batches: Vec<&'a Batch>, processors: usize) -> Self {
        let takes_part = |batch: &Batch, p: usize| {
            batch.placement.processors().iter().any(|other| other.index() == p)
        };
        let share = |p| (0..batches.len()).filter(|&b| takes_part(batches[b], p)).collect();
        let shares = (0..processors).map(share).collect();
        let reduced =
            batches.iter().map(|batch| vec![Seconds::ZERO; batch.repetitions as usize]).collect();
        Self { batches, shares, reduced }
    }

    /// The indices of the batches in which a processor takes part, ascending.
    pub fn batches_of(&self, processor: usize) -> &[usize] {
        &self.shares[processor]
    }

    /// Adds the readings of a processor for each of its batches, empty where it is not read; the
    /// maximum over the processors is kept.
    ///
    /// # Errors
    ///
    /// When the number of readings is wrong.
    pub fn add(&mut self, processor: usize, readings: &[Vec<Seconds>]) -> Result<(), MachineError> {
        let failed = |reason| MachineError::WorkerFailed { worker: processor, reason };
        let share = &self.shares[processor];
        if readings.len() != share.len() {
            return Err(failed(format!(
                "it ran {} batches instead of {}",
                readings.len(),
                share.len()
            )));
        }
        for (&b, readings) in share.iter().zip(readings) {
            let reduced = &mut self.reduced[b];
            let is_read = self.batches[b].is_read_on(Processor(processor as u32));
            let expected = if is_read { reduced.len() } else { 0 };
            if readings.len() != expected {
                return Err(failed(format!(
                    "it sent {} readings instead of {expected}",
                    readings.len()
                )));
            }
            reduced
                .iter_mut()
                .zip(readings)
                .for_each(|(maximum, &reading)| *maximum = maximum.max(reading));
        }
        Ok(())
    }

    /// The readings of each batch.
    pub fn into_reduced(self) -> Vec<Vec<Seconds>> {
        self.reduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::Bytes;
    use orrery_program::schedule::{Explicit, OneToTwo, SendReceive, TwoToOne};

    fn is_self_synchronizing(program: Program) -> bool {
        let (reading, placement) = (program.reading(), Placement::identity(program.ranks()));
        Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 1 }
            .is_self_synchronizing()
    }

    #[test]
    fn a_batch_is_self_synchronizing_if_all_others_end_with_an_answer() {
        assert!(is_self_synchronizing(Program::OneToTwo(OneToTwo { size: Bytes::new(9) })));
        assert!(is_self_synchronizing(Program::TwoToOne(TwoToOne { size: Bytes::new(9) })));
        assert!(is_self_synchronizing(Program::SendReceive(SendReceive { size: Bytes::new(9) })));
        let (there, back) =
            (Operation::send(Rank(1), Bytes::ZERO), Operation::receive(Rank(0), Bytes::ZERO));
        let home = Operation::send(Rank(0), Bytes::ZERO);
        let read_at_0 = |others: Vec<Operation>| {
            let program = Program::Explicit(Explicit::new(vec![
                vec![there, Operation::receive(Rank(1), Bytes::ZERO)],
                others,
            ]));
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

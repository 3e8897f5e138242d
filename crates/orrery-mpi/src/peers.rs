//! The ranks of a batch as they synchronise their clocks: they exchange numbers.

use orrery::machine::Batch;
use orrery::machine::clock::{self, RawClock};

use crate::MpiError;
use crate::calls::{self, Comm};
use crate::control::NUMBER_TAG;

/// The ranks of a batch as one of them uses them.
#[derive(Debug)]
pub(crate) struct Peers {
    rank: usize,
    /// The process of each rank.
    processes: Vec<usize>,
    comm: Comm,
    clock: RawClock,
}

impl Peers {
    /// The ranks of a batch with which `rank` synchronises its clock.
    pub fn new(batch: &Batch, rank: usize, comm: Comm, clock: RawClock) -> Self {
        let processes = batch.placement.processors().iter().map(|place| place.index()).collect();
        Self { rank, processes, comm, clock }
    }
}

impl clock::ClockPeers for Peers {
    type Error = MpiError;

    fn rank(&self) -> usize {
        self.rank
    }

    fn rank_count(&self) -> usize {
        self.processes.len()
    }

    fn now(&mut self) -> f64 {
        self.clock.now()
    }

    fn idle(&mut self, seconds: f64) -> Result<(), MpiError> {
        // Other ranks may need the core to be ready at the same time, also ranks on hosts of other
        // names (containers).
        self.clock.idle(seconds, true);
        Ok(())
    }

    fn send(&mut self, to: usize, number: f64) -> Result<(), MpiError> {
        calls::send_bytes(&number.to_le_bytes(), self.processes[to], NUMBER_TAG, self.comm)
    }

    fn receive(&mut self, from: usize) -> Result<f64, MpiError> {
        let mut bytes = [0; 8];
        calls::receive_into(&mut bytes, self.processes[from], NUMBER_TAG, self.comm)?;
        Ok(f64::from_le_bytes(bytes))
    }
}

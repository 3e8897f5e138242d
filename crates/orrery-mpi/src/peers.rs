//! The ranks of a batch tell each other numbers, by which they agree on a clock.

use orrery::machine::Batch;
use orrery::machine::clock::{self, RawClock};

use crate::MpiError;
use crate::calls::{self, Comm};
use crate::control::NUMBER;

/// A rank among those of a batch.
#[derive(Debug)]
pub(crate) struct ClockPeers {
    me: usize,
    /// The process of each rank.
    processes: Vec<usize>,
    comm: Comm,
    clock: RawClock,
}

impl ClockPeers {
    /// Rank `me` of a batch.
    pub fn new(batch: &Batch, me: usize, comm: Comm, clock: RawClock) -> Self {
        let processes = batch.placement.processors().iter().map(|place| place.index()).collect();
        Self { me, processes, comm, clock }
    }
}

impl clock::ClockPeers for ClockPeers {
    type Error = MpiError;

    fn rank(&self) -> usize {
        self.me
    }

    fn rank_count(&self) -> usize {
        self.processes.len()
    }

    fn now(&mut self) -> f64 {
        self.clock.now()
    }

    fn idle(&mut self, seconds: f64) -> Result<(), MpiError> {
        self.clock.idle(seconds, false);
        Ok(())
    }

    fn send(&mut self, to: usize, number: f64) -> Result<(), MpiError> {
        calls::send_bytes(&number.to_le_bytes(), self.processes[to], NUMBER, self.comm)
    }

    fn receive(&mut self, from: usize) -> Result<f64, MpiError> {
        let mut bytes = [0; 8];
        calls::receive_into(&mut bytes, self.processes[from], NUMBER, self.comm)?;
        Ok(f64::from_le_bytes(bytes))
    }
}

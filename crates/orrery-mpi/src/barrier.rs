//! A barrier by dissemination: in round k each rank tells rank + 2^k, and hears from rank − 2^k, modulo p.
//!
//! After ⌈log2 p⌉ rounds every rank has heard, directly or not, from every other. It is ours, since the library's own
//! may be what is measured.

use std::ffi::c_int;

use crate::MpiError;
use crate::calls::{self, Comm};
use crate::control::BARRIER;

/// For each round, to whom and from whom.
#[derive(Debug)]
pub(crate) struct Barrier {
    rounds: Vec<(c_int, c_int)>,
    comm: Comm,
}

impl Barrier {
    /// The barrier of a rank of a program whose ranks are these processes.
    pub fn new(me: usize, processes: &[c_int], comm: Comm) -> Self {
        let p = processes.len();
        let distances = (0..usize::BITS).map(|k| 1 << k).take_while(|&distance: &usize| distance < p);
        let round = |distance: usize| (processes[(me + distance) % p], processes[(me + p - distance) % p]);
        Self { rounds: distances.map(round).collect(), comm }
    }

    /// Returns when all ranks of the program have come here.
    pub fn pass(&self) -> Result<(), MpiError> {
        for (round, &(to, from)) in self.rounds.iter().enumerate() {
            calls::exchange_nothing(to, from, BARRIER + round as c_int, self.comm)?;
        }
        Ok(())
    }
}

//! The barrier before each repetition, and after it where the root alone is read: ours, since the library's own may be what is measured.
//!
//! By dissemination: in round k each rank tells rank + 2^k, and hears from rank − 2^k, modulo p. After ⌈log2 p⌉ rounds
//! every rank has heard, directly or not, from every other.
//!
//! A rank that leaves does not know whether the others have left: the message that lets them go may be on its way. Where
//! one rank is read and begins with a send, as in a round trip, its message would find them busy with leaving, and the
//! library after messages that have crossed: up to a third is added to the shortest round trips. There this *starter*
//! calls all others by a message and begins when all have answered. They stand at their first operation then, and for
//! two ranks a repetition is the next turn of a ping-pong. Where all others answer the starter at their end, later
//! repetitions need no barrier at all ([`Batch::is_self_synchronizing`]).

use std::ffi::c_int;

use orrery::machine::Batch;
use orrery::schedule::Rank;

use crate::MpiError;
use crate::calls::{self, Comm};
use crate::control::BARRIER;

/// The barrier of one rank in one batch.
#[derive(Debug)]
pub(crate) struct Barrier {
    part: Part,
    comm: Comm,
}

#[derive(Debug)]
enum Part {
    /// For each round, to whom and from whom.
    Dissemination(Vec<(usize, usize)>),
    /// Calls these and waits for their answers.
    Starter(Vec<usize>),
    /// Waits for the call of the starter and answers.
    Answer(usize),
}

impl Barrier {
    /// The barrier of rank `me` of a batch.
    pub fn new(batch: &Batch, me: usize, comm: Comm) -> Self {
        let processes: Vec<usize> = batch.placement.processors().iter().map(|place| place.index()).collect();
        let p = processes.len();
        let part = match batch.starter().map(Rank::index) {
            Some(starter) if starter == me => {
                Part::Starter((0..p).filter(|&rank| rank != me).map(|rank| processes[rank]).collect())
            }
            Some(starter) => Part::Answer(processes[starter]),
            None => {
                let distances = (0..usize::BITS).map(|k| 1 << k).take_while(|&distance: &usize| distance < p);
                let round = |distance| (processes[(me + distance) % p], processes[(me + p - distance) % p]);
                Part::Dissemination(distances.map(round).collect())
            }
        };
        Self { part, comm }
    }

    /// Returns when all ranks of the program have come here.
    pub fn pass(&self) -> Result<(), MpiError> {
        let tell = |other| calls::send_bytes(&[], other, BARRIER, self.comm);
        let hear = |other| calls::receive_into(&mut [], other, BARRIER, self.comm);
        match &self.part {
            Part::Dissemination(rounds) => {
                for (round, &(to, from)) in rounds.iter().enumerate() {
                    calls::exchange_nothing(to, from, BARRIER + round as c_int, self.comm)?;
                }
                Ok(())
            }
            Part::Starter(others) => {
                others.iter().try_for_each(|&other| tell(other))?;
                others.iter().try_for_each(|&other| hear(other))
            }
            &Part::Answer(starter) => {
                hear(starter)?;
                tell(starter)
            }
        }
    }
}

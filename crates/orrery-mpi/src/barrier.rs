//! The barrier before each repetition, and after it where only the root is read. It is our own,
//! since the barrier of the library may be part of what is measured.
//!
//! It is a dissemination barrier: in round k each rank sends to rank + 2^k and receives from rank −
//! 2^k, modulo p. After ⌈log2 p⌉ rounds every rank has received, directly or not, from every other.
//!
//! A rank that leaves does not know whether the others have left: the last message may be in
//! flight. Where one rank is read and starts with a send, as in a round trip, its message would
//! arrive while the others leave, and while the library handles crossing messages: that adds up to
//! a third to the shortest round trips. There this *starter* sends a message to all others and
//! starts when all have answered. They then wait at their first operation, and for two ranks a
//! repetition is the next turn of a ping-pong. Where all others answer the starter at their end,
//! later repetitions need no barrier ([`Batch::is_self_synchronizing`]).

use std::ffi::c_int;

use orrery::machine::Batch;
use orrery::schedule::Rank;

use crate::MpiError;
use crate::calls::{self, Comm};
use crate::control::BARRIER_TAG;

/// The barrier of one rank in one batch.
#[derive(Debug)]
pub(crate) struct Barrier {
    role: Role,
    comm: Comm,
}

/// What a rank does in a barrier; ranks are given as processes.
#[derive(Debug)]
enum Role {
    /// For each round, the process to send to and the one to receive from.
    Dissemination(Vec<(usize, usize)>),
    /// Sends to these and waits for their answers.
    Starter(Vec<usize>),
    /// Waits for the message of the starter and answers.
    Answer(usize),
}

impl Barrier {
    /// The barrier of rank `me` of a batch: by its starter, or a dissemination barrier if it has
    /// none.
    pub fn new(batch: &Batch, me: usize, comm: Comm) -> Self {
        let processes: Vec<usize> =
            batch.placement.processors().iter().map(|place| place.index()).collect();
        let p = processes.len();
        let role = match batch.starter().map(Rank::index) {
            Some(starter) if starter == me => Role::Starter(
                (0..p).filter(|&rank| rank != me).map(|rank| processes[rank]).collect(),
            ),
            Some(starter) => Role::Answer(processes[starter]),
            None => return Self::of_all(&processes, me, comm),
        };
        Self { role, comm }
    }

    /// The dissemination barrier of rank `me` of these processes, all of which start together.
    pub fn of_all(processes: &[usize], me: usize, comm: Comm) -> Self {
        let p = processes.len();
        let distances =
            (0..usize::BITS).map(|k| 1 << k).take_while(|&distance: &usize| distance < p);
        let round = |distance| (processes[(me + distance) % p], processes[(me + p - distance) % p]);
        Self { role: Role::Dissemination(distances.map(round).collect()), comm }
    }

    /// Returns when all ranks of the program have called it.
    pub fn pass(&self) -> Result<(), MpiError> {
        let send = |other| calls::send_bytes(&[], other, BARRIER_TAG, self.comm);
        let receive = |other| calls::receive_into(&mut [], other, BARRIER_TAG, self.comm);
        match &self.role {
            Role::Dissemination(rounds) => {
                for (round, &(to, from)) in rounds.iter().enumerate() {
                    calls::exchange_empty(to, from, BARRIER_TAG + round as c_int, self.comm)?;
                }
                Ok(())
            }
            Role::Starter(others) => {
                others.iter().try_for_each(|&other| send(other))?;
                others.iter().try_for_each(|&other| receive(other))
            }
            &Role::Answer(starter) => {
                receive(starter)?;
                send(starter)
            }
        }
    }
}

use std::fmt::Write as _;

use crate::schedule::{Operation, Rank};
use crate::sharing::SharingError;
use crate::units::Seconds;

/// A rank that cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// The rank.
    pub rank: Rank,
    /// The statement of its schedule, as its cursor counts: of a trace, the action.
    pub statement: u32,
    /// The operation that it waits in.
    pub operation: Operation,
}

/// Why a schedule cannot be simulated to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// Ranks wait for each other, or for a message that nobody sends.
    #[error("deadlock: {}", self.describe(|blocked| format!("operation {}", blocked.statement)))]
    Deadlock(Vec<Blocked>),
    /// A message that nobody receives.
    #[error("rank {from} sends a message to rank {to} that no receive of rank {to} takes")]
    Unreceived {
        /// The sender.
        from: Rank,
        /// The statement of its schedule, as its cursor counts.
        statement: u32,
        /// The receiver.
        to: Rank,
    },
    /// An operation names a rank that does not take part.
    #[error("rank {rank} has to do with rank {peer}, but there are ranks 0 to {last} only")]
    NoSuchRank {
        /// Whose operation it is.
        rank: Rank,
        /// The rank that it names.
        peer: Rank,
        /// The last rank that there is.
        last: usize,
    },
    /// A request is posted twice, or waited for without being posted.
    #[error("rank {rank}, operation {statement}: request {request} {problem}")]
    Request {
        /// Whose request it is.
        rank: Rank,
        /// The statement of its schedule.
        statement: u32,
        /// The request.
        request: u32,
        /// What is wrong.
        problem: &'static str,
    },
    /// Nothing joins two hosts between which a message goes.
    #[error("there is no route from host {from} to host {to}; add one to the platform")]
    NoRoute {
        /// The host of the sender.
        from: String,
        /// The host of the receiver.
        to: String,
    },
    /// The law of the network cannot be evaluated for the messages under way.
    #[error("at {at} of the simulation: {error}")]
    Sharing {
        /// When.
        at: Seconds,
        /// Why.
        error: SharingError,
    },
    /// The ranks do not stand on hosts of the topology.
    #[error("{ranks} ranks need a host each; {placed} are given, of a platform with {hosts} hosts")]
    Hosts {
        /// The ranks of the schedule.
        ranks: usize,
        /// The ranks with a host.
        placed: usize,
        /// The hosts.
        hosts: usize,
    },
}

/// Of more blocked ranks than this, the others are counted.
const SHOWN: usize = 8;

impl SimulationError {
    /// Who waits where, in words; `place` says where an operation stands.
    pub fn describe(&self, place: impl Fn(&Blocked) -> String) -> String {
        let Self::Deadlock(blocked) = self else { return self.to_string() };
        let mut told = String::new();
        for one in blocked.iter().take(SHOWN) {
            let separator = if told.is_empty() { "" } else { "; " };
            let (rank, at) = (one.rank, place(one));
            let _ = write!(told, "{separator}rank {rank} waits at {at} ({})", one.operation);
        }
        if blocked.len() > SHOWN {
            let _ = write!(told, "; and {} more", blocked.len() - SHOWN);
        }
        told
    }
}

use std::fmt;

use crate::schedule::{Operation, Rank, Request};

/// A rank that cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// The rank.
    pub rank: Rank,
    /// Which of its operations it stands at, from 0.
    pub step: usize,
    /// The statement of its schedule, as its cursor counts: of a trace, the action.
    pub statement: u32,
    /// The operation.
    pub operation: Operation,
}

/// Why a schedule cannot run to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// Ranks wait for each other, or for a message that nobody sends.
    #[error("deadlock: {}", list(.0))]
    Deadlock(Vec<Blocked>),
    /// A message that nobody receives.
    #[error("rank {from} sends a message to rank {to} that no receive of rank {to} takes")]
    Unreceived {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// A message and its receive speak of different sizes.
    #[error("rank {from} sends {sent} bytes to rank {to}, which expects {expected}")]
    Size {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
        /// Bytes sent.
        sent: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// An operation names a rank that does not take part.
    #[error("operation {step} of rank {rank} ({operation}) names a rank that does not exist: there are {ranks}")]
    NoSuchRank {
        /// The rank.
        rank: Rank,
        /// Which of its operations, from 0.
        step: usize,
        /// The operation.
        operation: Operation,
        /// How many ranks there are.
        ranks: usize,
    },
    /// A request is waited for that was not posted, or posted twice without a wait between.
    #[error("operation {step} of rank {rank}: request {} {problem}", .request.0)]
    Request {
        /// The rank.
        rank: Rank,
        /// Which of its operations, from 0.
        step: usize,
        /// The request.
        request: Request,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A duration that is negative or not a number.
    #[error("operation {step} of rank {rank}: a duration must be finite and not negative, not {seconds}")]
    Duration {
        /// The rank.
        rank: Rank,
        /// Which of its operations, from 0.
        step: usize,
        /// The duration in seconds.
        seconds: f64,
    },
    /// A schedule and its placement speak of different numbers of ranks, or of processors that the network lacks.
    #[error("the schedule has {ranks} ranks, the placement {placed}, on a network of {processors} processors")]
    Placement {
        /// Ranks of the schedule.
        ranks: usize,
        /// Ranks of the placement.
        placed: usize,
        /// Processors of the network.
        processors: usize,
    },
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} waits at operation {} ({})", self.rank, self.step, self.operation)
    }
}

/// The blocked ranks in words, at most eight of them.
fn list(blocked: &[Blocked]) -> String {
    let mut words: Vec<String> = blocked.iter().take(8).map(ToString::to_string).collect();
    if blocked.len() > 8 {
        words.push(format!("and {} more ranks", blocked.len() - 8));
    }
    words.join("; ")
}

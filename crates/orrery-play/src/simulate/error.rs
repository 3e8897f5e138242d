use orrery_base::units::Seconds;
use orrery_cluster::sharing::SharingError;
use orrery_program::schedule::{Deadlock, Rank};

/// The reason why a schedule cannot be simulated to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// Ranks wait for each other, or for messages that are never sent.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// A message without a receive.
    #[error(
        "rank {from} sends a message to rank {to} that no receive of rank {to} matches; add a \
            receive"
    )]
    Unreceived {
        /// The sender.
        from: Rank,
        /// The statement of the sender's schedule, by its cursor.
        statement: u32,
        /// The receiver.
        to: Rank,
    },
    /// An operation that cannot be executed, such as a wait for a request that is not posted.
    #[error("rank {rank}, operation {statement}: {problem}")]
    Operation {
        /// The rank.
        rank: Rank,
        /// The statement of its schedule.
        statement: u32,
        /// The problem.
        problem: String,
    },
    /// A message whose receive does not accept its size,
    /// [`Tag::accepts`](orrery_program::schedule::Tag::accepts).
    #[error(
        "rank {to} receives {}{expected} bytes here, but rank {from} sends {sent}; correct one of \
            the sizes",
        if sent > expected { "at most " } else { "" }
    )]
    Size {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
        /// The statement of the receiver's schedule, by its cursor.
        statement: u32,
        /// Bytes sent.
        sent: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// More changes of rates than the simulation may have.
    ///
    /// See
    /// [`Simulation::with_max_rate_changes`](crate::simulate::Simulation::with_max_rate_changes).
    #[error(
        "until {at} of the simulation, rates of messages changed {limit} times, which is the budget"
    )]
    RateChanges {
        /// The simulated time.
        at: Seconds,
        /// The budget.
        limit: u64,
    },
    /// The sharing law cannot be evaluated for the messages under way.
    #[error("at {at} of the simulation: {error}")]
    Sharing {
        /// The simulated time.
        at: Seconds,
        /// The error of the law.
        error: SharingError,
    },
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

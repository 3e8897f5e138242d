use orrery_base::units::Seconds;
use orrery_cluster::sharing::SharingError;
use orrery_program::schedule::{Deadlock, Rank, Request, RequestError};

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
    /// An operation names a rank that does not exist.
    #[error("rank {rank} names peer {peer}; valid ranks are 0 to {last}")]
    NoSuchRank {
        /// The rank of the operation.
        rank: Rank,
        /// The rank that the operation names.
        peer: Rank,
        /// The highest valid rank.
        last: usize,
    },
    /// A request is posted twice, or waited for without being posted.
    #[error("rank {rank}, operation {statement}: request {} {problem}", .request.0)]
    Request {
        /// The rank of the request.
        rank: Rank,
        /// The statement of its schedule.
        statement: u32,
        /// The request.
        request: Request,
        /// The reason why the request is invalid.
        problem: RequestError,
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
    /// A duration that is not finite, or that ends after the last time that a number represents.
    #[error(
        "rank {rank}, operation {statement}: a duration of {seconds:?} s ends at no finite time; \
            correct it"
    )]
    Duration {
        /// The rank.
        rank: Rank,
        /// The statement of its schedule.
        statement: u32,
        /// The duration in seconds.
        seconds: f64,
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
    /// There is no route between the hosts of a message.
    #[error("there is no route from host {from} to host {to}; add one to the platform")]
    NoRoute {
        /// The host of the sender.
        from: String,
        /// The host of the receiver.
        to: String,
    },
    /// The sharing law cannot be evaluated for the messages under way.
    #[error("at {at} of the simulation: {error}")]
    Sharing {
        /// The simulated time.
        at: Seconds,
        /// The error of the law.
        error: SharingError,
    },
    /// The number of hosts differs from that of ranks, or a host is not in the topology.
    #[error(
        "{ranks} ranks need a host each; {placed} hosts are given, of a platform with {hosts} hosts"
    )]
    Hosts {
        /// The number of ranks.
        ranks: usize,
        /// The number of hosts given.
        placed: usize,
        /// The number of hosts in the topology.
        hosts: usize,
    },
}

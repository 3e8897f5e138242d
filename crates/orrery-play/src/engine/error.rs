use orrery_program::schedule::{Deadlock, Operation, Rank, Request, RequestError};

/// The reason why a schedule cannot run to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// Ranks wait for each other, or for a message that is never sent.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// A message that is never received.
    #[error(
        "rank {from} sends a message to rank {to} that no receive of rank {to} matches; add a \
            receive"
    )]
    Unreceived {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// The sizes of a message and of its receive differ.
    #[error(
        "rank {from} sends {sent} bytes to rank {to}, which expects {expected}; make the sizes \
            equal"
    )]
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
    #[error("operation {step} of rank {rank} ({operation}) names a rank that does not exist; valid \
        ranks are 0 to {}", .ranks.saturating_sub(1))]
    NoSuchRank {
        /// The rank.
        rank: Rank,
        /// The index of the operation, from 0.
        step: usize,
        /// The operation.
        operation: Operation,
        /// The number of ranks.
        ranks: usize,
    },
    /// A wait for a request that was not posted, or a request that is posted twice without a wait
    /// between.
    #[error("operation {step} of rank {rank}: request {} {problem}", .request.0)]
    Request {
        /// The rank.
        rank: Rank,
        /// The index of the operation, from 0.
        step: usize,
        /// The request.
        request: Request,
        /// The reason why the request is invalid.
        problem: RequestError,
    },
    /// A duration that is negative or not a number, or that ends at no finite time.
    #[error(
        "operation {step} of rank {rank}: a duration must not be negative and must end at a finite \
            time, not {seconds:?} s"
    )]
    Duration {
        /// The rank.
        rank: Rank,
        /// The index of the operation, from 0.
        step: usize,
        /// The duration in seconds.
        seconds: f64,
    },
    /// The numbers of ranks of schedule and placement differ, or the placement names processors
    /// that the network does not have.
    #[error(
        "the schedule has {ranks} ranks, the placement {placed}, the network {processors} \
            processors; place each rank on a processor of the network"
    )]
    Placement {
        /// The number of ranks of the schedule.
        ranks: usize,
        /// The number of ranks of the placement.
        placed: usize,
        /// The number of processors of the network.
        processors: usize,
    },
}

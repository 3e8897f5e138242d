use super::loops::MAX_ACTIONS;

/// The reason why an action cannot be recorded in a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A rank out of range.
    #[error("rank {rank} does not exist; the trace has {ranks} ranks, numbered from 0")]
    Rank {
        /// The rank.
        rank: u32,
        /// The number of ranks.
        ranks: u32,
    },
    /// A communicator with an empty list of ranks, a duplicate or a rank out of range.
    #[error("a communicator must have at least one rank, each of the trace and each once")]
    Members,
    /// The number of a communicator out of range.
    #[error("communicator {communicator} does not exist; the trace has {count}, numbered from 0")]
    Communicator {
        /// The number of the communicator.
        communicator: u32,
        /// The number of communicators.
        count: u32,
    },
    /// A collective operation in a communicator without this rank.
    #[error("rank {rank} is not a member of communicator {communicator}")]
    NotMember {
        /// The rank.
        rank: u32,
        /// The communicator.
        communicator: u32,
    },
    /// A root out of range.
    #[error("the root {root} is not in the communicator, which has {ranks} ranks numbered from 0")]
    Root {
        /// The root.
        root: u32,
        /// The number of ranks of the communicator.
        ranks: usize,
    },
    /// A list of sizes with the wrong length.
    #[error("{kind} has {found} sizes; it needs {needed} in this communicator")]
    Sizes {
        /// The operation.
        kind: &'static str,
        /// The number of sizes that the operation needs.
        needed: usize,
        /// The number of sizes in the list.
        found: usize,
    },
    /// An amount, a size or a tag out of range.
    #[error("{expected} is expected here")]
    Amount {
        /// The expected value.
        expected: &'static str,
    },
    /// A request that is used out of order.
    #[error("request {request} {problem}")]
    Request {
        /// The request.
        request: u32,
        /// The problem.
        problem: &'static str,
    },
    /// A loop that is not well formed.
    #[error("this loop {problem}")]
    Loop {
        /// The problem.
        problem: &'static str,
    },
    /// A rank with too many actions.
    #[error(
        "with repetitions the rank has {actions} actions; at most {MAX_ACTIONS} can be replayed"
    )]
    TooMany {
        /// The number of actions.
        actions: u64,
    },
    /// A trace without ranks.
    #[error("the trace has no ranks; record at least one")]
    Empty,
    /// Too few or too many ranks were recorded.
    #[error("{recorded} of {ranks} ranks are recorded; record all of them")]
    Ranks {
        /// The number of recorded ranks.
        recorded: usize,
        /// The number of ranks of the trace.
        ranks: u32,
    },
}

use super::blocks::MOST_ACTIONS;

/// What cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A rank that does not take part.
    #[error("rank {rank} does not take part: the trace has {ranks} ranks, numbered from 0")]
    Rank {
        /// The rank.
        rank: u32,
        /// How many ranks there are.
        ranks: u32,
    },
    /// A communicator that is nobody's, or names somebody twice or who does not take part.
    #[error("a communicator lists ranks that take part, each once")]
    Members,
    /// A communicator that was not made.
    #[error("there is no communicator {communicator}; there are {count}")]
    Communicator {
        /// Its number.
        communicator: u32,
        /// How many there are.
        count: u32,
    },
    /// A rank calls a collective operation of a communicator that it is not in.
    #[error("rank {rank} is not in communicator {communicator}")]
    NotMember {
        /// The rank.
        rank: u32,
        /// The communicator.
        communicator: u32,
    },
    /// A root beyond the ranks of its communicator.
    #[error("the root {root} is not in the communicator, which has {ranks} ranks numbered from 0")]
    Root {
        /// The root.
        root: u32,
        /// How many ranks there are.
        ranks: usize,
    },
    /// A list of sizes of the wrong length.
    #[error("{kind} lists {needed} sizes here, not {found}")]
    Sizes {
        /// The operation.
        kind: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// An amount, a size or a tag beyond what is allowed.
    #[error("{what} is expected here")]
    Amount {
        /// What is expected.
        what: &'static str,
    },
    /// The number of a request that is not in order.
    #[error("request {request} {problem}")]
    Request {
        /// The request.
        request: u32,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A block that cannot be repeated.
    #[error("this block {problem}")]
    Block {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Repetitions of repetitions without end.
    #[error("with its repetitions that is {actions} actions of one rank; at most {MOST_ACTIONS} can be replayed")]
    TooMany {
        /// How many actions.
        actions: u64,
    },
    /// A trace of nobody.
    #[error("there are no ranks in this trace")]
    Empty,
    /// A call for the wrong rank.
    #[error("{told} of {ranks} ranks are told of")]
    Ranks {
        /// How many are told of.
        told: usize,
        /// How many there should be.
        ranks: u32,
    },
}

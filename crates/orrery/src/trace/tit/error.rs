use crate::trace::actions::Location;

/// The actions of both dialects; upper and lower case are the same.
const ACTIONS: [&str; 31] = [
    "init",
    "finalize",
    "compute",
    "sleep",
    "location",
    "send",
    "isend",
    "recv",
    "irecv",
    "sendRecv",
    "wait",
    "test",
    "waitall",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "gatherv",
    "scatterv",
    "allgatherv",
    "alltoallv",
    "reducescatter",
    "scan",
    "exscan",
    "comm_size",
    "comm_split",
    "comm_dup",
];

/// The reason why a time-independent trace cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {fault}")]
pub struct TraceError {
    /// The location of the fault.
    pub location: Location,
    /// The problem.
    pub fault: Fault,
}

/// A fault of a time-independent trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A text without actions.
    #[error("the trace is empty; a trace has lines such as \"0 compute 1e6\"")]
    Empty,
    /// A binary file.
    #[error("this is not text; name a trace with lines such as \"0 compute 1e6\"")]
    NotText,
    /// An unexpected word.
    #[error("{found} is found here, but {expected} is expected")]
    Expected {
        /// The word in the text.
        found: String,
        /// The expected word.
        expected: &'static str,
    },
    /// The line ends too early.
    #[error("the line ends, but {expected} is expected here")]
    Missing {
        /// The expected word.
        expected: &'static str,
    },
    /// An argument too many.
    #[error("{found} is one argument too many for {action}; remove it")]
    TooMany {
        /// The argument.
        found: String,
        /// The action.
        action: String,
    },
    /// An unknown action.
    #[error("unknown action {action:?}; actions are {actions}", actions = ACTIONS.join(", "))]
    Unknown {
        /// Its name.
        action: String,
    },
    /// A rank out of range.
    #[error("rank {rank} has no actions; the trace has ranks 0 to {last}")]
    NoSuchRank {
        /// The rank.
        rank: u32,
        /// The highest rank of the trace.
        last: usize,
    },
    /// A gap in the numbers of ranks.
    #[error(
        "rank {rank} has actions, but rank {missing} has none; ranks are numbered from 0 without \
            gaps"
    )]
    Gap {
        /// The rank after the gap.
        rank: u32,
        /// The first missing rank.
        missing: u32,
    },
    /// A line of another rank in the file of one rank.
    #[error("this line is of rank {found}, but the file is that of rank {expected}; move the line")]
    OtherRank {
        /// The rank of the line.
        found: u32,
        /// The rank of the file.
        expected: u32,
    },
    /// A wait or a test without a posted transfer.
    #[error(
        "no pending isend or irecv from {from} to {to} with tag {tag} to {action}; post one before"
    )]
    NotPosted {
        /// The action.
        action: &'static str,
        /// The sender, or any.
        from: String,
        /// The receiver.
        to: u32,
        /// The tag.
        tag: u32,
    },
    /// A list with a number for each rank, when the number of ranks is unknown.
    #[error(
        "{action} has a number for each rank, and the number of ranks is unknown; use \
            Reader::of_ranks"
    )]
    UnknownRanks {
        /// The action.
        action: String,
    },
    /// A list for fewer ranks than there are.
    #[error(
        "this line has numbers for {listed} ranks, but the trace has {ranks}; name all files of \
            the trace in an index"
    )]
    Listed {
        /// The number of ranks in the list.
        listed: u32,
        /// The number of ranks of the trace.
        ranks: usize,
    },
    /// A wait or a test of the older dialect without a posted transfer.
    #[error("no pending Isend or Irecv to {action}; post one before")]
    NothingPosted {
        /// The action.
        action: &'static str,
    },
}

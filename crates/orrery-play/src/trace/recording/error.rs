use std::io;
use std::path::PathBuf;

use crate::trace::actions::RecordError;
use crate::trace::binary::BinaryError;
use orrery_base::budget::OverBudget;
use orrery_base::file::advice;

/// The reason why a recorded run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The operating system reports an error.
    #[error("{}: cannot read the recorded run: {reason}{}", path.display(), advice(reason, "read"))]
    System {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A folder without files of ranks.
    #[error("{}: no rank has recorded its calls here", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A damaged file.
    #[error(transparent)]
    Damaged(#[from] BinaryError),
    /// A call that a trace cannot represent.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// Files of different runs.
    #[error(
        "{file}: this is rank {rank} of {ranks}, but the first file is of a run of {expected} ranks; \
            remove the files of other runs"
    )]
    OtherRun {
        /// The file.
        file: String,
        /// Its rank.
        rank: u32,
        /// The number of ranks of its run.
        ranks: u32,
        /// The number of ranks of the first file's run.
        expected: u32,
    },
    /// Ranks without a file, or with two.
    #[error("{}: {problem}", path.display())]
    Ranks {
        /// The folder.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
}

/// The reason why a recorded run cannot be converted to a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank}, call {call}: {problem}")]
pub struct ConversionError {
    /// The rank.
    pub rank: u32,
    /// The number of the call, from 1.
    pub call: u64,
    /// The problem.
    pub problem: ConversionProblem,
}

/// What cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversionProblem {
    /// A function that cannot be replayed.
    #[error(
        "a replay cannot represent {function}; it can represent messages, persistent requests and \
            blocking collective operations"
    )]
    Unsupported {
        /// The name of the function.
        function: String,
    },
    /// A collective operation on an intercommunicator.
    #[error(
        "{function} on an intercommunicator cannot be replayed; use an intracommunicator, as of \
            MPI_Intercomm_merge"
    )]
    JoinsGroups {
        /// The name of the function.
        function: String,
    },
    /// A process outside of the job.
    #[error(
        "{function} names a process that is not a rank of the job; processes that are spawned \
            cannot be replayed"
    )]
    Foreign {
        /// The name of the function.
        function: String,
    },
    /// Threads whose calls overlap.
    #[error(
        "calls of other threads during this one are not recorded ({calls}); record a program in \
            which one thread calls MPI at a time"
    )]
    Overlapping {
        /// The number of calls.
        calls: u64,
    },
    /// A number that no record before defines.
    #[error("communicator {number} is not defined; the file is damaged, record the program again")]
    Communicator {
        /// The number.
        number: u32,
    },
    /// A request that no record before defines.
    #[error("request {number} is not defined; the file is damaged, record the program again")]
    Request {
        /// The number.
        number: u32,
    },
    /// Too many pairs of communicator and tag.
    #[error(
        "the messages have more than 2^31 pairs of communicator and tag; the file is damaged, \
            record the program again"
    )]
    Tags,
    /// More memory than the budget of the files.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// An action that a trace cannot hold.
    #[error(transparent)]
    Record(#[from] RecordError),
}

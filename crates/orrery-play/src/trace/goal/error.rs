use std::io;
use std::path::PathBuf;

use orrery_base::file::advice;

/// The reason why a text in GOAL cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GoalError {
    /// The operating system reports an error.
    #[error("{}: cannot read the trace: {reason}{}", path.display(), advice(reason, "read"))]
    System {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A fault at a known position.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u32,
        /// The number of the byte in the line, from 1.
        column: usize,
        /// The problem.
        fault: Fault,
    },
    /// A fault of the text as a whole: it ends too early or is empty.
    #[error("{}: {reason}", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: &'static str,
    },
}

/// A fault of a line of GOAL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An unexpected word.
    #[error("{found:?} is found here, but {expected} is expected")]
    Expected {
        /// The word in the text.
        found: String,
        /// The expected word, with an example.
        expected: &'static str,
    },
    /// A rank out of range.
    #[error("rank {rank} does not exist: num_ranks is {ranks}, and ranks are numbered from 0")]
    Rank {
        /// The rank.
        rank: u64,
        /// The number of ranks.
        ranks: u32,
    },
    /// A rank with two sections.
    #[error("rank {rank} has two sections; join them")]
    RankTwice {
        /// The rank.
        rank: u32,
    },
    /// A label that is not defined above.
    #[error("label {label:?} is not defined above in this rank; define it before it is required")]
    Label {
        /// The label.
        label: String,
    },
    /// A label that is defined twice.
    #[error("label {label:?} is defined twice in this rank; rename one")]
    LabelTwice {
        /// The label.
        label: String,
    },
    /// An operation that depends on itself.
    #[error("operation {label:?} requires itself; remove the line")]
    Itself {
        /// The label.
        label: String,
    },
    /// A number beyond a limit.
    #[error("more than {max} {item} are not supported; correct the number or split the trace")]
    TooMany {
        /// The counted item.
        item: &'static str,
        /// The limit.
        max: u32,
    },
}

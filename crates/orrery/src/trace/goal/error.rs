use std::io;
use std::path::PathBuf;

/// Why a GOAL text cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GoalError {
    /// The operating system refused something.
    #[error("{}: cannot read the trace: {reason}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// Something in the text.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u32,
        /// The number of the byte in the line, from 1.
        column: usize,
        /// What is wrong.
        fault: Fault,
    },
    /// The text ends too early, or has nothing in it.
    #[error("{}: {reason}", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
}

/// What is wrong with a line of GOAL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Something else should stand here.
    #[error("this is {found:?}, but {expected} should stand here")]
    Expected {
        /// What stands there.
        found: String,
        /// What should stand there, with an example.
        expected: &'static str,
    },
    /// A rank that there is not.
    #[error("there is no rank {rank}: num_ranks says {ranks}, numbered from 0")]
    Rank {
        /// The rank.
        rank: u64,
        /// How many ranks there are.
        ranks: u32,
    },
    /// A rank with two blocks.
    #[error("the operations of rank {rank} were given before; join the two blocks")]
    RankTwice {
        /// The rank.
        rank: u32,
    },
    /// A label that was not defined above.
    #[error("there is no label {label:?} above in this rank; define it before it is required")]
    Label {
        /// The label.
        label: String,
    },
    /// A label that is defined twice.
    #[error("the label {label:?} is defined twice in this rank; rename one")]
    LabelTwice {
        /// The label.
        label: String,
    },
    /// An operation that waits for itself.
    #[error("{label:?} waits for itself; remove the line")]
    Itself {
        /// The label.
        label: String,
    },
    /// More ranks or operations than can be numbered.
    #[error("that is more than {most} {what}; split the trace")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        most: u32,
    },
}

use crate::trace::actions::Location;

/// Why a trace cannot be read: what is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct TraceError {
    /// Where it stands.
    pub place: Location,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no line.
    #[error("the trace is empty; a trace has lines such as \"0 compute 1e6\"")]
    Empty,
    /// It is no text.
    #[error("this is not text; was the right file named?")]
    NotText,
    /// Something else is expected.
    #[error("this is {found}, but {expected} should stand here")]
    Expected {
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// The line ends too early.
    #[error("the line ends where {expected} should stand")]
    Missing {
        /// What should stand there.
        expected: &'static str,
    },
    /// There is more on the line than the action takes.
    #[error("{found} is more than {action} takes; remove it")]
    TooMany {
        /// The first word too many.
        found: String,
        /// The action.
        action: String,
    },
    /// An action that is not known.
    #[error("the action {action:?} is not known; known are {known}", known = super::rank::KNOWN.join(", "))]
    Unknown {
        /// Its name.
        action: String,
    },
    /// A rank that does not take part.
    #[error("rank {rank} does not take part: the trace has ranks 0 to {last}")]
    NoSuchRank {
        /// The rank.
        rank: u32,
        /// The last rank that does.
        last: usize,
    },
    /// A rank of which nothing is told.
    #[error("this is rank {rank}, but nothing is told of rank {lacking}; ranks are numbered from 0 without gaps")]
    Gap {
        /// The highest rank.
        rank: u32,
        /// The first rank that lacks.
        lacking: u32,
    },
    /// A line of another rank in the file of one rank.
    #[error("this is a line of rank {found} in the file of rank {expected}")]
    OtherRank {
        /// Whose line it is.
        found: u32,
        /// Whose file it is.
        expected: u32,
    },
    /// A wait or a test without a posted transfer.
    #[error("there is no isend or irecv from {from} to {to} with tag {tag} left to {action}")]
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
    /// A list with a number for each rank, where it is not known how many ranks there are.
    #[error("{action} lists a number for each rank; tell the reader how many ranks there are")]
    Unknowable {
        /// The action.
        action: String,
    },
    /// A list for fewer ranks than there are.
    #[error("this lists numbers for {listed} ranks, but the trace has {ranks}; ranks may stand in other files")]
    Listed {
        /// For how many ranks there are numbers.
        listed: u32,
        /// How many ranks take part.
        ranks: usize,
    },
    /// A wait or a test of the older dialect without any posted transfer.
    #[error("there is no Isend or Irecv left to {action}")]
    NothingPosted {
        /// The action.
        action: &'static str,
    },
}

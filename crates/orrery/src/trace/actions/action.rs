use crate::schedule::{Rank, Request, Tag};
use crate::units::Bytes;

/// Something that a rank does; 24 bytes. What belongs to an action and varies in length stands in lists of its rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Computes.
    Compute {
        /// So many floating-point operations.
        flops: f64,
    },
    /// Waits by the clock.
    Sleep {
        /// For so long.
        seconds: f64,
    },
    /// Sends a message and waits until it may go on.
    Send {
        /// The receiver.
        to: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// Its size.
        size: Bytes,
    },
    /// Receives a message.
    Receive {
        /// The sender; [`Action::ANY_SOURCE`] for any.
        from: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The size that is expected.
        size: Bytes,
    },
    /// Begins to send a message.
    PostSend {
        /// The receiver.
        to: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The number by which it is waited for.
        request: Request,
        /// Its size.
        size: Bytes,
    },
    /// Begins to receive a message.
    PostReceive {
        /// The sender; [`Action::ANY_SOURCE`] for any.
        from: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The number by which it is waited for.
        request: Request,
        /// The size that is expected.
        size: Bytes,
    },
    /// Asks whether a message is there that the next receive would take.
    Probe,
    /// Waits for a transfer that was begun.
    Wait {
        /// Its number.
        request: Request,
    },
    /// Asks whether a transfer is complete.
    Test {
        /// Its number.
        request: Request,
    },
    /// Waits for several transfers.
    WaitAll {
        /// Where the first stands in the rank's list of awaited requests.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Takes part in a collective operation.
    Collective {
        /// Which.
        kind: CollectiveKind,
        /// The communicator, by number.
        communicator: u32,
        /// The root by its number in the communicator, where there is one.
        root: u32,
        /// Where its sizes begin in the rank's list of sizes, where it has several.
        sizes: u32,
        /// The block that this rank sends to another or expects; of [`CollectiveKind::ReduceScatter`] the size of an element.
        size: Bytes,
    },
}

impl Action {
    /// Stands for any sender.
    pub const ANY_SOURCE: Rank = Rank(u32::MAX);
}

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectiveKind {
    /// Nobody goes on before all are there.
    Barrier,
    /// The root's block to all.
    Broadcast,
    /// One block from all, combined at the root.
    Reduce,
    /// The same, with the result at all.
    Allreduce,
    /// A block from each to the root.
    Gather,
    /// A block from the root to each.
    Scatter,
    /// A block from each to all.
    Allgather,
    /// A block from each to each.
    Alltoall,
    /// To each what those up to it gave, combined.
    Scan,
    /// To each what those before it gave, combined.
    ExclusiveScan,
    /// A gather; the root expects blocks of these sizes.
    GatherV,
    /// A scatter of blocks of these sizes.
    ScatterV,
    /// An all-gather; blocks of these sizes are expected.
    AllgatherV,
    /// An all-to-all: sizes of the blocks to each, and of those from each.
    AlltoallV,
    /// A reduction whose result is scattered in blocks of these sizes.
    ReduceScatter,
}

impl CollectiveKind {
    /// All of them, in the order of their numbers in files.
    pub const ALL: [Self; 15] = [
        Self::Barrier,
        Self::Broadcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Gather,
        Self::Scatter,
        Self::Allgather,
        Self::Alltoall,
        Self::Scan,
        Self::ExclusiveScan,
        Self::GatherV,
        Self::ScatterV,
        Self::AllgatherV,
        Self::AlltoallV,
        Self::ReduceScatter,
    ];

    /// Its name in traces of SimGrid.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast => "bcast",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::Allgather => "allgather",
            Self::Alltoall => "alltoall",
            Self::Scan => "scan",
            Self::ExclusiveScan => "exscan",
            Self::GatherV => "gatherv",
            Self::ScatterV => "scatterv",
            Self::AllgatherV => "allgatherv",
            Self::AlltoallV => "alltoallv",
            Self::ReduceScatter => "reducescatter",
        }
    }

    /// Whether it has a root.
    pub const fn is_rooted(self) -> bool {
        use CollectiveKind::{Broadcast, Gather, GatherV, Reduce, Scatter, ScatterV};
        matches!(self, Broadcast | Reduce | Gather | Scatter | GatherV | ScatterV)
    }

    /// How many sizes it lists in a communicator of so many ranks.
    pub const fn sizes(self, ranks: usize) -> usize {
        match self {
            Self::GatherV | Self::ScatterV | Self::AllgatherV | Self::ReduceScatter => ranks,
            Self::AlltoallV => 2 * ranks,
            _ => 0,
        }
    }
}

use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Request, Tag};

/// An action of a rank; 24 bytes. Lists of requests and of sizes are stored in tables of the rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Computation.
    Compute {
        /// The number of floating-point operations.
        flops: f64,
    },
    /// A pause of a fixed time.
    Sleep {
        /// The time in seconds.
        seconds: f64,
    },
    /// A blocking send (`MPI_Send`).
    Send {
        /// The receiver.
        to: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The size of the message.
        size: Bytes,
    },
    /// A blocking receive (`MPI_Recv`).
    Receive {
        /// The sender; [`Action::ANY_SOURCE`] for any.
        from: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The size of the receive buffer.
        size: Bytes,
    },
    /// A nonblocking send (`MPI_Isend`).
    PostSend {
        /// The receiver.
        to: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The request that completes when the message is sent.
        request: Request,
        /// The size of the message.
        size: Bytes,
    },
    /// A nonblocking receive (`MPI_Irecv`).
    PostReceive {
        /// The sender; [`Action::ANY_SOURCE`] for any.
        from: Rank,
        /// The tag of the message, below 2³¹.
        tag: Tag,
        /// The request that completes when the message is received.
        request: Request,
        /// The size of the receive buffer.
        size: Bytes,
    },
    /// A test for a message that the next receive would match (`MPI_Iprobe`).
    Probe,
    /// A wait for one request (`MPI_Wait`).
    Wait {
        /// The request.
        request: Request,
    },
    /// A test whether a request is complete (`MPI_Test`).
    Test {
        /// The request.
        request: Request,
    },
    /// A wait for several requests (`MPI_Waitall`).
    WaitAll {
        /// The index of the first request in the rank's table of awaited requests.
        first: u32,
        /// The number of requests.
        count: u32,
    },
    /// A collective operation.
    Collective {
        /// The operation.
        kind: CollectiveKind,
        /// The number of the communicator.
        communicator: u32,
        /// The number of the root in the communicator; 0 for operations without a root.
        root: u32,
        /// The index of the first size in the rank's table of sizes, for operations with a list of
        /// sizes.
        sizes: u32,
        /// The size of the block that this rank sends to another or receives; of
        /// [`CollectiveKind::ReduceScatter`] the size of an element.
        size: Bytes,
    },
}

impl Action {
    /// The source of a receive that matches any sender (`MPI_ANY_SOURCE`).
    pub const ANY_SOURCE: Rank = Rank(u32::MAX);

    /// The name of the action in time-independent traces; `probe` is not part of that format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute { .. } => "compute",
            Self::Sleep { .. } => "sleep",
            Self::Send { .. } => "send",
            Self::Receive { .. } => "recv",
            Self::PostSend { .. } => "isend",
            Self::PostReceive { .. } => "irecv",
            Self::Probe => "probe",
            Self::Wait { .. } => "wait",
            Self::Test { .. } => "test",
            Self::WaitAll { .. } => "waitall",
            Self::Collective { kind, .. } => kind.name(),
        }
    }
}

/// A collective operation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectiveKind {
    /// A synchronization of all ranks (`MPI_Barrier`).
    Barrier,
    /// The root's block to all (`MPI_Bcast`).
    Broadcast,
    /// One block from each, combined at the root (`MPI_Reduce`).
    Reduce,
    /// One block from each, combined at all (`MPI_Allreduce`).
    Allreduce,
    /// A block from each to the root (`MPI_Gather`).
    Gather,
    /// A block from the root to each (`MPI_Scatter`).
    Scatter,
    /// A block from each to all (`MPI_Allgather`).
    Allgather,
    /// A block from each to each (`MPI_Alltoall`).
    Alltoall,
    /// The combined blocks of the ranks up to this one (`MPI_Scan`).
    Scan,
    /// The combined blocks of the ranks below this one (`MPI_Exscan`).
    ExclusiveScan,
    /// A gather with a size for each rank (`MPI_Gatherv`).
    GatherV,
    /// A scatter with a size for each rank (`MPI_Scatterv`).
    ScatterV,
    /// An all-gather with a size for each rank (`MPI_Allgatherv`).
    AllgatherV,
    /// An all-to-all with the sizes of the blocks to each and from each rank (`MPI_Alltoallv`).
    AlltoallV,
    /// A reduction whose result is scattered, with a size for each rank (`MPI_Reduce_scatter`).
    ReduceScatter,
}

impl CollectiveKind {
    /// All operations, in the order of their codes in binary traces.
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

    /// The name of the operation in time-independent traces.
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

    /// Returns true if the operation has a root.
    pub const fn is_rooted(self) -> bool {
        use CollectiveKind::{Broadcast, Gather, GatherV, Reduce, Scatter, ScatterV};
        matches!(self, Broadcast | Reduce | Gather | Scatter | GatherV | ScatterV)
    }

    /// The number of sizes in the list of the operation, in a communicator with this number of
    /// ranks.
    pub const fn size_count(self, ranks: usize) -> usize {
        match self {
            Self::GatherV | Self::ScatterV | Self::AllgatherV | Self::ReduceScatter => ranks,
            Self::AlltoallV => 2 * ranks,
            _ => 0,
        }
    }
}

use orrery_base::units::Bytes;
use orrery_program::schedule::{Request, Transfer};

/// An action of a rank; 32 bytes. Lists of requests and of sizes are stored in tables of the rank.
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
    /// A blocking send or receive (`MPI_Send`, `MPI_Recv`). Tags are below 2³¹; the size of a
    /// receive is that of its buffer.
    Do(Transfer),
    /// A nonblocking send or receive (`MPI_Isend`, `MPI_Irecv`), and the request that completes with
    /// it.
    Post(Transfer, Request),
    /// A test for a message that the next receive would match (`MPI_Iprobe`).
    Probe,
    /// A wait for one request (`MPI_Wait`).
    Wait(Request),
    /// A test whether a request is complete (`MPI_Test`).
    Test(Request),
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
    /// The name of the action in time-independent traces; `probe` is not part of that format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute { .. } => "compute",
            Self::Sleep { .. } => "sleep",
            Self::Do(Transfer::Send { .. }) => "send",
            Self::Do(_) => "recv",
            Self::Post(Transfer::Send { .. }, _) => "isend",
            Self::Post(..) => "irecv",
            Self::Probe => "probe",
            Self::Wait(_) => "wait",
            Self::Test(_) => "test",
            Self::WaitAll { .. } => "waitall",
            Self::Collective { kind, .. } => kind.name(),
        }
    }
}

orrery_base::named_enum! {
    /// A collective operation of MPI, in the order of the codes in binary traces, with the names of
    /// time-independent traces.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum CollectiveKind {
        /// A synchronization of all ranks (`MPI_Barrier`).
        Barrier => "barrier",
        /// The root's block to all (`MPI_Bcast`).
        Broadcast => "bcast",
        /// One block from each, combined at the root (`MPI_Reduce`).
        Reduce => "reduce",
        /// One block from each, combined at all (`MPI_Allreduce`).
        Allreduce => "allreduce",
        /// A block from each to the root (`MPI_Gather`).
        Gather => "gather",
        /// A block from the root to each (`MPI_Scatter`).
        Scatter => "scatter",
        /// A block from each to all (`MPI_Allgather`).
        Allgather => "allgather",
        /// A block from each to each (`MPI_Alltoall`).
        Alltoall => "alltoall",
        /// The combined blocks of the ranks up to this one (`MPI_Scan`).
        Scan => "scan",
        /// The combined blocks of the ranks below this one (`MPI_Exscan`).
        ExclusiveScan => "exscan",
        /// A gather with a size for each rank (`MPI_Gatherv`).
        GatherV => "gatherv",
        /// A scatter with a size for each rank (`MPI_Scatterv`).
        ScatterV => "scatterv",
        /// An all-gather with a size for each rank (`MPI_Allgatherv`).
        AllgatherV => "allgatherv",
        /// An all-to-all with the sizes of the blocks to each and from each rank (`MPI_Alltoallv`).
        AlltoallV => "alltoallv",
        /// A reduction whose result is scattered, with a size for each rank (`MPI_Reduce_scatter`).
        ReduceScatter => "reducescatter",
    }
}

impl CollectiveKind {
    /// Returns true if the operation has a root.
    pub fn is_rooted(self) -> bool {
        self.operation().has_root()
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

use crate::schedule::{Rank, Request, Tag};
use crate::units::Bytes;

/// Something that a rank does; 24 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Action {
    Compute {
        flops: f64,
    },
    Sleep {
        seconds: f64,
    },
    Send {
        to: Rank,
        tag: Tag,
        size: Bytes,
    },
    Receive {
        from: Rank,
        tag: Tag,
        size: Bytes,
    },
    PostSend {
        to: Rank,
        tag: Tag,
        request: Request,
        size: Bytes,
    },
    PostReceive {
        from: Rank,
        tag: Tag,
        request: Request,
        size: Bytes,
    },
    Wait {
        request: Request,
    },
    Test {
        request: Request,
    },
    /// Waits for `count` requests from this place of the rank's list on.
    WaitAll {
        first: u32,
        count: u32,
    },
    Collective {
        kind: Kind,
        root: Rank,
        size: Bytes,
    },
}

/// A collective operation; the size is that of the block that a rank sends to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Barrier,
    Broadcast,
    Reduce,
    Allreduce,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
}

/// The names of actions in both dialects, upper and lower case alike.
pub(super) const KNOWN: [&str; 24] = [
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
    "comm_size",
    "comm_split",
    "comm_dup",
];

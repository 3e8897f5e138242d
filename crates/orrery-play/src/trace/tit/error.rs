use orrery_base::file::Fault;

/// The actions of both dialects; upper and lower case are the same.
pub(super) const ACTIONS: [&str; 31] = [
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

/// An unexpected word.
pub(super) fn expected(found: &str, expected: &str) -> Fault {
    Fault::new(format!("{found} is found here, but {expected} is expected"))
}

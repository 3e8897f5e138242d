//! The messages of single broadcasts, from the sources of the libraries: coll_base_topo.c of Open
//! MPI 4.1, src/mpi/coll/bcast of MPICH 4.0.

use super::counter::Messages;

/// Broadcasts of 1 KiB from rank 0 on four ranks: the name of the algorithm, and the messages that
/// each rank sends.
pub const BROADCASTS: &[(&str, Messages)] = &[
    ("ompi/linear", [3, 0, 0, 0]),
    // Two chains: 1 and 2, 3.
    ("ompi/chain-2", [2, 1, 0, 0]),
    ("ompi/chain-2:256", [8, 4, 0, 0]),
    ("ompi/pipeline", [1, 1, 1, 0]),
    ("ompi/pipeline:256", [4, 4, 4, 0]),
    ("ompi/binary", [2, 1, 0, 0]),
    ("ompi/binary:128", [16, 8, 0, 0]),
    // Rank 3 is a child of rank 1, which it is without its highest bit; in the k-nomial tree of
    // rank 2.
    ("ompi/binomial", [2, 1, 0, 0]),
    ("ompi/knomial-2", [2, 0, 1, 0]),
    ("ompi/knomial-2:512", [4, 0, 2, 0]),
    ("ompi/knomial-4", [3, 0, 0, 0]),
    // The parts of the scatter along a binomial tree, then two exchanges or three rounds along a
    // ring.
    ("ompi/scatter-allgather", [4, 2, 3, 2]),
    ("ompi/scatter-allgather-ring", [5, 3, 4, 3]),
    ("mpich/binomial", [2, 0, 1, 0]),
    ("mpich/scatter-allgather", [4, 2, 3, 2]),
    ("mpich/scatter-allgather-ring", [5, 3, 4, 3]),
];

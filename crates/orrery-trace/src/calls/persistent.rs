//! Persistent collective operations: a replay cannot represent them, so their times are recorded
//! only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Barrier_init: MPI_Barrier_init PMPI_Barrier_init mpi_barrier_init_ ompi_barrier_init_f
        (comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Bcast_init: MPI_Bcast_init PMPI_Bcast_init [MPI_Bcast_init_c PMPI_Bcast_init_c] mpi_bcast_init_ ompi_bcast_init_f
        (buffer: Address, count: Count, datatype: Datatype, root: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Reduce_init: MPI_Reduce_init PMPI_Reduce_init [MPI_Reduce_init_c PMPI_Reduce_init_c] mpi_reduce_init_ ompi_reduce_init_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, root: Int, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Allreduce_init: MPI_Allreduce_init PMPI_Allreduce_init [MPI_Allreduce_init_c PMPI_Allreduce_init_c]
        mpi_allreduce_init_ ompi_allreduce_init_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Scan_init: MPI_Scan_init PMPI_Scan_init [MPI_Scan_init_c PMPI_Scan_init_c] mpi_scan_init_ ompi_scan_init_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Exscan_init: MPI_Exscan_init PMPI_Exscan_init [MPI_Exscan_init_c PMPI_Exscan_init_c] mpi_exscan_init_ ompi_exscan_init_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Reduce_scatter_block_init: MPI_Reduce_scatter_block_init PMPI_Reduce_scatter_block_init [MPI_Reduce_scatter_block_init_c PMPI_Reduce_scatter_block_init_c]
        mpi_reduce_scatter_block_init_ ompi_reduce_scatter_block_init_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Reduce_scatter_init: MPI_Reduce_scatter_init PMPI_Reduce_scatter_init [MPI_Reduce_scatter_init_c PMPI_Reduce_scatter_init_c]
        mpi_reduce_scatter_init_ ompi_reduce_scatter_init_f
        (sent: Address, received: Address, counts: Counts, datatype: Datatype, operation: Op, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Gather_init: MPI_Gather_init PMPI_Gather_init [MPI_Gather_init_c PMPI_Gather_init_c] mpi_gather_init_ ompi_gather_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         root: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Scatter_init: MPI_Scatter_init PMPI_Scatter_init [MPI_Scatter_init_c PMPI_Scatter_init_c]
        mpi_scatter_init_ ompi_scatter_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         root: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Allgather_init: MPI_Allgather_init PMPI_Allgather_init [MPI_Allgather_init_c PMPI_Allgather_init_c]
        mpi_allgather_init_ ompi_allgather_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Alltoall_init: MPI_Alltoall_init PMPI_Alltoall_init [MPI_Alltoall_init_c PMPI_Alltoall_init_c]
        mpi_alltoall_init_ ompi_alltoall_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Gatherv_init: MPI_Gatherv_init PMPI_Gatherv_init [MPI_Gatherv_init_c PMPI_Gatherv_init_c]
        mpi_gatherv_init_ ompi_gatherv_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, root: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Scatterv_init: MPI_Scatterv_init PMPI_Scatterv_init [MPI_Scatterv_init_c PMPI_Scatterv_init_c]
        mpi_scatterv_init_ ompi_scatterv_init_f
        (sent: Address, counts: Counts, offsets: Displacements, send_type: Datatype, received: Address, receive_count: Count,
         receive_type: Datatype, root: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Allgatherv_init: MPI_Allgatherv_init PMPI_Allgatherv_init [MPI_Allgatherv_init_c PMPI_Allgatherv_init_c]
        mpi_allgatherv_init_ ompi_allgatherv_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Alltoallv_init: MPI_Alltoallv_init PMPI_Alltoallv_init [MPI_Alltoallv_init_c PMPI_Alltoallv_init_c]
        mpi_alltoallv_init_ ompi_alltoallv_init_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_type: Datatype, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Alltoallw_init: MPI_Alltoallw_init PMPI_Alltoallw_init [MPI_Alltoallw_init_c PMPI_Alltoallw_init_c]
        mpi_alltoallw_init_ ompi_alltoallw_init_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_types: Datatypes, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_types: Datatypes, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Neighbor_allgather_init: MPI_Neighbor_allgather_init PMPI_Neighbor_allgather_init [MPI_Neighbor_allgather_init_c PMPI_Neighbor_allgather_init_c]
        mpi_neighbor_allgather_init_ ompi_neighbor_allgather_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Neighbor_alltoall_init: MPI_Neighbor_alltoall_init PMPI_Neighbor_alltoall_init [MPI_Neighbor_alltoall_init_c PMPI_Neighbor_alltoall_init_c]
        mpi_neighbor_alltoall_init_ ompi_neighbor_alltoall_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Neighbor_allgatherv_init: MPI_Neighbor_allgatherv_init PMPI_Neighbor_allgatherv_init [MPI_Neighbor_allgatherv_init_c PMPI_Neighbor_allgatherv_init_c]
        mpi_neighbor_allgatherv_init_ ompi_neighbor_allgatherv_init_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Neighbor_alltoallv_init: MPI_Neighbor_alltoallv_init PMPI_Neighbor_alltoallv_init [MPI_Neighbor_alltoallv_init_c PMPI_Neighbor_alltoallv_init_c]
        mpi_neighbor_alltoallv_init_ ompi_neighbor_alltoallv_init_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_type: Datatype, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Neighbor_alltoallw_init: MPI_Neighbor_alltoallw_init PMPI_Neighbor_alltoallw_init [MPI_Neighbor_alltoallw_init_c PMPI_Neighbor_alltoallw_init_c]
        mpi_neighbor_alltoallw_init_ ompi_neighbor_alltoallw_init_f
        (sent: Address, send_counts: Counts, send_offsets: Aints, send_types: Datatypes, received: Address, receive_counts: Counts,
         receive_offsets: Aints, receive_types: Datatypes, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
}

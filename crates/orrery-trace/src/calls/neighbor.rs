//! Collective operations between neighbours: a replay cannot represent them, so their times are
//! recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Neighbor_allgather: MPI_Neighbor_allgather PMPI_Neighbor_allgather [MPI_Neighbor_allgather_c PMPI_Neighbor_allgather_c]
        mpi_neighbor_allgather_ ompi_neighbor_allgather_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm)
        |tracer| tracer.plain();
    Neighbor_alltoall: MPI_Neighbor_alltoall PMPI_Neighbor_alltoall [MPI_Neighbor_alltoall_c PMPI_Neighbor_alltoall_c]
        mpi_neighbor_alltoall_ ompi_neighbor_alltoall_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm)
        |tracer| tracer.plain();
    Neighbor_allgatherv: MPI_Neighbor_allgatherv PMPI_Neighbor_allgatherv [MPI_Neighbor_allgatherv_c PMPI_Neighbor_allgatherv_c]
        mpi_neighbor_allgatherv_ ompi_neighbor_allgatherv_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, comm: Comm)
        |tracer| tracer.plain();
    Neighbor_alltoallv: MPI_Neighbor_alltoallv PMPI_Neighbor_alltoallv [MPI_Neighbor_alltoallv_c PMPI_Neighbor_alltoallv_c]
        mpi_neighbor_alltoallv_ ompi_neighbor_alltoallv_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_type: Datatype, comm: Comm)
        |tracer| tracer.plain();
    Neighbor_alltoallw: MPI_Neighbor_alltoallw PMPI_Neighbor_alltoallw [MPI_Neighbor_alltoallw_c PMPI_Neighbor_alltoallw_c]
        mpi_neighbor_alltoallw_ ompi_neighbor_alltoallw_f
        (sent: Address, send_counts: Counts, send_offsets: Aints, send_types: Datatypes, received: Address, receive_counts: Counts,
         receive_offsets: Aints, receive_types: Datatypes, comm: Comm)
        |tracer| tracer.plain();
    Ineighbor_allgather: MPI_Ineighbor_allgather PMPI_Ineighbor_allgather [MPI_Ineighbor_allgather_c PMPI_Ineighbor_allgather_c]
        mpi_ineighbor_allgather_ ompi_ineighbor_allgather_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_alltoall: MPI_Ineighbor_alltoall PMPI_Ineighbor_alltoall [MPI_Ineighbor_alltoall_c PMPI_Ineighbor_alltoall_c]
        mpi_ineighbor_alltoall_ ompi_ineighbor_alltoall_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_allgatherv: MPI_Ineighbor_allgatherv PMPI_Ineighbor_allgatherv [MPI_Ineighbor_allgatherv_c PMPI_Ineighbor_allgatherv_c]
        mpi_ineighbor_allgatherv_ ompi_ineighbor_allgatherv_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_alltoallv: MPI_Ineighbor_alltoallv PMPI_Ineighbor_alltoallv [MPI_Ineighbor_alltoallv_c PMPI_Ineighbor_alltoallv_c]
        mpi_ineighbor_alltoallv_ ompi_ineighbor_alltoallv_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_alltoallw: MPI_Ineighbor_alltoallw PMPI_Ineighbor_alltoallw [MPI_Ineighbor_alltoallw_c PMPI_Ineighbor_alltoallw_c]
        mpi_ineighbor_alltoallw_ ompi_ineighbor_alltoallw_f
        (sent: Address, send_counts: Counts, send_offsets: Aints, send_types: Datatypes, received: Address, receive_counts: Counts,
         receive_offsets: Aints, receive_types: Datatypes, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
}

//! Nonblocking collective operations: a replay cannot represent them, so their times are recorded
//! only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Ibarrier: MPI_Ibarrier PMPI_Ibarrier mpi_ibarrier_ ompi_ibarrier_f
        (comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ibcast: MPI_Ibcast PMPI_Ibcast [MPI_Ibcast_c PMPI_Ibcast_c] mpi_ibcast_ ompi_ibcast_f
        (buffer: Address, count: Count, datatype: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce: MPI_Ireduce PMPI_Ireduce [MPI_Ireduce_c PMPI_Ireduce_c] mpi_ireduce_ ompi_ireduce_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, root: Int, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
    Iallreduce: MPI_Iallreduce PMPI_Iallreduce [MPI_Iallreduce_c PMPI_Iallreduce_c] mpi_iallreduce_ ompi_iallreduce_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscan: MPI_Iscan PMPI_Iscan [MPI_Iscan_c PMPI_Iscan_c] mpi_iscan_ ompi_iscan_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iexscan: MPI_Iexscan PMPI_Iexscan [MPI_Iexscan_c PMPI_Iexscan_c] mpi_iexscan_ ompi_iexscan_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce_scatter_block: MPI_Ireduce_scatter_block PMPI_Ireduce_scatter_block [MPI_Ireduce_scatter_block_c PMPI_Ireduce_scatter_block_c]
        mpi_ireduce_scatter_block_ ompi_ireduce_scatter_block_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce_scatter: MPI_Ireduce_scatter PMPI_Ireduce_scatter [MPI_Ireduce_scatter_c PMPI_Ireduce_scatter_c]
        mpi_ireduce_scatter_ ompi_ireduce_scatter_f
        (sent: Address, received: Address, counts: Counts, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Igather: MPI_Igather PMPI_Igather [MPI_Igather_c PMPI_Igather_c] mpi_igather_ ompi_igather_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscatter: MPI_Iscatter PMPI_Iscatter [MPI_Iscatter_c PMPI_Iscatter_c] mpi_iscatter_ ompi_iscatter_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iallgather: MPI_Iallgather PMPI_Iallgather [MPI_Iallgather_c PMPI_Iallgather_c] mpi_iallgather_ ompi_iallgather_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoall: MPI_Ialltoall PMPI_Ialltoall [MPI_Ialltoall_c PMPI_Ialltoall_c] mpi_ialltoall_ ompi_ialltoall_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Igatherv: MPI_Igatherv PMPI_Igatherv [MPI_Igatherv_c PMPI_Igatherv_c] mpi_igatherv_ ompi_igatherv_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscatterv: MPI_Iscatterv PMPI_Iscatterv [MPI_Iscatterv_c PMPI_Iscatterv_c] mpi_iscatterv_ ompi_iscatterv_f
        (sent: Address, counts: Counts, offsets: Displacements, send_type: Datatype, received: Address, receive_count: Count,
         receive_type: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iallgatherv: MPI_Iallgatherv PMPI_Iallgatherv [MPI_Iallgatherv_c PMPI_Iallgatherv_c] mpi_iallgatherv_ ompi_iallgatherv_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts, offsets: Displacements,
         receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoallv: MPI_Ialltoallv PMPI_Ialltoallv [MPI_Ialltoallv_c PMPI_Ialltoallv_c] mpi_ialltoallv_ ompi_ialltoallv_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoallw: MPI_Ialltoallw PMPI_Ialltoallw [MPI_Ialltoallw_c PMPI_Ialltoallw_c] mpi_ialltoallw_ ompi_ialltoallw_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_types: Datatypes, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_types: Datatypes, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Comm_idup: MPI_Comm_idup PMPI_Comm_idup mpi_comm_idup_ ompi_comm_idup_f
        (comm: Comm, created: NewComm, request: NewRequest)
        |tracer| tracer.plain();
    Comm_idup_with_info: MPI_Comm_idup_with_info PMPI_Comm_idup_with_info mpi_comm_idup_with_info_ ompi_comm_idup_with_info_f
        (comm: Comm, info: Info, created: NewComm, request: NewRequest)
        |tracer| tracer.plain();
    Isendrecv: MPI_Isendrecv PMPI_Isendrecv [MPI_Isendrecv_c PMPI_Isendrecv_c] mpi_isendrecv_ ompi_isendrecv_f
        (sent: Address, send_count: Count, send_type: Datatype, dest: Int, tag: Int, received: Address, receive_count: Count,
         receive_type: Datatype, source: Int, tag_of: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Isendrecv_replace: MPI_Isendrecv_replace PMPI_Isendrecv_replace [MPI_Isendrecv_replace_c PMPI_Isendrecv_replace_c]
        mpi_isendrecv_replace_ ompi_isendrecv_replace_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, source: Int, tag_of: Int, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
}

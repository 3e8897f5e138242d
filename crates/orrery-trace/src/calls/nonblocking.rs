//! Nonblocking collective operations: a replay cannot represent them, so their times are recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Ibarrier: MPI_Ibarrier PMPI_Ibarrier mpi_ibarrier_ ompi_ibarrier_f
        (comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ibcast: MPI_Ibcast PMPI_Ibcast mpi_ibcast_ ompi_ibcast_f
        (buffer: Address, count: Int, datatype: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce: MPI_Ireduce PMPI_Ireduce mpi_ireduce_ ompi_ireduce_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, root: Int, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
    Iallreduce: MPI_Iallreduce PMPI_Iallreduce mpi_iallreduce_ ompi_iallreduce_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscan: MPI_Iscan PMPI_Iscan mpi_iscan_ ompi_iscan_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iexscan: MPI_Iexscan PMPI_Iexscan mpi_iexscan_ ompi_iexscan_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce_scatter_block: MPI_Ireduce_scatter_block PMPI_Ireduce_scatter_block mpi_ireduce_scatter_block_ ompi_ireduce_scatter_block_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce_scatter: MPI_Ireduce_scatter PMPI_Ireduce_scatter mpi_ireduce_scatter_ ompi_ireduce_scatter_f
        (sent: Address, received: Address, counts: Ints, datatype: Datatype, operation: Op, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Igather: MPI_Igather PMPI_Igather mpi_igather_ ompi_igather_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, root: Int,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscatter: MPI_Iscatter PMPI_Iscatter mpi_iscatter_ ompi_iscatter_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, root: Int,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iallgather: MPI_Iallgather PMPI_Iallgather mpi_iallgather_ ompi_iallgather_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
    Ialltoall: MPI_Ialltoall PMPI_Ialltoall mpi_ialltoall_ ompi_ialltoall_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
    Igatherv: MPI_Igatherv PMPI_Igatherv mpi_igatherv_ ompi_igatherv_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, counts: Ints, offsets: Ints,
         receive_type: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscatterv: MPI_Iscatterv PMPI_Iscatterv mpi_iscatterv_ ompi_iscatterv_f
        (sent: Address, counts: Ints, offsets: Ints, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype,
         root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iallgatherv: MPI_Iallgatherv PMPI_Iallgatherv mpi_iallgatherv_ ompi_iallgatherv_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, counts: Ints, offsets: Ints,
         receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoallv: MPI_Ialltoallv PMPI_Ialltoallv mpi_ialltoallv_ ompi_ialltoallv_f
        (sent: Address, send_counts: Ints, send_offsets: Ints, send_type: Datatype, received: Address, receive_counts: Ints,
         receive_offsets: Ints, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoallw: MPI_Ialltoallw PMPI_Ialltoallw mpi_ialltoallw_ ompi_ialltoallw_f
        (sent: Address, send_counts: Ints, send_offsets: Ints, send_types: Datatypes, received: Address, receive_counts: Ints,
         receive_offsets: Ints, receive_types: Datatypes, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Comm_idup: MPI_Comm_idup PMPI_Comm_idup mpi_comm_idup_ ompi_comm_idup_f
        (comm: Comm, created: NewComm, request: NewRequest)
        |tracer| tracer.plain();
}

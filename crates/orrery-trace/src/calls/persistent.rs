//! Persistent collective operations: a replay cannot represent them, so their times are recorded
//! only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Barrier_init: [C Fortran]
        (comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Bcast_init: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, root: Int, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Reduce_init: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         root: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Allreduce_init, Scan_init, Exscan_init, Reduce_scatter_block_init: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Reduce_scatter_init: [C Large Fortran]
        (sent: Address, received: Address, counts: Counts, datatype: Datatype, operation: Op,
         comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Gather_init, Scatter_init: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, root: Int, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Allgather_init, Alltoall_init, Neighbor_allgather_init, Neighbor_alltoall_init:
    [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Gatherv_init: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts,
         offsets: Displacements, receive_type: Datatype, root: Int, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Scatterv_init: [C Large Fortran]
        (sent: Address, counts: Counts, offsets: Displacements, send_type: Datatype,
         received: Address, receive_count: Count, receive_type: Datatype, root: Int, comm: Comm,
         info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Allgatherv_init, Neighbor_allgatherv_init: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts,
         offsets: Displacements, receive_type: Datatype, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Alltoallv_init, Neighbor_alltoallv_init: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_type: Datatype, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Alltoallw_init: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_types: Datatypes,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_types: Datatypes, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Neighbor_alltoallw_init: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Aints, send_types: Datatypes,
         received: Address, receive_counts: Counts, receive_offsets: Aints,
         receive_types: Datatypes, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
}

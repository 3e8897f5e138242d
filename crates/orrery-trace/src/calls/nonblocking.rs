//! Nonblocking collective operations: a replay cannot represent them, so their times are recorded
//! only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Ibarrier: [C Fortran]
        (comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ibcast: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, root: Int, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
    Ireduce: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iallreduce, Iscan, Iexscan, Ireduce_scatter_block: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ireduce_scatter: [C Large Fortran]
        (sent: Address, received: Address, counts: Counts, datatype: Datatype, operation: Op,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Igather, Iscatter: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iallgather, Ialltoall: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Igatherv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts,
         offsets: Displacements, receive_type: Datatype, root: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Iscatterv: [C Large Fortran]
        (sent: Address, counts: Counts, offsets: Displacements, send_type: Datatype,
         received: Address, receive_count: Count, receive_type: Datatype, root: Int, comm: Comm,
         request: NewRequest)
        |tracer| tracer.plain();
    Iallgatherv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts,
         offsets: Displacements, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoallv: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ialltoallw: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_types: Datatypes,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_types: Datatypes, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Comm_idup: [C Fortran]
        (comm: Comm, created: NewComm, request: NewRequest)
        |tracer| tracer.plain();
    Comm_idup_with_info: [C Fortran]
        (comm: Comm, info: Info, created: NewComm, request: NewRequest)
        |tracer| tracer.plain();
    Isendrecv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, dest: Int, tag: Int,
         received: Address, receive_count: Count, receive_type: Datatype, source: Int, tag_of: Int,
         comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Isendrecv_replace: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, source: Int,
         tag_of: Int, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
}

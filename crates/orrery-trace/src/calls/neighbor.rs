//! Collective operations between neighbours: a replay cannot represent them, so their times are
//! recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Neighbor_allgather, Neighbor_alltoall: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, comm: Comm)
        |tracer| tracer.plain();
    Neighbor_allgatherv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts,
         offsets: Displacements, receive_type: Datatype, comm: Comm)
        |tracer| tracer.plain();
    Neighbor_alltoallv: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_type: Datatype, comm: Comm)
        |tracer| tracer.plain();
    Neighbor_alltoallw: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Aints, send_types: Datatypes,
         received: Address, receive_counts: Counts, receive_offsets: Aints,
         receive_types: Datatypes, comm: Comm)
        |tracer| tracer.plain();
    Ineighbor_allgather, Ineighbor_alltoall: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_allgatherv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, counts: Counts,
         offsets: Displacements, receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_alltoallv: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_type: Datatype, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
    Ineighbor_alltoallw: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Aints, send_types: Datatypes,
         received: Address, receive_counts: Counts, receive_offsets: Aints,
         receive_types: Datatypes, comm: Comm, request: NewRequest)
        |tracer| tracer.plain();
}

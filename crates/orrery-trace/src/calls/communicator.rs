//! Communicators.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Comm_dup: [C Fortran]
        (comm: Comm, created: NewComm)
        |tracer| tracer.created(created);
    Comm_dup_with_info: [C Fortran]
        (comm: Comm, info: Info, created: NewComm)
        |tracer| tracer.created(created);
    Comm_split: [C Fortran]
        (comm: Comm, color: Int, order: Int, created: NewComm)
        |tracer| tracer.created(created);
    Comm_split_type: [C Fortran]
        (comm: Comm, split: Int, order: Int, info: Info, created: NewComm)
        |tracer| tracer.created(created);
    Comm_create: [C Fortran]
        (comm: Comm, group: Group, created: NewComm)
        |tracer| tracer.created(created);
    Comm_create_group: [C Fortran]
        (comm: Comm, group: Group, tag: Int, created: NewComm)
        |tracer| tracer.created(created);
    Cart_create: [C F08]
        (comm: Comm, count: Int, sizes: Ints, periods: Ints, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Cart_sub: [C F08]
        (comm: Comm, remain: Ints, created: NewComm)
        |tracer| tracer.created(created);
    Graph_create: [C F08]
        (comm: Comm, count: Int, index: Ints, edges: Ints, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Dist_graph_create: [C F08]
        (comm: Comm, count: Int, sources: Ints, degrees: Ints, destinations: Ints, weights: Ints,
         info: Info, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Dist_graph_create_adjacent: [C F08]
        (comm: Comm, in_degree: Int, sources: Ints, in_weights: Ints, out_degree: Int,
         destinations: Ints, out_weights: Ints, info: Info, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Intercomm_create: [C Fortran]
        (comm: Comm, leader: Int, peers: Comm, other: Int, tag: Int, created: NewComm)
        |tracer| tracer.created(created);
    Intercomm_merge: [C F08]
        (comm: Comm, high: Int, created: NewComm)
        |tracer| tracer.created(created);
    Comm_free, Comm_disconnect: [C Fortran]
        (comm: OldComm)
        |tracer| tracer.freed(comm);
}

//! Communicators.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Comm_dup: MPI_Comm_dup PMPI_Comm_dup mpi_comm_dup_ ompi_comm_dup_f
        (comm: Comm, created: NewComm)
        |tracer| tracer.created(created);
    Comm_dup_with_info: MPI_Comm_dup_with_info PMPI_Comm_dup_with_info mpi_comm_dup_with_info_ ompi_comm_dup_with_info_f
        (comm: Comm, info: Info, created: NewComm)
        |tracer| tracer.created(created);
    Comm_split: MPI_Comm_split PMPI_Comm_split mpi_comm_split_ ompi_comm_split_f
        (comm: Comm, color: Int, order: Int, created: NewComm)
        |tracer| tracer.created(created);
    Comm_split_type: MPI_Comm_split_type PMPI_Comm_split_type mpi_comm_split_type_ ompi_comm_split_type_f
        (comm: Comm, split: Int, order: Int, info: Info, created: NewComm)
        |tracer| tracer.created(created);
    Comm_create: MPI_Comm_create PMPI_Comm_create mpi_comm_create_ ompi_comm_create_f
        (comm: Comm, group: Group, created: NewComm)
        |tracer| tracer.created(created);
    Comm_create_group: MPI_Comm_create_group PMPI_Comm_create_group mpi_comm_create_group_ ompi_comm_create_group_f
        (comm: Comm, group: Group, tag: Int, created: NewComm)
        |tracer| tracer.created(created);
    Cart_create: MPI_Cart_create PMPI_Cart_create mpi_cart_create_ mpi_cart_create_f08_
        (comm: Comm, count: Int, sizes: Ints, periods: Ints, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Cart_sub: MPI_Cart_sub PMPI_Cart_sub mpi_cart_sub_ mpi_cart_sub_f08_
        (comm: Comm, remain: Ints, created: NewComm)
        |tracer| tracer.created(created);
    Graph_create: MPI_Graph_create PMPI_Graph_create mpi_graph_create_ mpi_graph_create_f08_
        (comm: Comm, count: Int, index: Ints, edges: Ints, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Dist_graph_create: MPI_Dist_graph_create PMPI_Dist_graph_create mpi_dist_graph_create_ mpi_dist_graph_create_f08_
        (comm: Comm, count: Int, sources: Ints, degrees: Ints, destinations: Ints, weights: Ints, info: Info,
         reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Dist_graph_create_adjacent: MPI_Dist_graph_create_adjacent PMPI_Dist_graph_create_adjacent mpi_dist_graph_create_adjacent_ mpi_dist_graph_create_adjacent_f08_
        (comm: Comm, in_degree: Int, sources: Ints, in_weights: Ints, out_degree: Int, destinations: Ints,
         out_weights: Ints, info: Info, reorder: Int, created: NewComm)
        |tracer| tracer.created(created);
    Intercomm_create: MPI_Intercomm_create PMPI_Intercomm_create mpi_intercomm_create_ ompi_intercomm_create_f
        (comm: Comm, leader: Int, peers: Comm, other: Int, tag: Int, created: NewComm)
        |tracer| tracer.created(created);
    Intercomm_merge: MPI_Intercomm_merge PMPI_Intercomm_merge mpi_intercomm_merge_ mpi_intercomm_merge_f08_
        (comm: Comm, high: Int, created: NewComm)
        |tracer| tracer.created(created);
    Comm_free: MPI_Comm_free PMPI_Comm_free mpi_comm_free_ ompi_comm_free_f
        (comm: OldComm)
        |tracer| tracer.freed(comm);
    Comm_disconnect: MPI_Comm_disconnect PMPI_Comm_disconnect mpi_comm_disconnect_ ompi_comm_disconnect_f
        (comm: OldComm)
        |tracer| tracer.freed(comm);
}

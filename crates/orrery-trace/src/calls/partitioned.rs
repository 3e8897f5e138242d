//! Partitioned communication: a replay cannot represent it, so its times are recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Psend_init: MPI_Psend_init PMPI_Psend_init mpi_psend_init_ ompi_psend_init_f
        (buffer: Address, partitions: Int, count: LargeCount, datatype: Datatype, peer: Int, tag: Int, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Precv_init: MPI_Precv_init PMPI_Precv_init mpi_precv_init_ ompi_precv_init_f
        (buffer: Address, partitions: Int, count: LargeCount, datatype: Datatype, peer: Int, tag: Int, comm: Comm, info: Info,
         request: NewRequest)
        |tracer| tracer.plain();
    Pready: MPI_Pready PMPI_Pready mpi_pready_ ompi_pready_f
        (partition: Int, request: Request)
        |tracer| tracer.plain();
    Pready_range: MPI_Pready_range PMPI_Pready_range mpi_pready_range_ ompi_pready_range_f
        (first: Int, last: Int, request: Request)
        |tracer| tracer.plain();
    Pready_list: MPI_Pready_list PMPI_Pready_list mpi_pready_list_ ompi_pready_list_f
        (count: Int, partitions: Ints, request: Request)
        |tracer| tracer.plain();
    Parrived: MPI_Parrived PMPI_Parrived mpi_parrived_ mpi_parrived_f08_
        (request: Request, partition: Int, flag: Flag)
        |tracer| if flag { tracer.plain() } else { tracer.poll() };
}

//! Partitioned communication: a replay cannot represent it, so its times are recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Psend_init, Precv_init: [C Fortran]
        (buffer: Address, partitions: Int, count: LargeCount, datatype: Datatype, peer: Int,
         tag: Int, comm: Comm, info: Info, request: NewRequest)
        |tracer| tracer.plain();
    Pready: [C Fortran]
        (partition: Int, request: Request)
        |tracer| tracer.plain();
    Pready_range: [C Fortran]
        (first: Int, last: Int, request: Request)
        |tracer| tracer.plain();
    Pready_list: [C Fortran]
        (count: Int, partitions: Ints, request: Request)
        |tracer| tracer.plain();
    Parrived: [C F08]
        (request: Request, partition: Int, flag: Flag)
        |tracer| if flag { tracer.plain() } else { tracer.poll() };
}

//! One-sided communication: a replay cannot represent it, so its times are recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Win_create: [C Large Fortran]
        (base: Address, size: Aint, unit: Unit, info: Info, comm: Comm, win: NewWin)
        |tracer| tracer.plain();
    Win_allocate, Win_allocate_shared: [C Large Fortran]
        (size: Aint, unit: Unit, info: Info, comm: Comm, base: Address, win: NewWin)
        |tracer| tracer.plain();
    Win_create_dynamic: [C Fortran]
        (info: Info, comm: Comm, win: NewWin)
        |tracer| tracer.plain();
    Win_free: [C Fortran]
        (win: NewWin)
        |tracer| tracer.plain();
    Win_fence, Win_lock_all: [C Fortran]
        (assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_lock: [C Fortran]
        (kind: Int, rank: Int, assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_unlock, Win_flush, Win_flush_local: [C Fortran]
        (rank: Int, win: Win)
        |tracer| tracer.plain();
    Win_unlock_all, Win_flush_all, Win_complete, Win_wait, Win_flush_local_all, Win_sync:
    [C Fortran]
        (win: Win)
        |tracer| tracer.plain();
    Win_start, Win_post: [C Fortran]
        (group: Group, assertion: Int, win: Win)
        |tracer| tracer.plain();
    Put, Get: [C Large Fortran]
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint,
         target_count: Count, target_type: Datatype, win: Win)
        |tracer| tracer.plain();
    Accumulate: [C Large Fortran]
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint,
         target_count: Count, target_type: Datatype, operation: Op, win: Win)
        |tracer| tracer.plain();
    Get_accumulate: [C Large Fortran]
        (origin: Address, count: Count, datatype: Datatype, result: Address, result_count: Count,
         result_type: Datatype, rank: Int, offset: Aint, target_count: Count,
         target_type: Datatype, operation: Op, win: Win)
        |tracer| tracer.plain();
    Fetch_and_op: [C Fortran]
        (origin: Address, result: Address, datatype: Datatype, rank: Int, offset: Aint,
         operation: Op, win: Win)
        |tracer| tracer.plain();
    Compare_and_swap: [C Fortran]
        (origin: Address, compared: Address, result: Address, datatype: Datatype, rank: Int,
         offset: Aint, win: Win)
        |tracer| tracer.plain();
    Rput, Rget: [C Large Fortran]
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint,
         target_count: Count, target_type: Datatype, win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Raccumulate: [C Large Fortran]
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint,
         target_count: Count, target_type: Datatype, operation: Op, win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Rget_accumulate: [C Large Fortran]
        (origin: Address, count: Count, datatype: Datatype, result: Address, result_count: Count,
         result_type: Datatype, rank: Int, offset: Aint, target_count: Count,
         target_type: Datatype, operation: Op, win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Win_test: [C F08]
        (win: Win, flag: Flag)
        |tracer| if flag { tracer.plain() } else { tracer.poll() };
}

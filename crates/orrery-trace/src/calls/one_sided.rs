//! One-sided communication: a replay cannot represent it, so its times are recorded only.

#![allow(unsafe_code, non_snake_case)]

functions! {
    Win_create: MPI_Win_create PMPI_Win_create [MPI_Win_create_c PMPI_Win_create_c] mpi_win_create_ ompi_win_create_f
        (base: Address, size: Aint, unit: Unit, info: Info, comm: Comm, win: NewWin)
        |tracer| tracer.plain();
    Win_allocate: MPI_Win_allocate PMPI_Win_allocate [MPI_Win_allocate_c PMPI_Win_allocate_c]
        mpi_win_allocate_ ompi_win_allocate_f
        (size: Aint, unit: Unit, info: Info, comm: Comm, base: Address, win: NewWin)
        |tracer| tracer.plain();
    Win_allocate_shared: MPI_Win_allocate_shared PMPI_Win_allocate_shared [MPI_Win_allocate_shared_c PMPI_Win_allocate_shared_c]
        mpi_win_allocate_shared_ ompi_win_allocate_shared_f
        (size: Aint, unit: Unit, info: Info, comm: Comm, base: Address, win: NewWin)
        |tracer| tracer.plain();
    Win_create_dynamic: MPI_Win_create_dynamic PMPI_Win_create_dynamic mpi_win_create_dynamic_ ompi_win_create_dynamic_f
        (info: Info, comm: Comm, win: NewWin)
        |tracer| tracer.plain();
    Win_free: MPI_Win_free PMPI_Win_free mpi_win_free_ ompi_win_free_f
        (win: NewWin)
        |tracer| tracer.plain();
    Win_fence: MPI_Win_fence PMPI_Win_fence mpi_win_fence_ ompi_win_fence_f
        (assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_lock: MPI_Win_lock PMPI_Win_lock mpi_win_lock_ ompi_win_lock_f
        (kind: Int, rank: Int, assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_unlock: MPI_Win_unlock PMPI_Win_unlock mpi_win_unlock_ ompi_win_unlock_f
        (rank: Int, win: Win)
        |tracer| tracer.plain();
    Win_lock_all: MPI_Win_lock_all PMPI_Win_lock_all mpi_win_lock_all_ ompi_win_lock_all_f
        (assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_unlock_all: MPI_Win_unlock_all PMPI_Win_unlock_all mpi_win_unlock_all_ ompi_win_unlock_all_f
        (win: Win)
        |tracer| tracer.plain();
    Win_flush: MPI_Win_flush PMPI_Win_flush mpi_win_flush_ ompi_win_flush_f
        (rank: Int, win: Win)
        |tracer| tracer.plain();
    Win_flush_all: MPI_Win_flush_all PMPI_Win_flush_all mpi_win_flush_all_ ompi_win_flush_all_f
        (win: Win)
        |tracer| tracer.plain();
    Win_start: MPI_Win_start PMPI_Win_start mpi_win_start_ ompi_win_start_f
        (group: Group, assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_complete: MPI_Win_complete PMPI_Win_complete mpi_win_complete_ ompi_win_complete_f
        (win: Win)
        |tracer| tracer.plain();
    Win_post: MPI_Win_post PMPI_Win_post mpi_win_post_ ompi_win_post_f
        (group: Group, assertion: Int, win: Win)
        |tracer| tracer.plain();
    Win_wait: MPI_Win_wait PMPI_Win_wait mpi_win_wait_ ompi_win_wait_f
        (win: Win)
        |tracer| tracer.plain();
    Put: MPI_Put PMPI_Put [MPI_Put_c PMPI_Put_c] mpi_put_ ompi_put_f
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint, target_count: Count, target_type: Datatype,
         win: Win)
        |tracer| tracer.plain();
    Get: MPI_Get PMPI_Get [MPI_Get_c PMPI_Get_c] mpi_get_ ompi_get_f
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint, target_count: Count, target_type: Datatype,
         win: Win)
        |tracer| tracer.plain();
    Accumulate: MPI_Accumulate PMPI_Accumulate [MPI_Accumulate_c PMPI_Accumulate_c] mpi_accumulate_ ompi_accumulate_f
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint, target_count: Count, target_type: Datatype,
         operation: Op, win: Win)
        |tracer| tracer.plain();
    Get_accumulate: MPI_Get_accumulate PMPI_Get_accumulate [MPI_Get_accumulate_c PMPI_Get_accumulate_c]
        mpi_get_accumulate_ ompi_get_accumulate_f
        (origin: Address, count: Count, datatype: Datatype, result: Address, result_count: Count, result_type: Datatype, rank: Int,
         offset: Aint, target_count: Count, target_type: Datatype, operation: Op, win: Win)
        |tracer| tracer.plain();
    Fetch_and_op: MPI_Fetch_and_op PMPI_Fetch_and_op mpi_fetch_and_op_ ompi_fetch_and_op_f
        (origin: Address, result: Address, datatype: Datatype, rank: Int, offset: Aint, operation: Op, win: Win)
        |tracer| tracer.plain();
    Compare_and_swap: MPI_Compare_and_swap PMPI_Compare_and_swap mpi_compare_and_swap_ ompi_compare_and_swap_f
        (origin: Address, compared: Address, result: Address, datatype: Datatype, rank: Int, offset: Aint, win: Win)
        |tracer| tracer.plain();
    Rput: MPI_Rput PMPI_Rput [MPI_Rput_c PMPI_Rput_c] mpi_rput_ ompi_rput_f
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint, target_count: Count, target_type: Datatype,
         win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Rget: MPI_Rget PMPI_Rget [MPI_Rget_c PMPI_Rget_c] mpi_rget_ ompi_rget_f
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint, target_count: Count, target_type: Datatype,
         win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Raccumulate: MPI_Raccumulate PMPI_Raccumulate [MPI_Raccumulate_c PMPI_Raccumulate_c] mpi_raccumulate_ ompi_raccumulate_f
        (origin: Address, count: Count, datatype: Datatype, rank: Int, offset: Aint, target_count: Count, target_type: Datatype,
         operation: Op, win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Rget_accumulate: MPI_Rget_accumulate PMPI_Rget_accumulate [MPI_Rget_accumulate_c PMPI_Rget_accumulate_c]
        mpi_rget_accumulate_ ompi_rget_accumulate_f
        (origin: Address, count: Count, datatype: Datatype, result: Address, result_count: Count, result_type: Datatype, rank: Int,
         offset: Aint, target_count: Count, target_type: Datatype, operation: Op, win: Win, request: NewRequest)
        |tracer| tracer.plain();
    Win_flush_local: MPI_Win_flush_local PMPI_Win_flush_local mpi_win_flush_local_ ompi_win_flush_local_f
        (rank: Int, win: Win)
        |tracer| tracer.plain();
    Win_flush_local_all: MPI_Win_flush_local_all PMPI_Win_flush_local_all mpi_win_flush_local_all_ ompi_win_flush_local_all_f
        (win: Win)
        |tracer| tracer.plain();
    Win_sync: MPI_Win_sync PMPI_Win_sync mpi_win_sync_ ompi_win_sync_f
        (win: Win)
        |tracer| tracer.plain();
    Win_test: MPI_Win_test PMPI_Win_test mpi_win_test_ mpi_win_test_f08_
        (win: Win, flag: Flag)
        |tracer| if flag { tracer.plain() } else { tracer.poll() };
}

//! Blocking collective operations.
//!
//! Counts and datatypes are those that MPI uses at this rank: a buffer may be `MPI_IN_PLACE`.

#![allow(unsafe_code, non_snake_case)]

use std::ffi::c_int;

use mpi_sys::{MPI_Comm, MPI_Datatype};

use crate::language::{is_in_place, size_of_datatype};
use crate::tracer::{Tracer, bytes};

functions! {
    Barrier: MPI_Barrier PMPI_Barrier mpi_barrier_ ompi_barrier_f
        (comm: Comm)
        |tracer| tracer.collective(comm, 0, 0, &[]);
    Bcast: MPI_Bcast PMPI_Bcast mpi_bcast_ ompi_bcast_f
        (buffer: Address, count: Int, datatype: Datatype, root: Int, comm: Comm)
        |tracer| tracer.collective(comm, root, bytes(count, datatype), &[]);
    Reduce: MPI_Reduce PMPI_Reduce mpi_reduce_ ompi_reduce_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, root: Int, comm: Comm)
        |tracer| tracer.collective(comm, root, bytes(count, datatype), &[]);
    Allreduce: MPI_Allreduce PMPI_Allreduce mpi_allreduce_ ompi_allreduce_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Scan: MPI_Scan PMPI_Scan mpi_scan_ ompi_scan_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Exscan: MPI_Exscan PMPI_Exscan mpi_exscan_ ompi_exscan_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Gather: MPI_Gather PMPI_Gather mpi_gather_ ompi_gather_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, root: Int,
         comm: Comm)
        |tracer| {
            let (count, datatype) =
                if is_root(tracer, root, comm) { (receive_count, receive_type) } else { (send_count, send_type) };
            tracer.collective(comm, root, bytes(count, datatype), &[]);
        };
    Scatter: MPI_Scatter PMPI_Scatter mpi_scatter_ ompi_scatter_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, root: Int,
         comm: Comm)
        |tracer| {
            let (count, datatype) =
                if is_root(tracer, root, comm) { (send_count, send_type) } else { (receive_count, receive_type) };
            tracer.collective(comm, root, bytes(count, datatype), &[]);
        };
    Allgather: MPI_Allgather PMPI_Allgather mpi_allgather_ ompi_allgather_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(receive_count, receive_type), &[]);
    Alltoall: MPI_Alltoall PMPI_Alltoall mpi_alltoall_ ompi_alltoall_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(receive_count, receive_type), &[]);
    Gatherv: MPI_Gatherv PMPI_Gatherv mpi_gatherv_ ompi_gatherv_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_counts: Ints, offsets: Ints,
         receive_type: Datatype, root: Int, comm: Comm)
        |tracer| {
            if is_root(tracer, root, comm) {
                list(tracer, root, comm, receive_counts, receive_type);
            } else {
                tracer.collective(comm, root, bytes(send_count, send_type), &[]);
            }
        };
    Scatterv: MPI_Scatterv PMPI_Scatterv mpi_scatterv_ ompi_scatterv_f
        (sent: Address, send_counts: Ints, offsets: Ints, send_type: Datatype, received: Address, receive_count: Int, receive_type: Datatype,
         root: Int, comm: Comm)
        |tracer| {
            if is_root(tracer, root, comm) {
                list(tracer, root, comm, send_counts, send_type);
            } else {
                tracer.collective(comm, root, bytes(receive_count, receive_type), &[]);
            }
        };
    Allgatherv: MPI_Allgatherv PMPI_Allgatherv mpi_allgatherv_ ompi_allgatherv_f
        (sent: Address, send_count: Int, send_type: Datatype, received: Address, receive_counts: Ints, offsets: Ints,
         receive_type: Datatype, comm: Comm)
        |tracer| list(tracer, 0, comm, receive_counts, receive_type);
    Alltoallv: MPI_Alltoallv PMPI_Alltoallv mpi_alltoallv_ ompi_alltoallv_f
        (sent: Address, send_counts: Ints, send_offsets: Ints, send_type: Datatype, received: Address, receive_counts: Ints,
         receive_offsets: Ints, receive_type: Datatype, comm: Comm)
        |tracer| {
            let to = (send_counts, |_| send_type);
            let from = (receive_counts, |_| receive_type);
            exchange(tracer, comm, is_in_place(sent), to, from);
        };
    Alltoallw: MPI_Alltoallw PMPI_Alltoallw mpi_alltoallw_ ompi_alltoallw_f
        (sent: Address, send_counts: Ints, send_offsets: Ints, send_types: Datatypes, received: Address, receive_counts: Ints,
         receive_offsets: Ints, receive_types: Datatypes, comm: Comm)
        |tracer| exchange(tracer, comm, is_in_place(sent), (send_counts, send_types), (receive_counts, receive_types));
    Reduce_scatter: MPI_Reduce_scatter PMPI_Reduce_scatter mpi_reduce_scatter_ ompi_reduce_scatter_f
        (sent: Address, received: Address, counts: Ints, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| {
            let sizes = sizes(tracer, comm, counts, |_| datatype);
            tracer.collective(comm, 0, size_of_datatype(datatype), &sizes);
        };
    Reduce_scatter_block: MPI_Reduce_scatter_block PMPI_Reduce_scatter_block mpi_reduce_scatter_block_ ompi_reduce_scatter_block_f
        (sent: Address, received: Address, count: Int, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| {
            let sizes = vec![bytes(count, datatype); tracer.communicator(comm).size];
            tracer.collective(comm, 0, size_of_datatype(datatype), &sizes);
        };
}

/// Returns true if this process is the root.
fn is_root(tracer: &mut Tracer, root: c_int, comm: MPI_Comm) -> bool {
    tracer.communicator(comm).rank as c_int == root
}

/// The sizes of the blocks of all ranks of a communicator.
///
/// # Safety
///
/// There are as many counts and datatypes as ranks.
unsafe fn sizes(
    tracer: &mut Tracer,
    comm: MPI_Comm,
    counts: *const c_int,
    datatype: impl Fn(usize) -> MPI_Datatype,
) -> Vec<u64> {
    let ranks = tracer.communicator(comm).size;
    // SAFETY: the caller answers for the length.
    (0..ranks).map(|rank| bytes(unsafe { *counts.add(rank) }, datatype(rank))).collect()
}

/// Adds an operation with a block for each rank.
///
/// # Safety
///
/// There are as many counts as ranks.
unsafe fn list(tracer: &mut Tracer, root: c_int, comm: MPI_Comm, counts: *const c_int, datatype: MPI_Datatype) {
    // SAFETY: the caller answers for the length.
    let sizes = unsafe { sizes(tracer, comm, counts, |_| datatype) };
    let own = sizes.get(tracer.communicator(comm).rank as usize).copied().unwrap_or_default();
    tracer.collective(comm, root, own, &sizes);
}

/// Adds an exchange of blocks between all ranks. In place, the sent blocks are as large as the received ones.
///
/// # Safety
///
/// There are as many counts and datatypes as ranks.
unsafe fn exchange(
    tracer: &mut Tracer,
    comm: MPI_Comm,
    in_place: bool,
    sent: (*mut c_int, impl Fn(usize) -> MPI_Datatype),
    received: (*mut c_int, impl Fn(usize) -> MPI_Datatype),
) {
    // SAFETY: the caller answers for the lengths.
    let (sent, received) = unsafe {
        let received = sizes(tracer, comm, received.0, received.1);
        (if in_place { received.clone() } else { sizes(tracer, comm, sent.0, sent.1) }, received)
    };
    tracer.collective(comm, 0, 0, &[sent, received].concat());
}

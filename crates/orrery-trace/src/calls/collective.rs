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
    Bcast: MPI_Bcast PMPI_Bcast [MPI_Bcast_c PMPI_Bcast_c] mpi_bcast_ ompi_bcast_f
        (buffer: Address, count: Count, datatype: Datatype, root: Int, comm: Comm)
        |tracer| tracer.collective(comm, root, bytes(count, datatype), &[]);
    Reduce: MPI_Reduce PMPI_Reduce [MPI_Reduce_c PMPI_Reduce_c] mpi_reduce_ ompi_reduce_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, root: Int, comm: Comm)
        |tracer| tracer.collective(comm, root, bytes(count, datatype), &[]);
    Allreduce: MPI_Allreduce PMPI_Allreduce [MPI_Allreduce_c PMPI_Allreduce_c] mpi_allreduce_ ompi_allreduce_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Scan: MPI_Scan PMPI_Scan [MPI_Scan_c PMPI_Scan_c] mpi_scan_ ompi_scan_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Exscan: MPI_Exscan PMPI_Exscan [MPI_Exscan_c PMPI_Exscan_c] mpi_exscan_ ompi_exscan_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Gather: MPI_Gather PMPI_Gather [MPI_Gather_c PMPI_Gather_c] mpi_gather_ ompi_gather_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         root: Int, comm: Comm)
        |tracer| {
            let (count, datatype) =
                if is_root(tracer, root, comm) { (receive_count, receive_type) } else { (send_count, send_type) };
            tracer.collective(comm, root, bytes(count, datatype), &[]);
        };
    Scatter: MPI_Scatter PMPI_Scatter [MPI_Scatter_c PMPI_Scatter_c] mpi_scatter_ ompi_scatter_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         root: Int, comm: Comm)
        |tracer| {
            let (count, datatype) =
                if is_root(tracer, root, comm) { (send_count, send_type) } else { (receive_count, receive_type) };
            tracer.collective(comm, root, bytes(count, datatype), &[]);
        };
    Allgather: MPI_Allgather PMPI_Allgather [MPI_Allgather_c PMPI_Allgather_c] mpi_allgather_ ompi_allgather_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(receive_count, receive_type), &[]);
    Alltoall: MPI_Alltoall PMPI_Alltoall [MPI_Alltoall_c PMPI_Alltoall_c] mpi_alltoall_ ompi_alltoall_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_count: Count, receive_type: Datatype,
         comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(receive_count, receive_type), &[]);
    Gatherv: MPI_Gatherv PMPI_Gatherv [MPI_Gatherv_c PMPI_Gatherv_c] mpi_gatherv_ ompi_gatherv_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_counts: Counts, offsets: Displacements,
         receive_type: Datatype, root: Int, comm: Comm)
        |tracer| {
            if is_root(tracer, root, comm) {
                list(tracer, root, comm, receive_counts, receive_type);
            } else {
                tracer.collective(comm, root, bytes(send_count, send_type), &[]);
            }
        };
    Scatterv: MPI_Scatterv PMPI_Scatterv [MPI_Scatterv_c PMPI_Scatterv_c] mpi_scatterv_ ompi_scatterv_f
        (sent: Address, send_counts: Counts, offsets: Displacements, send_type: Datatype, received: Address, receive_count: Count,
         receive_type: Datatype, root: Int, comm: Comm)
        |tracer| {
            if is_root(tracer, root, comm) {
                list(tracer, root, comm, send_counts, send_type);
            } else {
                tracer.collective(comm, root, bytes(receive_count, receive_type), &[]);
            }
        };
    Allgatherv: MPI_Allgatherv PMPI_Allgatherv [MPI_Allgatherv_c PMPI_Allgatherv_c] mpi_allgatherv_ ompi_allgatherv_f
        (sent: Address, send_count: Count, send_type: Datatype, received: Address, receive_counts: Counts, offsets: Displacements,
         receive_type: Datatype, comm: Comm)
        |tracer| list(tracer, 0, comm, receive_counts, receive_type);
    Alltoallv: MPI_Alltoallv PMPI_Alltoallv [MPI_Alltoallv_c PMPI_Alltoallv_c] mpi_alltoallv_ ompi_alltoallv_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_type: Datatype, comm: Comm)
        |tracer| {
            let to = (send_counts, |_: usize| send_type);
            let from = (receive_counts, |_: usize| receive_type);
            exchange(tracer, comm, is_in_place(sent), to, from);
        };
    Alltoallw: MPI_Alltoallw PMPI_Alltoallw [MPI_Alltoallw_c PMPI_Alltoallw_c] mpi_alltoallw_ ompi_alltoallw_f
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_types: Datatypes, received: Address,
         receive_counts: Counts, receive_offsets: Displacements, receive_types: Datatypes, comm: Comm)
        |tracer| exchange(tracer, comm, is_in_place(sent), (send_counts, send_types), (receive_counts, receive_types));
    Reduce_scatter: MPI_Reduce_scatter PMPI_Reduce_scatter [MPI_Reduce_scatter_c PMPI_Reduce_scatter_c]
        mpi_reduce_scatter_ ompi_reduce_scatter_f
        (sent: Address, received: Address, counts: Counts, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| {
            let sizes = sizes(tracer, comm, counts, |_| datatype);
            tracer.collective(comm, 0, size_of_datatype(datatype), &sizes);
        };
    Reduce_scatter_block: MPI_Reduce_scatter_block PMPI_Reduce_scatter_block [MPI_Reduce_scatter_block_c PMPI_Reduce_scatter_block_c]
        mpi_reduce_scatter_block_ ompi_reduce_scatter_block_f
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op, comm: Comm)
        |tracer| {
            let sizes = vec![bytes(count, datatype); tracer.communicator(comm).size];
            tracer.collective(comm, 0, size_of_datatype(datatype), &sizes);
        };
}

/// Returns true if this process is the root.
fn is_root(tracer: &mut Tracer, root: c_int, comm: MPI_Comm) -> bool {
    tracer.communicator(comm).rank as c_int == root
}

/// The sizes of the blocks of all ranks of a communicator, by the count and the datatype of each.
fn sizes(
    tracer: &mut Tracer,
    comm: MPI_Comm,
    count: impl Fn(usize) -> i64,
    datatype: impl Fn(usize) -> MPI_Datatype,
) -> Vec<u64> {
    let ranks = tracer.communicator(comm).size;
    (0..ranks).map(|rank| bytes(count(rank), datatype(rank))).collect()
}

/// Adds an operation with a block for each rank.
fn list(
    tracer: &mut Tracer,
    root: c_int,
    comm: MPI_Comm,
    count: impl Fn(usize) -> i64,
    datatype: MPI_Datatype,
) {
    let sizes = sizes(tracer, comm, count, |_| datatype);
    let own = sizes.get(tracer.communicator(comm).rank as usize).copied().unwrap_or_default();
    tracer.collective(comm, root, own, &sizes);
}

/// Adds an exchange of blocks between all ranks, by their counts and datatypes. In place, the sent
/// blocks are as large as the received ones.
fn exchange(
    tracer: &mut Tracer,
    comm: MPI_Comm,
    in_place: bool,
    sent: (impl Fn(usize) -> i64, impl Fn(usize) -> MPI_Datatype),
    received: (impl Fn(usize) -> i64, impl Fn(usize) -> MPI_Datatype),
) {
    let received = sizes(tracer, comm, received.0, received.1);
    let sent = if in_place { received.clone() } else { sizes(tracer, comm, sent.0, sent.1) };
    tracer.collective(comm, 0, 0, &[sent, received].concat());
}

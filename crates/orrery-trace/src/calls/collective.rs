//! Blocking collective operations.
//!
//! Counts and datatypes are those that MPI uses at this rank: a buffer may be `MPI_IN_PLACE`.

#![allow(unsafe_code, non_snake_case)]

use std::ffi::c_int;

use mpi_sys::{MPI_Comm, MPI_Datatype};

use crate::language::{is_in_place, size_of_datatype};
use crate::tracer::{Tracer, bytes};

functions! {
    Barrier: [C Fortran]
        (comm: Comm)
        |tracer| tracer.collective(comm, 0, 0, &[]);
    Bcast: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, root: Int, comm: Comm)
        |tracer| tracer.collective(comm, root, bytes(count, datatype), &[]);
    Reduce: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         root: Int, comm: Comm)
        |tracer| tracer.collective(comm, root, bytes(count, datatype), &[]);
    Allreduce, Scan, Exscan: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(count, datatype), &[]);
    Gather: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, root: Int, comm: Comm)
        |tracer| {
            let (count, datatype) =
                if is_root(tracer, root, comm) { (receive_count, receive_type) } else { (send_count, send_type) };
            tracer.collective(comm, root, bytes(count, datatype), &[]);
        };
    Scatter: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, root: Int, comm: Comm)
        |tracer| {
            let (count, datatype) =
                if is_root(tracer, root, comm) { (send_count, send_type) } else { (receive_count, receive_type) };
            tracer.collective(comm, root, bytes(count, datatype), &[]);
        };
    Allgather, Alltoall: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_count: Count, receive_type: Datatype, comm: Comm)
        |tracer| tracer.collective(comm, 0, bytes(receive_count, receive_type), &[]);
    Gatherv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_counts: Counts, offsets: Displacements, receive_type: Datatype, root: Int,
         comm: Comm)
        |tracer| {
            if is_root(tracer, root, comm) {
                list(tracer, root, comm, receive_counts, receive_type);
            } else {
                tracer.collective(comm, root, bytes(send_count, send_type), &[]);
            }
        };
    Scatterv: [C Large Fortran]
        (sent: Address, send_counts: Counts, offsets: Displacements, send_type: Datatype,
         received: Address, receive_count: Count, receive_type: Datatype, root: Int, comm: Comm)
        |tracer| {
            if is_root(tracer, root, comm) {
                list(tracer, root, comm, send_counts, send_type);
            } else {
                tracer.collective(comm, root, bytes(receive_count, receive_type), &[]);
            }
        };
    Allgatherv: [C Large Fortran]
        (sent: Address, send_count: Count, send_type: Datatype, received: Address,
         receive_counts: Counts, offsets: Displacements, receive_type: Datatype, comm: Comm)
        |tracer| list(tracer, 0, comm, receive_counts, receive_type);
    Alltoallv: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_type: Datatype,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_type: Datatype, comm: Comm)
        |tracer| {
            let to = (send_counts, |_: usize| send_type);
            let from = (receive_counts, |_: usize| receive_type);
            exchange(tracer, comm, is_in_place(sent), to, from);
        };
    Alltoallw: [C Large Fortran]
        (sent: Address, send_counts: Counts, send_offsets: Displacements, send_types: Datatypes,
         received: Address, receive_counts: Counts, receive_offsets: Displacements,
         receive_types: Datatypes, comm: Comm)
        |tracer| exchange(tracer, comm, is_in_place(sent), (send_counts, send_types), (receive_counts, receive_types));
    Reduce_scatter: [C Large Fortran]
        (sent: Address, received: Address, counts: Counts, datatype: Datatype, operation: Op,
         comm: Comm)
        |tracer| {
            let sizes = sizes(tracer, comm, counts, |_| datatype);
            tracer.collective(comm, 0, size_of_datatype(datatype), &sizes);
        };
    Reduce_scatter_block: [C Large Fortran]
        (sent: Address, received: Address, count: Count, datatype: Datatype, operation: Op,
         comm: Comm)
        |tracer| {
            let sizes = vec![bytes(count, datatype); tracer.communicator(comm).size];
            tracer.collective(comm, 0, size_of_datatype(datatype), &sizes);
        };
}

/// Returns true if this process is the root in a communicator.
fn is_root(tracer: &mut Tracer, root: c_int, comm: MPI_Comm) -> bool {
    tracer.communicator(comm).rank as c_int == root
}

/// The sizes in bytes of the blocks of all ranks of a communicator, by the count and the datatype
/// of each.
fn sizes(
    tracer: &mut Tracer,
    comm: MPI_Comm,
    count: impl Fn(usize) -> i64,
    datatype: impl Fn(usize) -> MPI_Datatype,
) -> Vec<u64> {
    let ranks = tracer.communicator(comm).size;
    (0..ranks).map(|rank| bytes(count(rank), datatype(rank))).collect()
}

/// Adds an operation whose blocks have a count for each rank; the own size is that of this rank's
/// block.
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

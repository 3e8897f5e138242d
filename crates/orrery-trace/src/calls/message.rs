//! Messages: blocking, nonblocking and persistent.

#![allow(unsafe_code, non_snake_case)]

use crate::language::key;
use crate::tracer::bytes;

functions! {
    Send: MPI_Send PMPI_Send [MPI_Send_c PMPI_Send_c] mpi_send_ ompi_send_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, comm: Comm)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), dest, tag, comm);
            tracer.send(message);
        };
    Ssend: MPI_Ssend PMPI_Ssend [MPI_Ssend_c PMPI_Ssend_c] mpi_ssend_ ompi_ssend_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, comm: Comm)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), dest, tag, comm);
            tracer.send(message);
        };
    Bsend: MPI_Bsend PMPI_Bsend [MPI_Bsend_c PMPI_Bsend_c] mpi_bsend_ ompi_bsend_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, comm: Comm)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), dest, tag, comm);
            tracer.send(message);
        };
    Rsend: MPI_Rsend PMPI_Rsend [MPI_Rsend_c PMPI_Rsend_c] mpi_rsend_ ompi_rsend_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, comm: Comm)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), dest, tag, comm);
            tracer.send(message);
        };
    Recv: MPI_Recv PMPI_Recv [MPI_Recv_c PMPI_Recv_c] mpi_recv_ ompi_recv_f
        (buffer: Address, count: Count, datatype: Datatype, source: Int, tag: Int, comm: Comm, status: Status)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), source, tag, comm);
            tracer.receive(message, &status);
        };
    Isend: MPI_Isend PMPI_Isend [MPI_Isend_c PMPI_Isend_c] mpi_isend_ ompi_isend_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), false);
        };
    Issend: MPI_Issend PMPI_Issend [MPI_Issend_c PMPI_Issend_c] mpi_issend_ ompi_issend_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), false);
        };
    Ibsend: MPI_Ibsend PMPI_Ibsend [MPI_Ibsend_c PMPI_Ibsend_c] mpi_ibsend_ ompi_ibsend_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), false);
        };
    Irsend: MPI_Irsend PMPI_Irsend [MPI_Irsend_c PMPI_Irsend_c] mpi_irsend_ ompi_irsend_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), false);
        };
    Irecv: MPI_Irecv PMPI_Irecv [MPI_Irecv_c PMPI_Irecv_c] mpi_irecv_ ompi_irecv_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), false);
        };
    Send_init: MPI_Send_init PMPI_Send_init [MPI_Send_init_c PMPI_Send_init_c] mpi_send_init_ ompi_send_init_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), true);
        };
    Ssend_init: MPI_Ssend_init PMPI_Ssend_init [MPI_Ssend_init_c PMPI_Ssend_init_c] mpi_ssend_init_ ompi_ssend_init_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), true);
        };
    Bsend_init: MPI_Bsend_init PMPI_Bsend_init [MPI_Bsend_init_c PMPI_Bsend_init_c] mpi_bsend_init_ ompi_bsend_init_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), true);
        };
    Rsend_init: MPI_Rsend_init PMPI_Rsend_init [MPI_Rsend_init_c PMPI_Rsend_init_c] mpi_rsend_init_ ompi_rsend_init_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), true);
        };
    Recv_init: MPI_Recv_init PMPI_Recv_init [MPI_Recv_init_c PMPI_Recv_init_c] mpi_recv_init_ ompi_recv_init_f
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm, request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), true);
        };
    Start: MPI_Start PMPI_Start mpi_start_ ompi_start_f
        (request: OldRequest)
        |tracer| tracer.start(std::iter::once(key(request)));
    Startall: MPI_Startall PMPI_Startall mpi_startall_ ompi_startall_f
        (count: Int, requests: Requests)
        |tracer| tracer.start((0..count as usize).map(|index| key(requests(index))));
    Cancel: MPI_Cancel PMPI_Cancel mpi_cancel_ ompi_cancel_f
        (request: OldRequest)
        |tracer| tracer.cancel(key(request));
    Request_free: MPI_Request_free PMPI_Request_free mpi_request_free_ ompi_request_free_f
        (request: OldRequest)
        |tracer| tracer.free(key(request));
    Sendrecv: MPI_Sendrecv PMPI_Sendrecv [MPI_Sendrecv_c PMPI_Sendrecv_c] mpi_sendrecv_ ompi_sendrecv_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, into: Address, room: Count, type_of: Datatype,
         source: Int, tag_of: Int, comm: Comm, status: Status)
        |tracer| {
            let sent = tracer.message(bytes(count, datatype), dest, tag, comm);
            let received = tracer.message(bytes(room, type_of), source, tag_of, comm);
            tracer.exchange(sent, received, &status);
        };
    Sendrecv_replace: MPI_Sendrecv_replace PMPI_Sendrecv_replace [MPI_Sendrecv_replace_c PMPI_Sendrecv_replace_c]
        mpi_sendrecv_replace_ ompi_sendrecv_replace_f
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, source: Int, tag_of: Int, comm: Comm, status: Status)
        |tracer| {
            let sent = tracer.message(bytes(count, datatype), dest, tag, comm);
            let received = tracer.message(bytes(count, datatype), source, tag_of, comm);
            tracer.exchange(sent, received, &status);
        };
    Buffer_detach: MPI_Buffer_detach PMPI_Buffer_detach [MPI_Buffer_detach_c PMPI_Buffer_detach_c]
        mpi_buffer_detach_ ompi_buffer_detach_f
        (buffer: Address, size: Counts)
        |tracer| tracer.plain();
    Request_get_status: MPI_Request_get_status PMPI_Request_get_status mpi_request_get_status_ mpi_request_get_status_f08_
        (request: Request, flag: Flag, status: Status)
        |tracer| if flag { tracer.plain() } else { tracer.poll() };
    Grequest_complete: MPI_Grequest_complete PMPI_Grequest_complete mpi_grequest_complete_ ompi_grequest_complete_f
        (request: Request)
        |tracer| tracer.plain();
}

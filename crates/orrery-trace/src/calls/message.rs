//! Messages: blocking, nonblocking and persistent.

#![allow(unsafe_code, non_snake_case)]

use crate::language::key;
use crate::tracer::bytes;

functions! {
    Send, Ssend, Bsend, Rsend: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, comm: Comm)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), dest, tag, comm);
            tracer.send(message);
        };
    Recv: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, source: Int, tag: Int, comm: Comm,
         status: Status)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), source, tag, comm);
            tracer.receive(message, &status);
        };
    Isend, Issend, Ibsend, Irsend, Irecv: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm,
         request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), false);
        };
    Send_init, Ssend_init, Bsend_init, Rsend_init, Recv_init: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, peer: Int, tag: Int, comm: Comm,
         request: NewRequest)
        |tracer| {
            let message = tracer.message(bytes(count, datatype), peer, tag, comm);
            tracer.post(message, key(request), true);
        };
    Start: [C Fortran]
        (request: OldRequest)
        |tracer| tracer.start(std::iter::once(key(request)));
    Startall: [C Fortran]
        (count: Int, requests: Requests)
        |tracer| tracer.start((0..count as usize).map(|index| key(requests(index))));
    Cancel: [C Fortran]
        (request: OldRequest)
        |tracer| tracer.cancel(key(request));
    Request_free: [C Fortran]
        (request: OldRequest)
        |tracer| tracer.free(key(request));
    Sendrecv: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, into: Address,
         room: Count, type_of: Datatype, source: Int, tag_of: Int, comm: Comm, status: Status)
        |tracer| {
            let sent = tracer.message(bytes(count, datatype), dest, tag, comm);
            let received = tracer.message(bytes(room, type_of), source, tag_of, comm);
            tracer.exchange(sent, received, &status);
        };
    Sendrecv_replace: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, dest: Int, tag: Int, source: Int,
         tag_of: Int, comm: Comm, status: Status)
        |tracer| {
            let sent = tracer.message(bytes(count, datatype), dest, tag, comm);
            let received = tracer.message(bytes(count, datatype), source, tag_of, comm);
            tracer.exchange(sent, received, &status);
        };
}

functions! {
    Probe: [C Fortran]
        (source: Int, tag: Int, comm: Comm, status: Status)
        |tracer| {
            let message = tracer.message(0, source, tag, comm);
            tracer.probe(message, &status);
        };
    Iprobe: [C F08]
        (source: Int, tag: Int, comm: Comm, flag: Flag, status: Status)
        |tracer| {
            if flag {
                let message = tracer.message(0, source, tag, comm);
                tracer.probe(message, &status);
            } else {
                tracer.poll();
            }
        };
    Mprobe: [C Fortran]
        (source: Int, tag: Int, comm: Comm, found: NewMessage, status: Status)
        |tracer| {
            let message = tracer.message(0, source, tag, comm);
            tracer.matched_probe(message, &status, key(found));
        };
    Improbe: [C F08]
        (source: Int, tag: Int, comm: Comm, flag: Flag, found: NewMessage, status: Status)
        |tracer| {
            if flag {
                let message = tracer.message(0, source, tag, comm);
                tracer.matched_probe(message, &status, key(found));
            } else {
                tracer.poll();
            }
        };
    Mrecv: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, found: OldMessage, status: Status)
        |tracer| tracer.receive_probed(bytes(count, datatype), key(found));
    Imrecv: [C Large Fortran]
        (buffer: Address, count: Count, datatype: Datatype, found: OldMessage, request: NewRequest)
        |tracer| tracer.post_probed(bytes(count, datatype), key(found), key(request));
}

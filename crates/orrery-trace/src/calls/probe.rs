//! Probes, and receives of messages that they have matched.

#![allow(unsafe_code, non_snake_case)]

use crate::language::key;
use crate::tracer::bytes;

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

//! Probes, and receives of messages that they have matched.

#![allow(unsafe_code, non_snake_case)]

use crate::language::key;
use crate::tracer::bytes;

functions! {
    Probe: MPI_Probe PMPI_Probe mpi_probe_ ompi_probe_f
        (source: Int, tag: Int, comm: Comm, status: Status)
        |tracer| {
            let message = tracer.message(0, source, tag, comm);
            tracer.probe(message, &status);
        };
    Iprobe: MPI_Iprobe PMPI_Iprobe mpi_iprobe_ mpi_iprobe_f08_
        (source: Int, tag: Int, comm: Comm, flag: Flag, status: Status)
        |tracer| {
            if flag {
                let message = tracer.message(0, source, tag, comm);
                tracer.probe(message, &status);
            } else {
                tracer.poll();
            }
        };
    Mprobe: MPI_Mprobe PMPI_Mprobe mpi_mprobe_ ompi_mprobe_f
        (source: Int, tag: Int, comm: Comm, found: NewMessage, status: Status)
        |tracer| {
            let message = tracer.message(0, source, tag, comm);
            tracer.matched_probe(message, &status, key(found));
        };
    Improbe: MPI_Improbe PMPI_Improbe mpi_improbe_ mpi_improbe_f08_
        (source: Int, tag: Int, comm: Comm, flag: Flag, found: NewMessage, status: Status)
        |tracer| {
            if flag {
                let message = tracer.message(0, source, tag, comm);
                tracer.matched_probe(message, &status, key(found));
            } else {
                tracer.poll();
            }
        };
    Mrecv: MPI_Mrecv PMPI_Mrecv [MPI_Mrecv_c PMPI_Mrecv_c] mpi_mrecv_ ompi_mrecv_f
        (buffer: Address, count: Count, datatype: Datatype, found: OldMessage, status: Status)
        |tracer| tracer.receive_probed(bytes(count, datatype), key(found));
    Imrecv: MPI_Imrecv PMPI_Imrecv [MPI_Imrecv_c PMPI_Imrecv_c] mpi_imrecv_ ompi_imrecv_f
        (buffer: Address, count: Count, datatype: Datatype, found: OldMessage, request: NewRequest)
        |tracer| tracer.post_probed(bytes(count, datatype), key(found), key(request));
}

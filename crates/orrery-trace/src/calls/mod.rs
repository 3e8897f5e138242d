//! The functions of MPI that the library defines.

mod collective;
mod communicator;
mod completion;
mod message;
mod process;

/// Functions of which only the times are recorded, since a replay cannot represent them.
#[allow(unsafe_code, non_snake_case)]
mod plain {
    include!(concat!(env!("OUT_DIR"), "/plain.rs"));

    functions! {
        Win_test: [C F08]
            (win: Win, flag: Flag)
            |tracer| if flag { tracer.plain() } else { tracer.poll() };
        Parrived: [C F08]
            (request: Request, partition: Int, flag: Flag)
            |tracer| if flag { tracer.plain() } else { tracer.poll() };
        Request_get_status: [C F08]
            (request: Request, flag: Flag, status: Status)
            |tracer| if flag { tracer.plain() } else { tracer.poll() };
    }
}

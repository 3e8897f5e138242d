use orrery_base::file::{Fault, FileError};

/// The reason why a recorded run cannot be converted to a trace.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A damaged file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A call that a trace cannot represent.
    #[error(transparent)]
    Conversion(#[from] Fault),
}

/// Returns a function that adds the rank and the number of the call, from 1, to a fault.
pub(super) fn at_call(rank: u32, call: u64) -> impl Fn(Fault) -> Fault {
    move |fault| fault.within(format_args!("rank {rank}, call {call}"))
}

/// The fault of a number that no record before defines.
pub(super) fn undefined(what: &str, number: u32) -> Fault {
    Fault::new(format_args!(
        "{what} {number} is not defined; the file is damaged, record the program again"
    ))
}

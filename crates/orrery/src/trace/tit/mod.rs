//! Time-independent traces of SimGrid: a line `RANK ACTION ARGUMENTS` for all that a rank does.
//!
//! A [`Reader`] takes the texts and gives a [`Trace`]; [`Trace::schedule`] makes a schedule of it, collective operations
//! spelt out in messages as SimGrid's default algorithms are.

mod action;
mod alltoall;
mod collective;
mod dialect;
mod error;
mod line;
mod rank;
mod reader;
mod replay;
mod trace;

pub use error::{Fault, Place, TraceError};
pub use reader::Reader;
pub use replay::Replay;
pub use trace::Trace;

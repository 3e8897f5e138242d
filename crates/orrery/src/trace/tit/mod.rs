//! Time-independent traces of SimGrid: a line `RANK ACTION ARGUMENTS` for all that a rank does.
//!
//! A [`Reader`] takes the texts and gives a [`Trace`]; [`Trace::schedule`] makes a schedule of it, collective operations
//! spelt out in messages as SimGrid's default algorithms are.

mod collective;
mod dialect;
mod error;
mod line;
mod rank;
mod reader;
mod writer;

pub use super::actions::{Location, Trace};
pub use error::{Fault, TraceError};
pub use reader::Reader;
pub use writer::{WriteError, write};

pub(super) use writer::lines;

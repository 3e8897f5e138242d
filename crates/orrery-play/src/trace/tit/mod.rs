//! Time-independent traces of SimGrid: a line `RANK ACTION ARGUMENTS` for each action of a rank.
//!
//! A [`Reader`] reads the texts and returns a [`Trace`]; [`write()`] writes one.

mod collective;
mod line;
mod rank;
mod reader;
mod writer;

pub use super::actions::{Location, Trace};
pub use reader::Reader;
pub use writer::write;

pub(super) use writer::line_count;

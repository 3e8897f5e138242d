//! Orrery's binary traces: compact, with communicators and loops.
//!
//! A file has a header with the names of source files, the communicators and the length of each
//! rank's section, and then a section for each rank; docs/file-formats.md describes every byte. The
//! header and each section have a checksum, so that one rank can be read without the others. A loop
//! is stored once.
//!
//! ```
//! use orrery_play::trace::{binary, tit::Reader};
//! let mut reader = Reader::default();
//! reader.shared("ping.txt", b"0 init\n0 send 1 0 1e6\n1 init\n1 recv 0 0 1e6\n")?;
//! let trace = reader.finish()?;
//! let bytes = binary::write(&trace);
//! assert!(bytes.len() < 60);
//! assert_eq!(binary::read(&bytes, "ping.orrt")?.profile(), trace.profile());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod coder;
mod format;
mod input;
mod reader;
mod writer;

pub(super) use coder::Coder;
pub(super) use input::{Input, VERSION, at_byte, out_of_range};
pub use reader::read;
pub use writer::write;

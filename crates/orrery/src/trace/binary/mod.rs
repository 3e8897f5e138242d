//! Orrery's own traces: compact, in binary, with communicators and with blocks that are repeated.
//!
//! A file has a head, with the names of sources, the communicators and the length of what each rank did, and then a part
//! for each rank; docs/file-formats.md describes every byte. Head and parts have checksums of their own, so that one rank
//! can be read without the others. What is repeated is stored once, in the file and in memory.
//!
//! ```
//! use orrery::trace::{binary, tit::Reader};
//! let mut reader = Reader::default();
//! reader.shared("ping.txt", b"0 init\n0 send 1 0 1e6\n1 init\n1 recv 0 0 1e6\n")?;
//! let trace = reader.finish()?;
//! let bytes = binary::write(&trace);
//! assert!(bytes.len() < 60);
//! assert_eq!(binary::read(&bytes, "ping.orrt")?.profile(), trace.profile());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checksum;
mod code;
mod error;
mod head;
mod input;
mod reader;
mod writer;

pub use error::{BinaryError, Fault};
pub use reader::read;
pub use writer::write;

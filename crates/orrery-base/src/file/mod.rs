//! File access: located errors, the rule for outputs that exist, atomic replacement, locked files of
//! campaigns, lines and words of texts, and recognition of files by their content.
//!
//! What is wrong with a content is a [`Fault`]: a sentence with its place. A reader adds the file to
//! it, which makes it a [`FileError`].

mod change;
mod error;
mod fault;
mod input;
mod kind;
#[cfg(feature = "estimation")]
mod locked;
mod output;
mod replace;
mod text;
mod written;
mod xml;

pub use change::{FileChange, Identity};
pub use error::{FileError, advice, read, read_text, write};
pub use fault::{Fault, FaultKind, Result};
pub use input::{read_bytes, read_head, read_stream, read_stream_string, read_string};
pub use kind::{FileKind, check_kind, is_hpl_banner, is_hpl_variant, kind_of, other_kind};
#[cfg(feature = "estimation")]
pub use locked::LockedFile;
pub use output::OutputFormat;
pub use replace::{Replacement, replace};
pub use text::{Position, Remark, TORN_LINE_USED, Word, lines, torn_line, words};
pub use xml::check_xml;

//! File access: located errors, atomic replacement, files that grow while they are locked, lines and words of texts,
//! and recognition of the files of other programs.
//!
//! Each format has an enum of the faults of its files, which implements [`FileFault`]. Its error is [`FileError`] of
//! that enum.

mod error;
mod growing;
mod kind;
mod position;
mod replace;
mod text;

pub use error::{FileError, FileFault, advice};
pub(crate) use error::{read, write};
pub(crate) use growing::GrowingFile;
pub(crate) use kind::is_hpl_banner;
pub use kind::{FileKind, kind_of};
pub(crate) use position::Located;
pub use position::Position;
pub use replace::replace;
pub use text::Remark;
pub(crate) use text::{LineStarts, Word, lines, words};

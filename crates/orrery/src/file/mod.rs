//! File access: located errors, atomic replacement, locked files of campaigns, lines and words of
//! texts, and recognition of the files of other programs.
//!
//! Each format has an enum of the faults of its files, which implements [`FileFault`]. Its error is
//! [`FileError`] of that enum.

mod change;
mod error;
mod identity;
mod kind;
#[cfg(feature = "estimation")]
mod locked;
mod position;
mod replace;
mod text;

pub use change::FileChange;
pub use error::{FileError, FileFault, advice};
pub(crate) use error::{read, write};
pub use identity::Identity;
pub use kind::{FileKind, is_hpl_banner, kind_of};
#[cfg(feature = "estimation")]
pub(crate) use locked::LockedFile;
pub(crate) use position::Located;
pub use position::Position;
pub use replace::{Replacement, replace};
#[cfg(feature = "import")]
pub(crate) use text::Word;
pub use text::{Remark, TORN_LINE_USED, torn_line};
pub(crate) use text::{lines, words};

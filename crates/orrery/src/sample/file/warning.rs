use std::path::PathBuf;

use crate::schedule::Timing;

/// Something that a reader of a samples file should be told, though the file can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The last line has no line break at its end, so it may be torn.
    #[error(
        "{}:{line}: the last line does not end with a line break, so it may be torn; it is dropped (if it is whole, add \
         the line break)", path.display()
    )]
    TornLine {
        /// The file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
    },
    /// The last frame of a compressed file is torn.
    #[error(
        "{}: the last compressed frame (byte {byte}) is torn; what can be read of it is kept, the rest is dropped",
        path.display()
    )]
    TornFrame {
        /// The file.
        path: PathBuf,
        /// Where the frame begins.
        byte: usize,
    },
    /// The file does not name its format.
    #[error("{}: there is no line \"# format: orrery-samples 1\"; the file is read as of version 1", path.display())]
    NoFormat {
        /// The file.
        path: PathBuf,
    },
    /// The timing method of collective operations is unknown.
    #[error(
        "{}:{line}: the timing method {found:?} is unknown; known are {}: collective operations are taken as timed by max",
        path.display(), Timing::ALL.map(Timing::name).join(", ")
    )]
    UnknownTiming {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The value of the key `timing`.
        found: String,
    },
}

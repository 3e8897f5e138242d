use std::path::PathBuf;

use super::suspicious_rows::{ImplausibleTimes, RepeatedRows};
use orrery_program::schedule::Timing;

/// A defect of a file of measurements that does not prevent its use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The last line has no line break and may be incomplete.
    #[error(
        "{}:{line}: the last line has no line break and may be incomplete; it is ignored (if it is \
            complete, add the \
         line break)", path.display()
    )]
    TornLine {
        /// The file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
    },
    /// The last frame of a compressed file is incomplete.
    #[error(
        "{}: the last compressed frame (byte {byte}) is incomplete; its readable part is kept",
        path.display()
    )]
    TornFrame {
        /// The file.
        path: PathBuf,
        /// The first byte of the frame.
        byte: usize,
    },
    /// The file does not name its format.
    #[error("{}: there is no line \"# format: {format}\"; version 1 is assumed", path.display())]
    NoFormat {
        /// The file.
        path: PathBuf,
        /// The format and its version.
        format: &'static str,
    },
    /// Rows repeat earlier ones, with their launch and repetition.
    #[error("{}: {rows}", path.display())]
    RepeatedRows {
        /// The file.
        path: PathBuf,
        /// The rows.
        rows: RepeatedRows,
    },
    /// Most times are too long for their messages.
    #[error("{}: {times}", path.display())]
    ImplausibleTimes {
        /// The file.
        path: PathBuf,
        /// The times.
        times: ImplausibleTimes,
    },
    /// The timing method of collective operations is unknown.
    #[error(
        "{}:{line}: the timing method {found:?} is unknown; known are {}: collective operations \
            are taken as timed by max",
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

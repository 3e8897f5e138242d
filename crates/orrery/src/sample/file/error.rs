use std::path::PathBuf;

use super::suspicious_rows::{ImplausibleTimes, RepeatedRows};
use crate::budget::OverBudget;
use crate::file::{FileError, FileFault};
use crate::schedule::Timing;

/// The reason why a samples file cannot be read or written.
pub type SamplesError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "samples file";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Budget(error) = self { Some(error) } else { None }
    }
}

/// A fault of a samples file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Its content is beyond its budget.
    #[error(transparent)]
    Budget(#[from] OverBudget),
    /// The file is empty.
    #[error("the file is empty; it needs at least a line of column names")]
    Empty,
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; a samples file is CSV, plain or compressed by zstd")]
    NotText,
    /// The compressed content is damaged.
    #[error(
        "the compressed frame at byte {byte} is damaged ({reason}); \"zstd -d\" may recover the \
            content before it"
    )]
    Frame {
        /// The first byte of the frame.
        byte: usize,
        /// The error of the decoder.
        reason: String,
    },
    /// The file is compressed, and the crate is built without its feature `zstd`.
    #[error(
        "it is compressed, and this program is built without zstd; decompress it by \"zstd -d\", \
            or enable the feature \
         \"zstd\" of orrery-model"
    )]
    NoCodec,
    /// A compressed file of timings is to be continued.
    #[error("it is compressed; decompress it by \"zstd -d\" to continue it")]
    Continued,
    /// The format line names another format or version.
    #[error(
        "the format is {found:?}, but orrery reads \"orrery-samples 1\" here; name a samples file \
            of version 1"
    )]
    Format {
        /// The format found.
        found: String,
    },
    /// There is no line of column names.
    #[error("{}", if *.json {
        "this looks like JSON, perhaps a model file; a samples file is CSV and has a line of \
            column names, \
         such as \"experiment,i,j,size,seconds\""
    } else {
        "there is no line of column names above the readings, such \
            as \"experiment,i,j,size,seconds\"; add it"
    })]
    NoHeader {
        /// True if the file looks like JSON.
        json: bool,
    },
    /// A required column is missing, in the file or for a row to be written.
    #[error(
        "there is no column {column:?}; add it, or correct its name in the line of column names, \
            which is separated by commas"
    )]
    NoColumn {
        /// The name of the column.
        column: &'static str,
    },
    /// A column is named twice.
    #[error("column {column:?} is named twice; rename or remove one of them")]
    ColumnTwice {
        /// The name of the column.
        column: &'static str,
    },
    /// A row has more or fewer fields than there are columns.
    #[error("the line has {found} fields, but there are {expected} columns; correct or remove it")]
    Fields {
        /// The number of fields.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A quoted field is not closed.
    #[error("the quote opened here is not closed on the same line; close it")]
    OpenQuote,
    /// Text follows a closing quote.
    #[error("a comma must follow the closing quote; double a quote within a quoted field")]
    AfterQuote,
    /// A field that the experiment requires is empty.
    #[error(
        "column {column:?} is empty, but {experiment} requires it; fill it in or remove the line"
    )]
    Missing {
        /// The column.
        column: &'static str,
        /// The experiment.
        experiment: String,
    },
    /// The value of a field is invalid.
    #[error("column {column:?}: {found:?} is not {expected}; correct it or remove the line")]
    Value {
        /// The column.
        column: &'static str,
        /// The text found.
        found: String,
        /// The valid values, with an example.
        expected: &'static str,
    },
    /// An experiment names a processor twice.
    #[error(
        "column {column:?}: processor {processor} appears twice; the processors of {experiment} \
            must differ"
    )]
    Twice {
        /// The column.
        column: &'static str,
        /// The processor.
        processor: u32,
        /// The experiment.
        experiment: String,
    },
    /// The root is not one of the processors.
    #[error(
        "column \"i\": the root {root} is not among {procs} processors, which are numbered from 0"
    )]
    Root {
        /// The root.
        root: u32,
        /// The number of processors.
        procs: usize,
    },
    /// A key of the provenance cannot be represented.
    #[error(
        "{key:?} cannot be a key of the provenance; a key is not empty, has no colon and no line \
            break, and is not \
         \"format\""
    )]
    Key {
        /// The key.
        key: String,
    },
}

/// A defect of a samples file that does not prevent its use.
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
    #[error("{}: there is no line \"# format: orrery-samples 1\"; version 1 is \
        assumed", path.display())]
    NoFormat {
        /// The file.
        path: PathBuf,
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

use crate::file::{FileError, FileFault};

/// Why a samples file cannot be read or written.
pub type SamplesError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "samples file";
}

/// What is wrong with a samples file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; a samples file is CSV (compressed ones are recognised by their content)")]
    NotText,
    /// The compressed content is damaged.
    #[error("the compressed frame at byte {byte} is damaged ({reason}); \"zstd -d\" may rescue what stands before it")]
    Frame {
        /// Where the frame begins.
        byte: usize,
        /// What the decoder says.
        reason: String,
    },
    /// The format line names something else.
    #[error(
        "this is {found:?}, and orrery reads \"orrery-samples 1\" here: a file of another kind, or of another version"
    )]
    Format {
        /// What it names.
        found: String,
    },
    /// There is no line of column names.
    #[error("{}", if *.json {
        "this looks like JSON, perhaps a model file; a samples file is CSV and has a line of column names, \
         such as \"experiment,i,j,size,seconds\""
    } else {
        "there is no line of column names above the readings, such as \"experiment,i,j,size,seconds\""
    })]
    NoHeader {
        /// Whether it looks like JSON.
        json: bool,
    },
    /// A column is missing that every samples file has, or that a row to be written needs.
    #[error("there is no column {column:?}; name it in the line of column names, which is separated by commas")]
    NoColumn {
        /// Its name.
        column: &'static str,
    },
    /// A column is named twice.
    #[error("column {column:?} is named twice; rename or remove one of them")]
    ColumnTwice {
        /// Its name.
        column: &'static str,
    },
    /// A row has more or fewer fields than there are columns.
    #[error("there are {found} fields, but {expected} columns are named; repair the line or remove it")]
    Fields {
        /// How many fields.
        found: usize,
        /// How many columns.
        expected: usize,
    },
    /// A quoted field does not end.
    #[error("the quote that opens here is not closed on the same line; close it")]
    OpenQuote,
    /// Something stands between the end of a quoted field and the next comma.
    #[error("a comma should follow the closing quote; a quote within a quoted field is doubled")]
    BehindQuote,
    /// A field is empty that the experiment needs.
    #[error("column {column:?} is empty, but {experiment} needs it; fill it in or remove the line")]
    Missing {
        /// The column.
        column: &'static str,
        /// The experiment.
        experiment: String,
    },
    /// A field cannot be read.
    #[error("column {column:?}: {found:?} is not {expected}; correct it or remove the line")]
    Value {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// What should stand there, with an example.
        expected: &'static str,
    },
    /// Two of the processors of one experiment are the same.
    #[error("column {column:?}: processor {processor} takes part twice; the processors of {experiment} differ")]
    Twice {
        /// The column.
        column: &'static str,
        /// The processor.
        processor: u32,
        /// The experiment.
        experiment: String,
    },
    /// The root is not among the processors.
    #[error("column \"i\": the root {root} is not among {procs} processors, which are numbered from 0")]
    Root {
        /// The root.
        root: u32,
        /// How many processors take part.
        procs: usize,
    },
    /// A key of the provenance cannot be written.
    #[error(
        "{key:?} cannot be a key of the provenance; a key is not empty, has no colon and no line break, and is not \
         \"format\""
    )]
    Key {
        /// The key.
        key: String,
    },
}

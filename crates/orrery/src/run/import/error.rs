use std::path::PathBuf;

use super::ImportFormat;
use crate::json;
use crate::run::RunProblem;
use crate::run::file::RunsError;
use crate::sample::file;

/// Why runs cannot be imported. Each says where, what and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Something in a text cannot be read.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The number of the character in the line, from 1.
        column: usize,
        /// What is wrong.
        fault: Box<Fault>,
    },
    /// A runs file cannot be read.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// The text is nothing that can be imported.
    #[error(
        "{}: this looks like no output of HPL, no input of Extra-P and no CSV; say what it is with --from", path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// There is no run in the text.
    #[error("{}: there is no run here{}", path.display(), match .format {
        ImportFormat::Hpl => ": no line such as \"WR11C2R4  9600  64  1  4  12.34  4.7829e+01\"; did the benchmark end?",
        ImportFormat::Csv => " below the names of the columns",
        _ => "",
    })]
    Nothing {
        /// The file.
        path: PathBuf,
        /// What it is.
        format: ImportFormat,
    },
    /// There are several metrics, and none was chosen.
    #[error("there are several metrics: {}; say which one is the time with --metric", known.join(", "))]
    Metrics {
        /// The metrics.
        known: Vec<String>,
    },
    /// The metric that was chosen is not there.
    #[error("there is no metric {metric:?}{}", if .known.is_empty() { String::new() } else { format!("; there are {}", .known.join(", ")) })]
    Metric {
        /// The metric.
        metric: String,
        /// Those that there are.
        known: Vec<String>,
    },
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; give the file as it was written")]
    NotText,
    /// The JSON.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// The quotes of a table.
    #[error(transparent)]
    Quotes(#[from] file::Fault),
    /// A run that cannot be.
    #[error("run {run}: {fault}")]
    Run {
        /// The run.
        run: String,
        /// What is wrong with it.
        fault: RunProblem,
    },
    /// The text ends within a run.
    #[error(
        "run {run}: the file ends here in the middle of it; remove its lines to take the runs above, or give the whole \
         output"
    )]
    Torn {
        /// The run.
        run: String,
    },
    /// A field is missing.
    #[error("run {run}: {column:?} is missing from this row; repair the row or remove it")]
    Short {
        /// The run.
        run: String,
        /// The column.
        column: String,
    },
    /// A field cannot be read.
    #[error("run {run}: {column:?} is {found:?}, not {expected}; correct it or remove the run")]
    Value {
        /// The run.
        run: String,
        /// The column.
        column: String,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// Time and rate do not belong together.
    #[error(
        "run {run}: mixed units: {seconds} s would be {computed:.4e} Gflops, but {printed:.4e} is printed{}; write the time \
         in seconds and the rate in Gflops",
        if .guess.is_empty() { String::new() } else { format!(" ({guess}?)") }
    )]
    Units {
        /// The run.
        run: String,
        /// The time that is printed.
        seconds: f64,
        /// The rate of that time.
        computed: f64,
        /// The rate that is printed.
        printed: f64,
        /// What may be the cause; empty where nothing comes to mind.
        guess: &'static str,
    },
    /// A word that Extra-P does not know.
    #[error("{word:?} is no word of Extra-P; lines begin with PARAMETER, POINTS, REGION, METRIC, DATA or #")]
    Keyword {
        /// The word.
        word: String,
    },
    /// The points cannot be read.
    #[error("{found:?} is no point of {parameters} parameters; write POINTS {}", if *.parameters > 1 { "( 4 100 ) ( 8 100 )" } else { "4 8 16" })]
    Point {
        /// What stands there.
        found: String,
        /// How many parameters there are.
        parameters: usize,
    },
    /// A name is missing or given twice.
    #[error("{what} {name:?} is given twice; rename or remove one of them")]
    Twice {
        /// What it is.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// There are more or fewer lines of data than points.
    #[error("run {run}: there are {data} DATA lines for {points} points; give one for each point")]
    Data {
        /// The region and metric.
        run: String,
        /// How many lines there are.
        data: usize,
        /// How many points there are.
        points: usize,
    },
    /// A column that is mapped is not there.
    #[error("there is no column {column:?}, which --map names; the columns are {}", known.join(", "))]
    Column {
        /// The column.
        column: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No column is the time.
    #[error(
        "no column is the time; say which one with --map seconds=COLUMN (or milliseconds=COLUMN); the columns are {}",
        known.join(", ")
    )]
    NoTime {
        /// The columns.
        known: Vec<String>,
    },
    /// A column lacks another one.
    #[error("{present} needs {absent} too; map both")]
    Half {
        /// The one that is there.
        present: String,
        /// The one that is not.
        absent: String,
    },
    /// A row has more or fewer fields than there are columns.
    #[error("there are {found} fields, but {expected} columns are named; repair the line or remove it")]
    Fields {
        /// How many fields.
        found: usize,
        /// How many columns.
        expected: usize,
    },
    /// The ranks of a run disagree.
    #[error("run {run}: {name} is {second} here, but {first} for its rank before; the ranks of a run agree")]
    Ranks {
        /// The run.
        run: String,
        /// The variable.
        name: String,
        /// Its value before.
        first: f64,
        /// Its value here.
        second: f64,
    },
}

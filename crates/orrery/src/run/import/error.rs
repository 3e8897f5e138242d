use std::path::PathBuf;

use super::caliper::CaliperFault;
use super::cubex::CubexFault;
use super::format::ImportFormat;
use crate::file::{Located, Position};
use crate::json;
use crate::run::file::RunsError;
use crate::run::{ConfigurationError, RunProblem};
use crate::sample::file;

/// The reason why runs cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A fault at a known position.
    #[error("{}:{position}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line and the column.
        position: Position,
        /// The problem.
        fault: Box<Fault>,
    },
    /// A fault of a profile.
    #[error("{}: {fault}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// The problem.
        fault: CubexFault,
    },
    /// A wrong run of a profile, or one that differs from the name of the file.
    #[error("{}: {fault}", path.display())]
    ProfileRun {
        /// The file.
        path: PathBuf,
        /// The problem.
        fault: Box<Fault>,
    },
    /// A fault in a runs file.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// A text in an unknown format.
    #[error(
        "{}: the format is not recognised; formats are output of HPL, input of Extra-P, profiles \
            of Score-P and Caliper, CSV and runs files", path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// A text without runs.
    #[error("{}: no run is found{}", path.display(), match .format {
        ImportFormat::Hpl => ": no line such as \"WR11C2R4  9600  64  1  4  12.34  4.7829e+01\"; \
            give the output of a whole benchmark",
        ImportFormat::Csv => " below the column names; add a row for each run",
        _ => "",
    })]
    Nothing {
        /// The file.
        path: PathBuf,
        /// The format.
        format: ImportFormat,
    },
    /// A file whose name does not contain a configuration.
    #[error("{}: the name does not match the pattern of configurations, or is not in their table; \
        correct the pattern, or name the configuration of all runs", path.display())]
    NoConfiguration {
        /// The file.
        path: PathBuf,
    },
    /// Several metrics of Extra-P, of which none is chosen.
    #[error("there are several metrics: {}; choose the one that is the time", known.join(", "))]
    Metrics {
        /// The metrics.
        known: Vec<String>,
    },
    /// An unknown metric of Extra-P.
    #[error("unknown metric \
        {metric:?}; {}", if .known.is_empty() { "the files have no \
            metrics".to_owned() } else { format!("metrics are {}", .known.join(", ")) })]
    Metric {
        /// The metric.
        metric: String,
        /// The metrics of the files.
        known: Vec<String>,
    },
}

/// A fault of an imported text.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A binary file, or text in another encoding.
    #[error("this is not text in UTF-8; convert the file, or name another one")]
    NotText,
    /// A fault of JSON.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A fault of the quotes in a table.
    #[error(transparent)]
    Quotes(#[from] file::Fault),
    /// A fault of a profile of Caliper.
    #[error(transparent)]
    Caliper(#[from] CaliperFault),
    /// A wrong run.
    #[error("run {run}: {fault}")]
    Run {
        /// The run.
        run: String,
        /// The problem.
        fault: RunProblem,
    },
    /// A text that ends within a run.
    #[error(
        "run {run}: the file ends within this run; remove its lines to import the runs above, or \
            give the whole output"
    )]
    Truncated {
        /// The run.
        run: String,
    },
    /// A rate without a time, because of its work.
    #[error("run {run}: the work {work:?} of its rate: {reason}")]
    Work {
        /// The run.
        run: String,
        /// The expression of the work.
        work: String,
        /// The problem.
        reason: String,
    },
    /// A missing field.
    #[error("run {run}: the row has no {column:?}; add it or remove the row")]
    Short {
        /// The run.
        run: String,
        /// The column.
        column: String,
    },
    /// A wrong value.
    #[error("run {run}: {column:?} is {found:?}, not {expected}; correct it or remove the run")]
    Value {
        /// The run.
        run: String,
        /// The column.
        column: String,
        /// The value in the text.
        found: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A time and a rate in different units.
    #[error(
        "run {run}: mixed units: {seconds} s is {computed:.4e} Gflops, but {printed:.4e} is \
            printed{}; write the time \
         in seconds and the rate in Gflops",
        if .guess.is_empty() { String::new() } else { format!(" ({guess}?)") }
    )]
    Units {
        /// The run.
        run: String,
        /// The printed time.
        seconds: f64,
        /// The rate of the printed time.
        computed: f64,
        /// The printed rate.
        printed: f64,
        /// The likely cause; empty if there is none.
        guess: &'static str,
    },
    /// An unknown keyword of Extra-P.
    #[error(
        "unknown keyword {word:?}; lines of Extra-P begin with PARAMETER, POINTS, REGION, METRIC, \
            DATA or #"
    )]
    Keyword {
        /// The keyword.
        word: String,
    },
    /// A wrong point.
    #[error("{found:?} is not a point of {parameters} parameters; write \
        POINTS {}", if *.parameters > 1 { "( 4 100 ) ( 8 100 )" } else { "4 8 16" })]
    Point {
        /// The value in the text.
        found: String,
        /// The number of parameters.
        parameters: usize,
    },
    /// A reference to an entry that is missing.
    #[error("there is no {item} with the id {id}; add it, or correct the id")]
    NoEntry {
        /// The kind of entry.
        item: &'static str,
        /// The id.
        id: u64,
    },
    /// A name that occurs twice.
    #[error("{item} {name:?} occurs twice; rename or remove one of them")]
    Twice {
        /// The kind of the named item.
        item: &'static str,
        /// The name.
        name: String,
    },
    /// A wrong configuration in a table.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// A variable that differs between a run and the name of its file.
    #[error(
        "run {run}: {name} is {found}, but {by_name} by the name of the file; correct one of them"
    )]
    FileName {
        /// The run.
        run: String,
        /// The variable.
        name: String,
        /// Its value in the file.
        found: f64,
        /// Its value in the name.
        by_name: f64,
    },
    /// A number of DATA lines that differs from the number of points.
    #[error("run {run}: {data} DATA lines for {points} points; write one for each point")]
    Data {
        /// The region and the metric.
        run: String,
        /// The number of DATA lines.
        data: usize,
        /// The number of points.
        points: usize,
    },
    /// A mapped column that is missing.
    #[error("the column {column:?} is missing; columns are {}", known.join(", "))]
    Column {
        /// The column.
        column: String,
        /// The metrics of the files.
        known: Vec<String>,
    },
    /// A table without a time.
    #[error(
        "no column is the time, by its name or by a mapping; map one as seconds=COLUMN (or \
            milliseconds=COLUMN), \
         or a rate with its work as rate:2*n^3=COLUMN; columns are {}", known.join(", ")
    )]
    NoTime {
        /// The columns of the table.
        known: Vec<String>,
    },
    /// Several columns that may be the time.
    #[error("several columns may be the time: {}; map one as seconds=COLUMN (or \
        milliseconds=COLUMN)", known.join(", "))]
    SeveralTimes {
        /// The columns.
        known: Vec<String>,
    },
    /// A table without column names.
    #[error(
        "{line:?} has numbers in place of column names; add a line of names above it, such as \
            n,seconds"
    )]
    NoNames {
        /// The first line.
        line: String,
    },
    /// A column that needs another one.
    #[error(
        "the table has a column for {present}, but none for {absent}; map both, as \
            {present}=COLUMN,{absent}=COLUMN"
    )]
    Half {
        /// The meaning of the column.
        present: String,
        /// The missing meaning.
        absent: String,
    },
    /// A row with more or fewer fields than columns.
    #[error("the row has {found} fields for {expected} columns; correct it or remove it")]
    Fields {
        /// The number of fields.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// Ranks of a run with different variables.
    #[error(
        "run {run}: {name} is {second} for this rank, but {first} for another; give all ranks of a \
            run the same value"
    )]
    Ranks {
        /// The run.
        run: String,
        /// The variable.
        name: String,
        /// Its value for another rank.
        first: f64,
        /// Its value for this rank.
        second: f64,
    },
}

/// A result with the fault and its byte in the text.
pub(super) type Result<T> = std::result::Result<T, Located<Fault>>;

impl From<Located<json::Fault>> for Located<Fault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: fault.into() }
    }
}

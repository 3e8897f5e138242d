use std::path::PathBuf;

use super::Source;
use crate::sample::NativeAlgorithm;
use orrery_base::file::{self, Position};

/// The reason why the output of a benchmark cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// A line that cannot be read.
    #[error("{}:{position}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line and the column.
        position: Position,
        /// The problem.
        fault: Fault,
    },
    /// The text contains no output of a benchmark.
    #[error(
        "{}: there is no output of {} here: no line such as {}", path.display(),
        match .source_asked { Some(Source::Osu) => "OSU micro-benchmarks", Some(Source::Imb) => "Intel MPI Benchmarks",
            None => "OSU micro-benchmarks or Intel MPI Benchmarks" },
        match .source_asked { Some(Source::Imb) => "\"# Benchmarking \
            PingPong\"", _ => "\"# OSU MPI Latency Test v7.4\"" }
    )]
    Nothing {
        /// The file.
        path: PathBuf,
        /// The requested benchmark suite.
        source_asked: Option<Source>,
    },
    /// The library does not have the algorithm that it is said to have been forced to use.
    #[error("{}: {} has no algorithm \
        {}{}", path.display(), .algorithm.library, .algorithm.algorithm,
        if .known.is_empty() { String::new() } else { format!("; known are {}", .known.join(", ")) })]
    UnknownAlgorithm {
        /// The file.
        path: PathBuf,
        /// The algorithm.
        algorithm: NativeAlgorithm,
        /// The names of the library's algorithms, without fan-out and segments.
        known: Vec<String>,
    },
    /// A text is given twice, by different algorithms.
    #[error(
        "{}: this is the text of {} again, as the times of {}, not of {}; give each file \
            once", path.display(), first.display(),
        by(*now), by(*before)
    )]
    SeveralAlgorithms {
        /// The file.
        path: PathBuf,
        /// The file that was imported before.
        first: PathBuf,
        /// The algorithm of the file; `None` for the library's own choice.
        now: Option<NativeAlgorithm>,
        /// The algorithm of the file before.
        before: Option<NativeAlgorithm>,
    },
    /// The text is no result of PICO.
    #[error(
        "{}: this is no result of PICO: its first line is neither \"highest\" nor names of columns \
            with collective, algorithm and \
         median", path.display()
    )]
    NoPico {
        /// The file.
        path: PathBuf,
    },
    /// The results are of several systems or sizes of jobs, or none is selected.
    #[error(
        "{}: {} of these are selected, but a samples file has one: {}; select a system, a number \
            of nodes, a number of \
         processes per node and a \
         library", path.display(), if *.selected == 0 { "none".to_owned() } else { .selected.to_string() }, .found.join("; ")
    )]
    Setups {
        /// The file.
        path: PathBuf,
        /// What the file contains.
        found: Vec<String>,
        /// The number of those that are selected.
        selected: usize,
    },
    /// A file of single readings does not contain a number or an operation that was not selected.
    #[error("{}: single readings of PICO do not contain {what}; select it", path.display())]
    NotSelected {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
}

/// An algorithm that was forced, in words.
fn by(algorithm: Option<NativeAlgorithm>) -> String {
    algorithm
        .map_or_else(|| "the library's own choice".to_owned(), |algorithm| algorithm.to_string())
}

/// A fault of a line of the output of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; give the output of the benchmark as it was printed")]
    NotText,
    /// A row precedes the line of column names.
    #[error("this row precedes the line of column names, such as {example:?}; restore that line")]
    NoColumns {
        /// An example of such a line.
        example: &'static str,
    },
    /// There is no column of times.
    #[error(
        "none of these columns is the {wanted}; run the benchmark with its default units and output"
    )]
    NoTime {
        /// The column.
        wanted: &'static str,
    },
    /// A column is missing.
    #[error("there is no column {column:?} in the line of column names; add it")]
    NoColumn {
        /// The column.
        column: &'static str,
    },
    /// The name of a file of single readings does not contain its size, algorithm and type.
    #[error(
        "the name of this file does not contain its size, algorithm and type, such as \
            1048576_ring_ompi_int32.csv; restore its name"
    )]
    Name,
    /// The file contains times of another number of ranks than was selected.
    #[error(
        "these are the times of {found} ranks, but {selected} processes are selected; correct the \
            selection"
    )]
    Ranks {
        /// The number of ranks in the file.
        found: usize,
        /// The number of processes by the selection.
        selected: usize,
    },
    /// A row has too few fields.
    #[error("column {column:?} is missing from this row; repair the line or remove it")]
    Short {
        /// The column.
        column: &'static str,
    },
    /// The value of a field is invalid.
    #[error("column {column:?}: {found:?} is not {expected}; correct it or remove the line")]
    Value {
        /// The column.
        column: &'static str,
        /// The text found.
        found: String,
        /// The valid values.
        expected: &'static str,
    },
    /// The output does not contain the number of processes.
    #[error(
        "{benchmark} does not print the number of processes; list their processors, such as 0-15 \
            for sixteen"
    )]
    Processes {
        /// The benchmark.
        benchmark: String,
    },
    /// There are more processes than processors were given.
    #[error(
        "{benchmark} ran {needed} processes, but {given} processors are listed; list one per \
            process"
    )]
    Processors {
        /// The benchmark.
        benchmark: String,
        /// The number of processes.
        needed: usize,
        /// The number of processors given.
        given: usize,
    },
}

/// A remark on the output of a benchmark.
pub type Remark = file::Remark<RemarkKind>;

/// The reasons of remarks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemarkKind {
    /// Results of the benchmark are not imported.
    #[error(
        "{0} is skipped: only round trips, exchanges and blocking collective operations of equal \
            blocks are imported"
    )]
    OtherBenchmark(String),
    /// The benchmark calls `MPI_Reduce_scatter`.
    #[error(
        "{0} is skipped: libraries choose the algorithms of MPI_Reduce_scatter apart from those of \
            MPI_Reduce_scatter_block, which samples \
         contain; run the benchmark of the latter"
    )]
    ReduceScatter(String),
    /// The algorithm that was forced does not carry out the operation.
    #[error("{name} is skipped: {algorithm} does not carry it out")]
    NotCarriedOut {
        /// The benchmark.
        name: String,
        /// The algorithm.
        algorithm: NativeAlgorithm,
    },
    /// The library does not use the algorithm that it was forced to use.
    #[error("{0} is skipped: the library uses another algorithm there")]
    OtherAlgorithm(String),
    /// Calls without a barrier between them overlap.
    #[error(
        "{0}: no barrier is between the calls, so that they overlap and the time is too small; run \
            version 2017 or a later one with -sync on"
    )]
    Overlapping(String),
    /// The table of another data type than the first one.
    #[error(
        "{0} is skipped: only the first data type of a run is imported; run the benchmark with one \
            data type"
    )]
    FurtherDatatype(String),
    /// The data are not contiguous.
    #[error("{0} is skipped: its data have a derived data type")]
    DerivedDatatype(String),
    /// The received data are wrong.
    #[error("{0} is skipped: its validation failed")]
    Invalid(String),
    /// Operations without data.
    #[error("collective operations of 0 bytes are skipped: nothing is sent")]
    Empty,
    /// The time is a mean over concurrent pairs or groups.
    #[error(
        "{0} is skipped: its time is the mean over several concurrent pairs; measure pair by pair"
    )]
    SeveralPairs(String),
    /// The root changes between iterations.
    #[error(
        "{0} is skipped: its root changes between iterations, so that its time belongs to no root"
    )]
    RootChanges(String),
    /// The collective operation runs on other processors than 0 to n − 1.
    #[error(
        "{0} is skipped: collective operations of samples run on processors 0 to n − 1 in this \
            order"
    )]
    Placement(String),
    /// The maximum over the ranks is not printed.
    #[error(
        "{0}: only the mean over the ranks is printed, which is less than the time of the slowest; \
            run the benchmark with -f"
    )]
    MeanOverRanks(String),
    /// The benchmark did not measure a size.
    #[error("{0} is skipped: the benchmark did not measure it")]
    NotMeasured(String),
    /// The blocks of the operation are smaller than an element.
    #[error(
        "{0} is skipped: the block of each rank is less than one element, so that nothing is sent"
    )]
    NoElement(String),
    /// The buffer is no multiple of the number of ranks.
    #[error("{0} is skipped: its buffer is not divided into equal blocks")]
    UnequalBlocks(String),
    /// The text is that of another file, so that it is no further launch.
    #[error("this is the text of {} again; it is not imported, since a copy is no further \
        launch", .0.display())]
    Repeated(PathBuf),
    /// The last line has no line break and may be incomplete.
    #[error(
        "the last line has no line break and may be incomplete; it is ignored (if it is complete, \
            add the line break)"
    )]
    TornLine,
}

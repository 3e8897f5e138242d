use std::path::PathBuf;

use super::Source;

/// Why the output of a benchmark cannot be imported. Each says where, what and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// A line that cannot be read.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The number of the character in the line, from 1.
        column: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The text holds no output of a benchmark.
    #[error(
        "{}: there is no output of {} here: no line such as {}", path.display(),
        match .source_asked { Some(Source::Osu) => "OSU micro-benchmarks", Some(Source::Imb) => "Intel MPI Benchmarks",
            None => "OSU micro-benchmarks or Intel MPI Benchmarks" },
        match .source_asked { Some(Source::Imb) => "\"# Benchmarking PingPong\"", _ => "\"# OSU MPI Latency Test v7.4\"" }
    )]
    Nothing {
        /// The file.
        path: PathBuf,
        /// Which output was asked for.
        source_asked: Option<Source>,
    },
}

/// What is wrong with a line of the output of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; give the output of the benchmark as it was printed")]
    NotText,
    /// A row stands above the names of its columns.
    #[error("this row stands above the line that names its columns, such as {example:?}; restore that line")]
    NoColumns {
        /// How such a line looks.
        example: &'static str,
    },
    /// The column names do not name the time.
    #[error(
        "none of these columns is the {wanted}; was another unit or another kind of output asked of the benchmark?"
    )]
    NoTime {
        /// The column.
        wanted: &'static str,
    },
    /// A row has fewer fields than it needs.
    #[error("column {column:?} is missing from this row; repair the line or remove it")]
    Short {
        /// The column.
        column: &'static str,
    },
    /// A field cannot be read.
    #[error("column {column:?}: {found:?} is not {expected}; correct it or remove the line")]
    Value {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// The output does not say how many processes took part.
    #[error(
        "{benchmark} does not print how many processes took part; say it with --processors, such as 0-15 for sixteen"
    )]
    Processes {
        /// The benchmark.
        benchmark: String,
    },
    /// More processes took part than processors were named.
    #[error("{benchmark} of {needed} processes, but --processors names {given}; name as many")]
    Processors {
        /// The benchmark.
        benchmark: String,
        /// How many took part.
        needed: usize,
        /// How many were named.
        given: usize,
    },
}

use std::path::PathBuf;

/// Something that was left out, or that should be known of what was taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {why}", path.display())]
pub struct Remark {
    /// The file.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub line: usize,
    /// What it is.
    pub why: Why,
}

/// Why something was left out, or what should be known of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// A benchmark that is nothing that samples hold.
    #[error("{0} is left out: samples hold no such experiment")]
    OtherBenchmark(String),
    /// Several pairs or groups at the same time.
    #[error(
        "{0} is left out: it is the mean over several pairs at the same time, not the time of one; measure pair by pair"
    )]
    SeveralPairs(String),
    /// The root changed from iteration to iteration.
    #[error("{0} is left out: its root changed from iteration to iteration, so that its time belongs to no root")]
    RootChanges(String),
    /// A collective operation on processors that samples cannot hold.
    #[error("{0} is left out: collective operations of samples are of processors 0 to n − 1 in this order")]
    Placement(String),
    /// The maximum over the ranks is not there.
    #[error("{0}: only the mean over the ranks is printed, which is below the time of the slowest; run it with -f")]
    MeanOverRanks(String),
    /// A size that the benchmark gave up.
    #[error("{0} was not measured, says the benchmark; it is left out")]
    NotMeasured(String),
    /// The last line has no line break at its end.
    #[error(
        "the last line does not end with a line break, so it may be torn; it is dropped (if it is whole, add the line break)"
    )]
    TornLine,
}

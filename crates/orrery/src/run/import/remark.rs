use std::path::PathBuf;

/// Something that was left out, or that should be known of what was taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}:{line}: {kind}", path.display())]
pub struct Remark {
    /// The file.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub line: usize,
    /// What it is.
    pub kind: RemarkKind,
}

/// Why something was left out, or what should be known of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RemarkKind {
    /// The result of a run was wrong.
    #[error("run {run} FAILED its residual check: it is set aside")]
    Failed {
        /// The run.
        run: String,
    },
    /// The output ends before the benchmark does.
    #[error("the output ends here before the benchmark does: it was stopped, perhaps; the runs above are taken")]
    NotEnded,
    /// The results of runs were not checked.
    #[error("{}", if *.runs == 1 { format!("run {first} has no residual check; it is taken") } else {
        format!("{runs} runs have no residual check, the first is {first}; they are taken") })]
    Unchecked {
        /// How many runs.
        runs: usize,
        /// The first of them.
        first: String,
    },
    /// The broadcast was not timed.
    #[error(
        "the time of broadcasts is not printed (HPL as it is distributed does not take it): communication lacks it"
    )]
    NoBroadcast,
    /// The parts are of all kinds together.
    #[error("the times of phases are maxima over all kinds of processing elements; they belong to no kind")]
    AllKinds,
    /// The maxima of phases are of different processes.
    #[error(
        "run {run}: a phase is longer than the one that it belongs to, as maxima of different processes can be; its parts are left out"
    )]
    Phases {
        /// The run.
        run: String,
    },
    /// The time has no digits.
    #[error("run {run}: its time is printed as 0; it is computed from its rate")]
    FromRate {
        /// The run.
        run: String,
    },
    /// The time of all runs is computed from their rates.
    #[error("HPL-MxP prints no time; it is computed from the rate")]
    Rates,
    /// Time and rate disagree a little.
    #[error("run {run}: its time and its rate disagree by {percent:.1} %; the time is taken")]
    Disagree {
        /// The run.
        run: String,
        /// By how much.
        percent: f64,
    },
    /// Times of zero.
    #[error("{count} {} 0 s of {region} {} set aside: a time is above 0", if *.count == 1 { "time of" } else { "times of" }, if *.count == 1 { "is" } else { "are" })]
    Zeros {
        /// How many.
        count: usize,
        /// The region.
        region: String,
    },
}

impl RemarkKind {
    /// Whether it is a warning, to be told in any case.
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Disagree { .. })
    }
}

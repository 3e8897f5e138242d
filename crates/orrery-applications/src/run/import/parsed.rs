use crate::run::{Run, variable};
use orrery_base::file::{self, TORN_LINE_USED};

/// The label of a run with the metric of Extra-P.
pub(super) const METRIC: &str = "metric";

/// Content that is derived from a file may be this many times as long, which bounds the memory.
const MAX_EXPANSION: usize = 64;

/// Derived content of this many bytes is always allowed.
const ALLOWED_BYTES: usize = 1 << 20;

/// The bytes that content derived from a file may have.
pub(super) fn budget(content: &[u8]) -> usize {
    content.len().saturating_mul(MAX_EXPANSION).saturating_add(ALLOWED_BYTES)
}

/// The content of a text; each run and each remark has the byte at which it begins.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) runs: Vec<(usize, Run)>,
    pub(super) remarks: Vec<(usize, RemarkKind)>,
}

/// Returns the known properties of a run for messages:
/// `WR11C2R4 of n = 9600, block = 64, p = 1, q = 4`.
pub(super) fn describe(run: &Run) -> String {
    let variables = variable::text(&run.variables);
    let names = [run.labels.get("variant").map(String::as_str), Some(run.region.as_str())];
    let names: Vec<_> = names.into_iter().flatten().filter(|name| !name.is_empty()).collect();
    match (names.is_empty(), variables.is_empty()) {
        (false, false) => format!("{} of {variables}", names.join(" ")),
        (true, false) => format!("of {variables}"),
        _ => names.join(" "),
    }
}

/// A remark on an imported text.
pub type Remark = file::Remark<RemarkKind>;

/// The content of a remark: the reason why a run is left out, or an assumption about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RemarkKind {
    /// A run whose result is wrong.
    #[error("run {run} FAILED its residual check and is left out")]
    Failed {
        /// The run.
        run: String,
    },
    /// An output without the end of the benchmark.
    #[error("the output ends here, before the end of the benchmark; the runs above are imported")]
    NotEnded,
    /// A last line of a table that may be incomplete.
    #[error("{TORN_LINE_USED}")]
    TornLine,
    /// Runs whose results are not checked.
    #[error("{}", if *.runs == 1 { format!("run {first} has no residual check; it is \
        imported") } else {
        format!("{runs} runs have no residual check, the first is {first}; they are imported") })]
    Unchecked {
        /// The number of runs.
        runs: usize,
        /// The first one.
        first: String,
    },
    /// A communication time without broadcasts.
    #[error(
        "the time of broadcasts is not printed (HPL does not measure it unless modified); \
            communication times do not include it"
    )]
    NoBroadcast,
    /// Times that belong to no single kind.
    #[error(
        "the times of phases are maxima over all kinds of processing elements; they are assigned \
            to no kind"
    )]
    AllKinds,
    /// Maxima of phases that are of different processes.
    #[error(
        "run {run}: a phase is longer than the phase that contains it, since each is a maximum \
            over the processes; its computation and communication times are left out"
    )]
    Phases {
        /// The run.
        run: String,
    },
    /// A time that is printed as 0.
    #[error("run {run}: its time is printed as 0 and is computed from its rate")]
    FromRate {
        /// The run.
        run: String,
    },
    /// Times that are computed from rates.
    #[error("HPL-MxP prints no time; times are computed from rates")]
    Rates,
    /// A time and a rate that differ.
    #[error("run {run}: its time and its rate differ by {percent:.1} %; the time is imported")]
    Disagree {
        /// The run.
        run: String,
        /// The difference in percent.
        percent: f64,
    },
    /// A column that is the time because of its name.
    #[error("the column {column:?} is the time in {unit}")]
    AssumedTime {
        /// The column.
        column: String,
        /// The unit of the times.
        unit: &'static str,
    },
    /// Columns that are variables because they hold numbers.
    #[error("columns of numbers become variables: {}", names.join(", "))]
    Variables {
        /// The columns.
        names: Vec<String>,
    },
    /// Columns that are labels because of their content or their names.
    #[error("columns kept as labels, which models use only as categories: {}",
        columns.iter().map(|(name, reason)| format!("{name} ({reason})")).collect::<Vec<_>>().join(", "))]
    Labels {
        /// The columns and the reasons.
        columns: Vec<(String, LabelReason)>,
    },
    /// Values that describe a run and become variables because they are numbers.
    #[error("numbers that describe the run become variables: {}", names.join(", "))]
    Globals {
        /// The names of the values.
        names: Vec<String>,
    },
    /// Runs on unknown processing elements.
    #[error(
        "the output does not name the processing elements, which choices among configurations need"
    )]
    NoElements,
    /// A profile whose name contains no parameters of the run.
    #[error(
        "a profile does not contain the parameters of its run; the number of processes is the only \
            variable"
    )]
    NoParameters,
    /// Times of 0.
    #[error("{count} {} of 0 s of {region} {} left out; a time is \
        above 0", if *.count == 1 { "time" } else { "times" }, if *.count == 1 { "is" } else { "are" })]
    Zeros {
        /// The number of times.
        count: usize,
        /// The region and the metric.
        region: String,
    },
}

/// The reason why a column is a label and no variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LabelReason {
    /// It holds texts.
    #[error("text")]
    Text,
    /// It is empty in a row.
    #[error("empty in line {line}")]
    Empty {
        /// The line, from 1.
        line: usize,
    },
    /// It begins with numbers, but another row holds a text.
    #[error("no number in line {line}")]
    NotNumber {
        /// The line, from 1.
        line: usize,
    },
    /// Its name is that of a result.
    #[error("a result")]
    Result,
    /// Its name is that of numbers that identify runs.
    #[error("an identifier")]
    Identifier,
    /// It differs between the ranks of a run.
    #[error("differs between ranks")]
    Ranks,
}

impl RemarkKind {
    /// Returns true for a warning, which is not to be suppressed.
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Disagree { .. } | Self::TornLine)
    }
}

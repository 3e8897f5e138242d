use serde::de::DeserializeOwned;

use crate::budget::OverBudget;
use crate::file::{FileError, FileFault, Located};
use crate::json::{self, Node, byte_at};
use crate::sharing::ParameterError;

/// The reason why a model file cannot be read or written.
pub type ModelError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "model file";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Budget(error) = self { Some(error) } else { None }
    }
}

/// The reason why the content of a model file is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The text is not valid JSON, or a value has the wrong type.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// The content needs more memory than its budget.
    #[error(transparent)]
    Budget(#[from] OverBudget),
    /// The file is empty.
    #[error("the file is empty; write a model with \"orrery fit SAMPLES -o MODEL\"")]
    Empty,
    /// The file is a samples file.
    #[error("this is a samples file; make a model of it with \"orrery fit SAMPLES -o MODEL\"")]
    Samples,
    /// The file is JSON of another format.
    #[error(
        "the format is {found:?}, not \"orrery-model\"; name a model file, such as \"orrery fit\" \
            writes"
    )]
    Format {
        /// The name of the format that was found.
        found: String,
    },
    /// The file has another version of the format.
    #[error(
        "the version is {found}, but this version of orrery reads version 1; use the version that \
            wrote the file"
    )]
    Version {
        /// The version that was found.
        found: String,
    },
    /// The model of an application is invalid.
    #[error(
        "{reason}; write the model again with \"orrery scaling fit RUNS -o MODEL\", or correct it \
            here"
    )]
    Application {
        /// The reason.
        reason: String,
    },
    /// The file has models of an application, which the library was built without.
    #[error(
        "execution-time models of applications need the feature \"applications\" of orrery-model; \
            build with it"
    )]
    ApplicationLeftOut,
    /// A parameter of a sharing law is invalid.
    #[error("{0}; calibrate it again, or correct it")]
    Sharing(#[from] ParameterError),
    /// Thresholds are invalid.
    #[error("{reason}; estimate them again with \"orrery fit SAMPLES -o MODEL\", or correct them")]
    Thresholds {
        /// The reason.
        reason: String,
    },
    /// The model of a kernel is invalid.
    #[error("{reason}; fit it again with \"orrery fit KERNELS --into MODEL\", or correct it")]
    Kernel {
        /// The reason.
        reason: String,
    },
    /// An array has the wrong length.
    #[error("the array has {found} entries, but there are {expected} {each}{}; add or remove \
        entries", if *.expected == *.processors && *.each == "processors" { String::new() } else { format!(" of {processors} processors") })]
    Length {
        /// The number of entries of the array.
        found: usize,
        /// The number of entries expected.
        expected: usize,
        /// The number of processors.
        processors: usize,
        /// The objects with one entry each: `processors` or `pairs`.
        each: &'static str,
    },
    /// An array of a function of the size has the wrong length.
    #[error("the array has {found} entries, but there are {expected} sizes; add or remove entries")]
    Sizes {
        /// The number of entries of the array.
        found: usize,
        /// The number of sizes.
        expected: usize,
    },
    /// An array of a parameter of link groups has the wrong length.
    #[error(
        "the array has {found} entries, but the number of groups is {expected}; add or remove \
            entries"
    )]
    Groups {
        /// The number of entries.
        found: usize,
        /// The number of groups.
        expected: usize,
    },
    /// The sizes of a function do not ascend.
    #[error(
        "the sizes of a function must ascend, and there must be at least one; sort them, each once"
    )]
    Order,
    /// The length of an array of pairs is not n(n−1)/2 for any n.
    #[error(
        "the array has {found} entries, but n processors have n(n−1)/2 pairs; give one entry for \
            each pair \
         0-1, 0-2, …, 1-2, …"
    )]
    NoPairs {
        /// The number of entries of the array.
        found: usize,
    },
    /// The number of processors is missing.
    #[error(
        "the number of processors is missing; add \"processors\": [{{\"rank\": 0, \"host\": \"a\"}}, …]"
    )]
    HowMany,
    /// The model has fewer than two processors.
    #[error("communication models need two processors or more, but \
        there {}", if *.found == 1 {"is 1".to_owned()} else {format!("are {found}")})]
    TooFew {
        /// The number of processors.
        found: usize,
    },
    /// A number that must not be negative is negative.
    #[error(
        "{value:?} is negative; delays and latencies are 0 or more: measure it again, or correct it"
    )]
    Negative {
        /// The number.
        value: f64,
    },
    /// A number is not finite.
    #[error("{value} is not a finite number; measure it again, or correct it")]
    NotFinite {
        /// The number.
        value: f64,
    },
    /// A value lies outside its interval.
    #[error(
        "the value {value:?} lies outside its interval from {low:?} to {high:?}; correct one of \
            them"
    )]
    Outside {
        /// The value.
        value: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The confidence level of an interval is not between 0 and 1.
    #[error("the level {level:?} is not between 0 and 1, both excluded; write 0.95 for 95 %")]
    Level {
        /// The level.
        level: f64,
    },
    /// An interval is incomplete: it lacks an end or the level.
    #[error(
        "an interval has \"low\", \"high\" and \"level\", but here {missing:?} is missing; add it \
            or remove the others"
    )]
    HalfInterval {
        /// The missing key.
        missing: &'static str,
    },
    /// Groups of processors form no tree.
    #[error(
        "the groups form no tree: of two groups one must contain the other, or they must have no \
            processor in common, and a \
         group names a processor once; correct the groups"
    )]
    NestedGroups,
    /// A group without processors.
    #[error("this group has no processor; remove it")]
    EmptyGroup,
    /// A group occurs twice.
    #[error("this group occurs before; remove one of them")]
    SameGroup,
    /// Too many groups contain each other.
    #[error("{found} groups contain each other; at most {most} can")]
    GroupLevels {
        /// The number of these groups.
        found: usize,
        /// The largest number.
        most: usize,
    },
    /// A rank is not the number of a processor.
    #[error("rank {rank} does not fit: the ranks of {processors} processors are 0 \
        to {}", processors.saturating_sub(1))]
    Rank {
        /// The rank.
        rank: u64,
        /// The number of processors.
        processors: usize,
    },
    /// A rank is listed twice.
    #[error("rank {rank} is listed twice; each processor has a rank of its own, from 0")]
    RankTwice {
        /// The rank.
        rank: u64,
    },
    /// The measured range ends before it begins.
    #[error(
        "the measured range ends at {largest} bytes, before it begins at {smallest}; exchange \
            the two"
    )]
    Measured {
        /// The smallest size.
        smallest: u64,
        /// The largest size.
        largest: u64,
    },
    /// A record of the measurements is invalid.
    #[error("{reason}; fit the model again with \"orrery fit SAMPLES -o MODEL\", or correct it")]
    Measurements {
        /// The reason.
        reason: String,
    },
    /// A model has parameters for another number of processors.
    #[error(
        "it has {found} values, but {processors} processors need {expected}; this is a bug of the \
            caller"
    )]
    Shape {
        /// The number of values.
        found: usize,
        /// The number of values expected.
        expected: usize,
        /// The number of processors.
        processors: usize,
    },
    /// A key of the provenance is reserved.
    #[error(
        "the provenance cannot contain the key {key:?}, which is reserved for the measured range; \
            rename it"
    )]
    Key {
        /// The key.
        key: String,
    },
}

/// A result whose error has a position in the JSON.
pub(super) type Result<T> = std::result::Result<T, Located<Fault>>;

impl From<Located<json::Fault>> for Located<Fault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: fault.into() }
    }
}

/// Deserializes a value; an error has its position.
pub(super) fn parsed<T: DeserializeOwned>(node: Node) -> Result<T> {
    serde_json::from_str(node.text()).map_err(|error| {
        let words = error.to_string();
        let reason = words.split(" at line ").next().unwrap_or_default().to_owned();
        let place = byte_at(node.text(), error.line(), error.column());
        Located { byte: node.byte + place, fault: Fault::Application { reason } }
    })
}

/// Returns an error about an application at the position of a node.
pub(super) fn wrong_application(node: Node, reason: String) -> Located<Fault> {
    node.refuse(Fault::Application { reason })
}

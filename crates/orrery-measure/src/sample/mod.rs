//! Raw timings with their provenance.
//!
//! A [`Sample`] is one reading of an [`Experiment`]; [`Samples`] holds a campaign, [`Summary`] its
//! statistics. Concurrent messages have [`Timings`] and penalties ([`measured_penalties`]).

mod anchors;
mod core_sharing;
pub mod corrected_groups;
mod equal_shares;
mod exchange_set;
mod experiment;
mod experiment_kind;
mod fields;
#[cfg(feature = "estimation")]
pub mod file;
#[cfg(feature = "applications")]
pub mod import;
mod incast;
mod join;
mod kernel_conditions;
#[cfg(feature = "estimation")]
mod kernel_timings;
mod launches;
mod library_names;
mod machine_difference;
mod merge;
mod native;
mod native_conditions;
mod penalty;
#[cfg(feature = "estimation")]
pub mod points;
mod provenance;
mod reassignment;
#[cfg(feature = "applications")]
mod routine_timings;
mod samples;
mod size_readings;
mod spread;
mod suggested_groups;
mod summary;
mod supersede;
mod timings;

pub use anchors::{AnchorStage, ChangeScope, ConditionChange, condition_changes};
pub use core_sharing::SharedCores;
pub use corrected_groups::corrected_groups;
pub use exchange_set::{ExchangeSet, ExchangeTime, MeasuredSet, Slowdown, single_exchanges};
pub use experiment::Experiment;
pub use experiment_kind::ExperimentKind;
pub use fields::{ExperimentFields, PROCESSOR_COLUMNS};
pub use incast::{INCAST_READINGS, INCAST_SIZES, incast_probe};
pub use join::{JoinRemark, Joined, join, machine_differences};
pub use kernel_conditions::KernelConditions;
#[cfg(feature = "estimation")]
pub use kernel_timings::{HOST_CLASSES, HOST_MEMORY, KernelGroup, KernelReading, KernelTimings};
pub use launches::LaunchDifference;
pub use library_names::NamedAlgorithm;
pub use machine_difference::MachineDifference;
pub use merge::{Merged, OtherTiming, merge};
pub use native::{Library, LibraryAlgorithm, NativeAlgorithm};
pub use native_conditions::element_size;
pub use penalty::{MeasuredPenalty, MeasuredScheme, MedianTime, measured_penalties};
pub use provenance::{PROCESSES_PER_HOST, Provenance};
#[cfg(feature = "applications")]
pub use routine_timings::{RedistributionReading, RoutineReading, RoutineTimings};
pub use samples::{Repetition, Sample, Samples, Series, UnknownExperiment};
pub use size_readings::{SizeReadings, classify_readings};
pub use spread::{SpreadGroup, pooled_spreads};
pub(crate) use suggested_groups::similarities;
pub use suggested_groups::{suggested_groups, unlocated};
pub use summary::{Drift, LaunchSpread, OUTLIER_DEVIATIONS, Summary, summarise};
pub use supersede::{REMEASURED, Superseded, supersede};
pub use timings::{
    Communication, CommunicationMismatch, NodeMessage, TimedScheme, TimingRow, TimingSubject,
    Timings,
};

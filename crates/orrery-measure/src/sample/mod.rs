//! Raw timings with their provenance.
//!
//! A [`Sample`] is one reading of an [`Experiment`]; [`Samples`] holds a campaign, [`Summary`] its
//! statistics. Concurrent messages have [`Timings`] and penalties ([`measured_penalties`]).

#[cfg(feature = "estimation")]
mod core_sharing;
#[cfg(feature = "estimation")]
pub mod corrected_groups;
#[cfg(feature = "estimation")]
mod equal_shares;
#[cfg(feature = "estimation")]
mod exchange_set;
mod experiment;
mod experiment_kind;
mod fields;
#[cfg(feature = "estimation")]
pub mod file;
#[cfg(feature = "applications")]
pub mod import;
mod kernel_conditions;
#[cfg(feature = "estimation")]
mod kernel_timings;
mod launch_difference;
#[cfg(feature = "estimation")]
mod launches;
mod library_names;
mod machine_difference;
#[cfg(feature = "estimation")]
mod merge;
mod native;
mod native_conditions;
#[cfg(feature = "estimation")]
mod penalty;
#[cfg(feature = "estimation")]
pub mod points;
mod provenance;
#[cfg(feature = "estimation")]
mod reassignment;
#[cfg(feature = "applications")]
mod routine_timings;
#[cfg(feature = "estimation")]
mod samples;
#[cfg(feature = "estimation")]
mod size_readings;
#[cfg(feature = "estimation")]
mod spread;
#[cfg(feature = "estimation")]
mod suggested_groups;
#[cfg(feature = "estimation")]
mod summary;
#[cfg(feature = "estimation")]
mod supersede;
#[cfg(feature = "estimation")]
mod timings;

#[cfg(feature = "estimation")]
pub use core_sharing::SharedCores;
#[cfg(feature = "estimation")]
pub use corrected_groups::corrected_groups;
#[cfg(feature = "estimation")]
pub use exchange_set::{ExchangeSet, ExchangeTime, MeasuredSet, Slowdown, single_exchanges};
pub use experiment::Experiment;
pub use experiment_kind::ExperimentKind;
pub use fields::{ExperimentFields, PROCESSOR_COLUMNS};
pub use kernel_conditions::KernelConditions;
#[cfg(feature = "estimation")]
pub use kernel_timings::{HOST_CLASSES, HOST_MEMORY, KernelGroup, KernelReading, KernelTimings};
pub use launch_difference::LaunchDifference;
pub use library_names::NamedAlgorithm;
pub use machine_difference::MachineDifference;
#[cfg(feature = "estimation")]
pub use merge::{Merged, merge};
pub use native::{Library, LibraryAlgorithm, NativeAlgorithm};
pub use native_conditions::element_size;
#[cfg(feature = "estimation")]
pub use penalty::{MeasuredPenalty, MeasuredScheme, MedianTime, measured_penalties};
pub use provenance::{PROCESSES_PER_HOST, Provenance};
#[cfg(feature = "applications")]
pub use routine_timings::{RedistributionReading, RoutineReading, RoutineTimings};
#[cfg(feature = "estimation")]
pub use samples::{Repetition, Sample, Samples, Series, UnknownExperiment};
#[cfg(feature = "estimation")]
pub use size_readings::{SizeReadings, classify_readings};
#[cfg(feature = "estimation")]
pub use spread::{SpreadGroup, pooled_spreads};
#[cfg(feature = "estimation")]
pub(crate) use suggested_groups::similarities;
#[cfg(feature = "estimation")]
pub use suggested_groups::{suggested_groups, unlocated};
#[cfg(feature = "estimation")]
pub use summary::{Drift, LaunchSpread, OUTLIER_DEVIATIONS, Summary, summarise};
#[cfg(feature = "estimation")]
pub use supersede::{REMEASURED, Superseded, supersede};
#[cfg(feature = "estimation")]
pub use timings::{
    Communication, CommunicationMismatch, NodeMessage, TimedScheme, TimingRow, TimingSubject,
    Timings,
};

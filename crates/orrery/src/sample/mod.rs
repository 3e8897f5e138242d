//! Raw timings with their provenance: what was measured ([`Experiment`]), each reading ([`Sample`]), all of a campaign
//! ([`Samples`]), grouped by experiment, and what they look like ([`Summary`]). Messages that are under way at once have
//! readings of their own ([`Timings`]), and penalties ([`measured_penalties`]).

mod core_sharing;
mod experiment;
pub mod file;
pub mod import;
mod kind;
mod penalty;
pub mod points;
mod provenance;
mod samples;
mod size_readings;
mod summary;
mod timings;

pub use core_sharing::SharedCores;
pub use experiment::{Experiment, ExperimentKind};
pub use kind::{SpreadGroup, pooled_spreads};
pub use penalty::{MeasuredPenalty, MeasuredScheme, MedianTime, measured_penalties};
pub use provenance::Provenance;
pub use samples::{Repetition, Sample, Samples, Series, UnknownExperiment};
pub use size_readings::{SizeReadings, classify_readings};
pub use summary::{Drift, LaunchSpread, OUTLIER_DEVIATIONS, Summary, summarise};
pub use timings::{Communication, CommunicationMismatch, NodeMessage, TimedScheme, TimingRow, TimingSubject, Timings};

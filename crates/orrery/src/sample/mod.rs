//! Raw timings with their provenance: what was measured ([`Experiment`]), each reading ([`Sample`]), all of a campaign
//! ([`Samples`]), grouped by experiment, and what they look like ([`Summary`]).

mod experiment;
pub mod file;
pub mod import;
mod kind;
pub mod points;
mod provenance;
mod samples;
mod summary;

pub use experiment::Experiment;
pub use kind::{Kind, pooled_spreads};
pub use provenance::Provenance;
pub use samples::{Repetition, Sample, Samples, Series, Unknown};
pub use summary::{Between, Drift, OUTLIER, Summary, summarise};

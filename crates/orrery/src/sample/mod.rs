//! Raw timings with their provenance: what was measured ([`Experiment`]), each reading ([`Sample`]), all of a campaign
//! ([`Samples`]).

mod experiment;
pub mod file;
mod provenance;
mod samples;

pub use experiment::Experiment;
pub use provenance::Provenance;
pub use samples::{Sample, Samples, Series, Unknown};

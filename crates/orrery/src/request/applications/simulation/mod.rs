//! Simulations of applications: on hosts whose links are shared, on a fitted model, or in LogGOPS.
//!
//! A [`SimulatedPlatform`] is made of the links of a cluster with a flow model, of a fitted model,
//! or of parameters of LogGOPS. It places [`SimulatedApplication`]s, and runs those at the same time that
//! it is given together.

mod application;
mod choice;
mod cluster;
mod error;
mod placement;
mod platform;
mod replay;

pub use application::SimulatedApplication;
pub use choice::{CandidateNetwork, NetworkCandidate, NetworkRequest, NetworkTime, RankedNetworks};
pub use cluster::{Assumed, EagerLimits, SharedLinks, UnusedSetting, host_speeds};
pub(super) use error::of_whole_run;
pub use placement::RankPlacement;
pub use platform::{PlacedApplication, SimulatedPlatform};

//! Simulations of applications: on hosts whose links are shared, on a fitted model, or in LogGOPS.
//!
//! A [`SimulatedPlatform`] is made of a [`Cluster`] and a network, of a fitted model, or of
//! parameters of LogGOPS. It places [`SimulatedApplication`]s, and runs those at the same time that
//! it is given together.

mod application;
mod cluster;
mod error;
mod placement;
mod platform;
mod replay;

pub use application::SimulatedApplication;
pub use cluster::{Cluster, EagerLimits, SharedLinks, UnusedSetting};
pub use placement::RankPlacement;
pub use platform::{PlacedApplication, SimulatedPlatform};

//! Point-to-point communication models: their parameters, their estimation from samples, what they predict.
//!
//! Each model is a network for the engine ([`crate::engine::Network`]): it says what a message occupies and for how
//! long. Estimation and prediction both play schedules on that network, so they share one reading of every experiment.

mod error;
mod fitted;
pub mod hlmo;
pub mod hockney;
pub mod lmo;
pub mod loggp;
mod observation;
pub mod plogp;
mod point_to_point;
mod ports;
mod rows;
mod small;
pub mod thresholds;
mod trains;

pub use error::FitError;
pub use fitted::FittedNetwork;
pub use hlmo::Hlmo;
pub use hockney::Hockney;
pub use lmo::Lmo;
pub use loggp::LogGp;
pub use observation::{Observation, Observations};
pub use plogp::PLogP;
pub use point_to_point::{Contribution, NamedParameters, ParameterId, PointToPoint, Predicted, predict};
pub use thresholds::{Escalation, Thresholds};

//! Point-to-point communication models: parameters, estimation from samples, prediction.
//!
//! [`ModelKind`] lists the kinds of models. Each is a network for the engine ([`crate::engine::Network`]): it determines
//! which resources a message occupies and for how long. Estimation and prediction both play schedules on that network,
//! so an experiment has one meaning in both.

mod combination;
mod correlations;
#[cfg(feature = "estimation")]
mod critical_path_fit;
mod definition;
#[cfg(feature = "estimation")]
mod error;
#[cfg(feature = "estimation")]
mod estimated_correlations;
#[cfg(feature = "estimation")]
mod estimator;
#[cfg(feature = "estimation")]
mod fit_by_class;
pub mod hlmo;
pub mod hockney;
mod kind;
pub mod lmo;
pub mod loggp;
#[cfg(feature = "estimation")]
mod observation;
mod parameters;
#[cfg(feature = "estimation")]
mod path_search;
pub mod plogp;
mod point_to_point;
mod port_times;
pub mod ports;
pub mod thresholds;
#[cfg(feature = "estimation")]
mod trains;
mod within_host;

pub use combination::{COMBINATION, Combining};
pub use correlations::Correlations;
pub(crate) use correlations::{CorrelatedNames, ParameterErrors};
pub use definition::ModelDefinition;
#[cfg(feature = "estimation")]
pub use error::FitError;
#[cfg(feature = "estimation")]
pub use estimator::{BASIC_EXPERIMENTS, Estimated, EstimationOptions, Estimator, Termination};
#[cfg(feature = "estimation")]
pub(crate) use fit_by_class::fit_by_class;
pub use hlmo::Hlmo;
pub use hockney::Hockney;
pub use kind::ModelKind;
pub use lmo::Lmo;
pub use loggp::LogGp;
#[cfg(feature = "estimation")]
pub use observation::{Observation, Observations};
pub use parameters::{
    Index, ParameterGroup, ParameterSet, ParameterSpec, ParameterUnit, ParameterValues, Shape, TypedParameters,
};
pub use plogp::PLogP;
pub use point_to_point::{Contribution, FittedNetwork, NamedParameters, ParameterId, PointToPoint, Predicted, predict};
pub use ports::Ports;
pub use thresholds::{Escalation, Thresholds};
pub(crate) use within_host::{ByClass, WITHIN_HOST};

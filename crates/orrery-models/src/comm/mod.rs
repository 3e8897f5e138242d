//! Point-to-point communication models: parameters, estimation from samples, prediction.
//!
//! [`ModelKind`] lists the kinds of models. Each is a network for the engine
//! ([`orrery_play::engine::Network`]): it determines which resources a message occupies and for how long.
//! Estimation and prediction both play schedules on that network, so an experiment has one meaning
//! in both.

pub(crate) mod backlog;
mod combination;
mod correlations;
mod definition;
#[cfg(feature = "estimation")]
mod estimation;
pub mod hockney;
mod kind;
pub mod lmo;
pub mod loggp;
mod parameters;
pub mod plogp;
mod point_to_point;
pub mod ports;
pub mod thresholds;
mod within_host;

pub use combination::{COMBINATION, Combining};
pub use correlations::{CorrelatedNames, Correlations, ParameterErrors};
pub use definition::{MakeNetwork, ModelDefinition};
#[cfg(feature = "estimation")]
pub(crate) use estimation::fit_by_class;
#[cfg(feature = "estimation")]
pub use estimation::{
    BASIC_EXPERIMENTS, Estimated, EstimationOptions, Estimator, FitError, FitParameters,
    Observation, Observations, Termination,
};
pub use hockney::Hockney;
pub use kind::ModelKind;
pub use lmo::{Hlmo, Lmo};
pub use loggp::LogGp;
pub use parameters::{
    Index, ParameterGroup, ParameterSet, ParameterSpec, ParameterUnit, ParameterValues, Shape,
    TypedParameters,
};
pub use plogp::PLogP;
pub(crate) use point_to_point::first_interval;
pub use point_to_point::{
    Contribution, FittedNetwork, NamedParameters, ParameterId, PointToPoint, Predicted, predict,
};
pub use ports::Ports;
pub use thresholds::{Escalation, Thresholds};
pub(crate) use within_host::{ByClass, WITHIN_HOST};

//! Replay of schedules on a cluster whose links are shared.
//!
//! A [`Simulation`] takes a schedule, for example that of a [`crate::trace`], a
//! [`Topology`](orrery_cluster::platform::Topology), the host of each rank and a [`FlowModel`]. Each message
//! is a flow; rates are updated when a flow starts or ends. The [`Outcome`] holds the times of each
//! task and, if recorded, the [`Communication`]s with their penalties and losses.
//!
//! [`loggp`] replays graphs of operations without sharing, [`replay_point_to_point`] schedules on a
//! point-to-point model.

mod communication;
mod completion_queue;
mod conflict_recorder;
mod end_derivatives;
mod error;
mod flow_derivatives;
mod flow_model;
mod flow_numbers;
#[cfg(feature = "estimation")]
mod flow_set;
mod handshake;
mod jobs;
#[cfg(feature = "applications")]
pub mod loggp;
mod measured_times;
mod message_flow;
mod message_order;
mod outcome;
mod point_to_point;
mod program;
mod rank_state;
mod replay;
mod route_demand;
mod scheme;
mod send_buffer;
mod simulation;
mod size_law;
mod sweep;

pub use crate::engine::{Event, EventSink};
pub use communication::{Communication, Loss, PairLoss, TaskConflicts};
pub use error::SimulationError;
pub use flow_model::{FlowModel, SettingEffect};
#[cfg(feature = "estimation")]
pub use flow_set::{FlowSet, SetFlow};
pub use jobs::JobOutcome;
pub use measured_times::{Comparison, MeasuredTimes, MeasuredTimesError, Quantity, TaskComparison};
pub use outcome::{Outcome, TaskTimes};
pub use point_to_point::replay_point_to_point;
pub use scheme::replay_scheme;
pub use simulation::Simulation;
pub use size_law::{SizeEffect, SizeLaw};
pub use sweep::{Objective, Ranked, rank, sweep, without_sharing};

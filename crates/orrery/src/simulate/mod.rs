//! Replay of schedules on a cluster whose links are shared: every transfer is a flow, and what flows do to each other is
//! found anew whenever one starts or ends.
//!
//! A [`Simulation`] takes a schedule, say of a [`crate::trace`], a [`Topology`](crate::platform::Topology), the hosts of
//! the ranks and a [`FlowModel`]. It gives an [`Outcome`]: when each task ended, what it had spent its time on, and, where
//! asked, which [`Communication`] lost how much to which other.
//!
//! [`loggp`] replays graphs of operations where no transfer minds another.

mod communication;
mod dates;
mod error;
mod flow;
mod jobs;
pub mod loggp;
mod losses;
mod measured;
mod model;
mod numbers;
mod outcome;
mod point_to_point;
mod run;
mod scheme;
mod simulation;
mod sweep;
mod task;
mod watch;
mod wires;

pub use communication::{Communication, Loss, PairLoss, TaskConflicts};
pub use error::{Blocked, SimulationError};
pub use jobs::JobOutcome;
pub use measured::{Comparison, MeasuredTimes, MeasuredTimesError, Quantity, TaskComparison};
pub use model::FlowModel;
pub use outcome::{Event, Outcome, TaskTimes};
pub use point_to_point::replay_point_to_point;
pub use scheme::replay_scheme;
pub use simulation::Simulation;
pub use sweep::{Objective, Ranked, rank, sweep, without_sharing};

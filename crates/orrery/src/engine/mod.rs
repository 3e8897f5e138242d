//! The one event engine: it plays a schedule in virtual time on a [`Network`] and can keep the critical path.
//!
//! A rank is a program and a processor. The program goes through its operations in order; what costs time becomes
//! *ready* and is served by the processor, one thing at a time, in the order of becoming ready, ties by insertion,
//! without pre-emption. The network says what a message occupies and for how long. Time is finite f64 seconds; events
//! are taken in the order (time, insertion), so the same input gives the same output on any machine.
//!
//! For every event the engine can keep the event that it waited for. Along that critical path the time is a sum of
//! coefficient × parameter: a [`Row`] for least squares, and the explanation of a prediction.

mod check;
#[expect(clippy::module_inception, reason = "the engine itself")]
mod engine;
mod error;
mod irregularity;
mod network;
mod outcome;
mod path;
mod play;
mod queue;
mod rank;

pub use check::check;
pub use engine::Engine;
pub use error::{Blocked, EngineError};
pub use irregularity::Irregularity;
pub use network::{Message, Network, Rendezvous, Sent};
pub use outcome::Outcome;
pub use path::{CONSTANT, Moment, Path, Row, Step, Term};
pub use play::{Observer, OperationRecord};

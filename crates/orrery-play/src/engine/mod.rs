//! The event engine: plays a schedule in virtual time on a [`Network`] and can keep the critical
//! path.
//!
//! A rank consists of a program and a processor. The program executes its operations in order. An
//! operation that takes time becomes *ready* and is served by the processor: one at a time, in the
//! order of becoming ready, ties by insertion, without preemption. The network determines which
//! resources a message occupies and for how long. Time is finite f64 seconds. Events are handled in
//! the order (time, insertion), so the same input has the same output on every machine.
//!
//! The engine can keep, for every event, the event that it waited for. Along this critical path the
//! time is a sum of coefficient × parameter: a [`Row`] for least squares, and the explanation of a
//! prediction.

mod ahead;
mod check;
#[expect(clippy::module_inception, reason = "the engine itself")]
mod engine;
mod irregularity;
mod matched;
mod matched_engine;
mod matched_run;
mod matched_state;
mod network;
mod outcome;
mod path;
mod play;
mod queue;
mod rank;
mod rank_events;
mod rendezvous;

pub use check::{check, runs_synchronously};
pub use engine::{Engine, EngineError};
pub use irregularity::Irregularity;
pub use matched::MatchedCollective;
pub use matched_engine::{Completion, MatchedEngine};
pub use network::{
    Message, Network, Occupancy, Protocol, SenderContention, Sent, Synchronous, UniformNetwork,
    single_message,
};
pub use outcome::Outcome;
pub use path::{CONSTANT, Moment, Path, Row, Step, Term};
pub use play::{Event, EventSink};

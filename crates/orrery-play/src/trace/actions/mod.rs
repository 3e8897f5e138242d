//! The actions of each rank, in order: the form in memory of time-independent and binary traces.
//!
//! A [`Trace`] holds the actions of each rank, the communicators of collective operations, and the
//! line of each action in its source. A loop is stored once. [`Trace::schedule`] makes a schedule
//! of it, with collective operations as the messages of SimGrid's default algorithms. A
//! [`TraceBuilder`] records a trace action by action, as the readers in [`super::tit`] and
//! [`super::binary`] do.

mod action;
mod builder;
mod collective;
mod communicators;
mod loops;
mod schedule;
mod totals;
mod trace;

pub use action::{Action, CollectiveKind};
pub use builder::TraceBuilder;
pub use collective::CollectiveAlgorithms;
pub use communicators::WORLD;
pub use schedule::TraceSchedule;
pub use totals::{ActionTotals, RankProfile, TooManyOperations, WriteError};
pub use trace::{Location, Trace};

pub(super) use communicators::Communicators;
pub(super) use loops::Segment;
pub(super) use trace::RankActions;

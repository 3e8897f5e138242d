//! What each rank did, in order: the one form that traces of all formats are read into.
//!
//! A [`Trace`] holds the actions of each rank once, blocks that are repeated too, the communicators of collective
//! operations and where each action stands. [`Trace::schedule`] makes a schedule of it, collective operations spelt out
//! in messages as SimGrid's default algorithms are. A [`TraceBuilder`] makes one action by action; readers of [`super::tit`]
//! and [`super::binary`] do.

mod action;
mod alltoall;
mod blocks;
mod collective;
mod communicators;
mod extent;
mod mistake;
mod place;
mod profile;
mod recorder;
mod reduce_scatter;
mod replay;
mod trace;

pub use action::{Action, CollectiveKind};
pub use communicators::WORLD;
pub use extent::TooManyActions;
pub use mistake::RecordError;
pub use place::Location;
pub use profile::{ActionTotals, RankProfile};
pub use recorder::TraceBuilder;
pub use replay::TraceSchedule;
pub use trace::Trace;

pub(super) use blocks::Block;
pub(super) use communicators::Communicators;
pub(super) use trace::RankActions;

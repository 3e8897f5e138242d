//! Schedules: the operations of each rank, written once and then run on a machine, predicted by a
//! model or simulated.
//!
//! A [`Schedule`] returns the [`Operation`]s of a rank one at a time, so that a program need not be
//! stored whole. A [`Program`] describes a schedule in a form that can be sent to the processes of
//! a machine; it is itself a schedule. Its variants are [`RoundTrip`], [`OneToTwo`], [`Train`],
//! [`Collective`], [`ConcurrentMessages`] and, for all others, [`Explicit`]. A [`MatchQueue`] holds
//! messages or receives until they are matched, [`Requests`] are those of posted transfers, and a
//! [`Deadlock`] is the report about blocked ranks: whatever runs schedules uses them.

mod collective;
mod concurrent;
mod deadlock;
mod jobs;
mod matching;
mod operation;
mod point_to_point;
mod program;
mod requests;
mod text;
mod timing;
mod train;

pub use collective::{Algorithm, Arrival, Call, Collective, CollectiveKind, Data, DataSizes, Step};
pub use concurrent::{Completion, ConcurrentMessage, ConcurrentMessages};
pub use deadlock::{Blocked, Deadlock};
pub use jobs::{Job, Jobs};
pub use matching::{EntryId, MatchQueue};
pub use operation::{Operation, Rank, Request, Tag, Timer, Transfer};
pub use point_to_point::{Exchanges, Explicit, OneToTwo, RoundTrip, SendReceive, TwoToOne};
pub use program::Program;
pub use requests::{RequestError, RequestTable, Requests};
pub use text::GoalText;
pub use timing::{Reading, Reducer, Timing};
pub use train::{Train, TrainKind};

/// For each rank, an ordered list of elementary operations, returned one at a time.
///
/// ```
/// use orrery_program::schedule::{Cursor, Operation, Rank, RoundTrip, Schedule, Transfer};
/// use orrery_base::units::Bytes;
/// let round_trip = RoundTrip { out: Bytes::new(4096), back: Bytes::ZERO };
/// let mut cursor = Cursor::default();
/// let first = round_trip.next(Rank(0), &mut cursor);
/// assert!(matches!(first, Some(Operation::Do(Transfer::Send { to: Rank(1), .. }))));
/// ```
pub trait Schedule {
    /// Returns the number of ranks, numbered from 0.
    fn ranks(&self) -> usize;

    /// Returns the operation of `rank` at `cursor` and advances the cursor; `None` if the rank has
    /// finished.
    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation>;
}

impl<S: Schedule + ?Sized> Schedule for &S {
    fn ranks(&self) -> usize {
        (**self).ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        (**self).next(rank, cursor)
    }
}

/// The position of a rank in its schedule. The default is the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The statement of the program: a collective in a sequence, a line of a trace.
    pub statement: u32,
    /// The operation inside that statement.
    pub step: u32,
}

impl Cursor {
    /// Returns the current step and advances the cursor by one step.
    pub fn advance(&mut self) -> usize {
        self.step += 1;
        self.step as usize - 1
    }
}

/// Returns all operations of one rank, in order.
pub fn operations<S: Schedule + ?Sized>(
    schedule: &S,
    rank: Rank,
) -> impl Iterator<Item = Operation> + '_ {
    let mut cursor = Cursor::default();
    std::iter::from_fn(move || schedule.next(rank, &mut cursor))
}

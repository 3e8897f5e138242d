use super::communication::Communication;
use crate::schedule::{Operation, Rank};
use crate::units::{Bytes, Seconds};

/// What a task (a rank) spent its time on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TaskTimes {
    /// When it ended.
    pub end: Seconds,
    /// Computing.
    pub computing: Seconds,
    /// Waiting by the clock.
    pub sleeping: Seconds,
    /// Waiting in transfers and for them.
    pub communicating: Seconds,
    /// Bytes that it sent.
    pub sent: Bytes,
    /// Bytes that it received.
    pub received: Bytes,
    /// Messages that it sent.
    pub messages: u64,
}

/// An operation that took a task some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The task.
    pub rank: Rank,
    /// The statement of its schedule, as its cursor counts.
    pub statement: u32,
    /// What it did.
    pub operation: Operation,
    /// When it began.
    pub start: Seconds,
    /// When it ended.
    pub end: Seconds,
    /// The communication whose end it waited for, as its place in the outcome; `None` unless those were asked for.
    pub communication: Option<usize>,
}

/// What a simulation gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When the last task ended.
    pub end: Seconds,
    /// The tasks in the order of ranks.
    pub tasks: Vec<TaskTimes>,
    /// The operations that took time, in the order in which they ended; empty unless they were asked for.
    pub events: Vec<Event>,
    /// The messages in the order in which they met their receives; empty unless they were asked for.
    pub communications: Vec<Communication>,
    /// How many times the sharing of some links was found anew.
    pub rate_updates: u64,
}

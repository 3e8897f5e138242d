use std::cmp::Ordering;
use std::collections::BinaryHeap;

use orrery_base::units::Seconds;
use orrery_program::schedule::{Rank, Tag};

/// An event at a moment of virtual time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EngineEvent {
    /// The processor of a rank has finished a service.
    Served { rank: u32 },
    /// The work with this number becomes ready.
    Ready { work: u32 },
    /// The message with this number has arrived, or is received, and its send waits for that.
    Delivered { message: u32 },
    /// Receives of a tag, among them some from any source, are matched with arrived messages of a
    /// rank, after all other events of this time.
    Arrivals { rank: Rank, tag: Tag },
}

/// An event with its time and its insertion number.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time: Seconds,
    order: u64,
    event: EngineEvent,
}

/// A priority queue of events by (time, insertion); arrivals come after all other events of the
/// same time.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Entry>,
    inserted: u64,
}

/// The bit of the insertion number that sorts arrivals behind other events of the same time.
const LATE: u64 = 1 << 63;

impl Queue {
    /// Removes all events.
    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.inserted = 0;
    }

    /// Adds an event.
    pub(super) fn push(&mut self, time: Seconds, event: EngineEvent) {
        let late = if matches!(event, EngineEvent::Arrivals { .. }) { LATE } else { 0 };
        self.heap.push(Entry { time, order: self.inserted | late, event });
        self.inserted += 1;
    }

    /// Removes and returns the earliest event; `None` if there is none.
    pub(super) fn pop(&mut self) -> Option<(Seconds, EngineEvent)> {
        self.heap.pop().map(|entry| (entry.time, entry.event))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The greatest entry is the earliest event.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then_with(|| other.order.cmp(&self.order))
    }
}

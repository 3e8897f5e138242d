use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::units::Seconds;

/// What happens at a moment of virtual time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The processor of a rank has finished what it was serving.
    Served { rank: u32 },
    /// A matched receive becomes ready; its number.
    Ready { receive: u32 },
    /// Receives from any source of a rank take what has arrived; after everything else of the instant.
    Arrivals { rank: u32 },
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    time: Seconds,
    order: u64,
    event: Event,
}

/// Events in the order of (time, insertion); those marked late come after all others of their instant.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Entry>,
    inserted: u64,
}

const LATE: u64 = 1 << 63;

impl Queue {
    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.inserted = 0;
    }

    pub(super) fn push(&mut self, time: Seconds, event: Event) {
        let late = if matches!(event, Event::Arrivals { .. }) { LATE } else { 0 };
        self.heap.push(Entry { time, order: self.inserted | late, event });
        self.inserted += 1;
    }

    pub(super) fn pop(&mut self) -> Option<(Seconds, Event)> {
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

/// The greatest entry is the one that happens first.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then_with(|| other.order.cmp(&self.order))
    }
}

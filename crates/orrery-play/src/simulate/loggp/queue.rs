use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::event_key::EventKey;

/// Pending events, none of which is earlier than the last one taken: a radix heap.
///
/// An event is in the bucket of the highest bit in which its time differs from the present time.
/// The next time is in the lowest bucket that is not empty; when it becomes the present time, the
/// events of this bucket move to lower ones. An event moves a few times, and is compared with events
/// of its time only. Source: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest
/// path problem" (1990).
#[derive(Debug)]
pub(super) struct Queue {
    /// The bits of the present time. Times are not negative, so the bits have the same order.
    time: u64,
    /// The events of the present time.
    present: BinaryHeap<Reverse<EventKey>>,
    /// Later events by bit.
    later: [Vec<EventKey>; 64],
    /// A bit for each bucket that is not empty.
    filled: u64,
}

impl Queue {
    /// Creates an empty queue.
    pub(super) fn new() -> Self {
        let later = std::array::from_fn(|_| Vec::new());
        Self { time: 0, present: BinaryHeap::new(), later, filled: 0 }
    }

    /// Adds an event at the present time or later.
    pub(super) fn push(&mut self, event: EventKey) {
        match (event.time().to_bits() ^ self.time).checked_ilog2() {
            None => self.present.push(Reverse(event)),
            Some(bit) => {
                self.later[bit as usize].push(event);
                self.filled |= 1 << bit;
            }
        }
    }

    /// Removes and returns the earliest event.
    pub(super) fn pop(&mut self) -> Option<EventKey> {
        if self.present.is_empty() && self.filled > 0 {
            let bit = self.filled.trailing_zeros() as usize;
            let mut events = std::mem::take(&mut self.later[bit]);
            self.filled &= self.filled - 1;
            self.time = events.iter().fold(u64::MAX, |least, one| least.min(one.time().to_bits()));
            events.drain(..).for_each(|event| self.push(event));
            // It keeps its memory; all events have moved to lower buckets.
            self.later[bit] = events;
        }
        self.present.pop().map(|Reverse(event)| event)
    }
}

//! The pending events of a replay.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::event_key::EventKey;

/// Pending events by time; simultaneous ones are in the order of entry, which a postponed event
/// keeps.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Events that have entered for the present time, in order. They need no heap: at the
    /// beginning they are all operations without dependencies.
    present: VecDeque<EventKey>,
    /// All others.
    others: BinaryHeap<Reverse<EventKey>>,
    /// The number of events that have entered.
    entered: u32,
    /// The time of the event that was returned last.
    now: f64,
}

impl Queue {
    /// Adds an event at a time in nanoseconds, or at the present time if that has passed.
    pub(super) fn enter(&mut self, time: f64, number: u32) {
        let event = EventKey::new(time.max(self.now), self.entered, number);
        self.entered += 1;
        if event.is_at(self.now) {
            self.present.push_back(event);
        } else {
            self.others.push(Reverse(event));
        }
    }

    /// Puts an event back for a time in nanoseconds, or for the present time if that has passed.
    pub(super) fn postpone(&mut self, event: EventKey, time: f64) {
        self.others.push(Reverse(event.with_time(time.max(self.now))));
    }

    /// Removes and returns the next event.
    pub(super) fn next(&mut self) -> Option<EventKey> {
        let is_present = self
            .present
            .front()
            .is_some_and(|present| self.others.peek().is_none_or(|Reverse(other)| present < other));
        let event = if is_present {
            self.present.pop_front()
        } else {
            self.others.pop().map(|Reverse(event)| event)
        };
        self.now = event.map_or(self.now, EventKey::time);
        event
    }

    /// The number of events that have entered.
    pub(super) fn entered(&self) -> u32 {
        self.entered
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    /// Compares the queue with a sorted set, with events for the present and postponed ones.
    #[test]
    fn events_come_in_order_of_time_and_entry() {
        let (mut queue, mut known) = (Queue::default(), BTreeSet::new());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |below: u64| rng.random_range(0..below);
        let mut now = 0_u64;
        for entered in 0..20_000_u32 {
            let time = now + random(4) * random(1000);
            queue.enter(time as f64, entered);
            known.insert((time, entered));
            for _ in 0..random(3) {
                let Some((time, number)) = known.pop_first() else { break };
                let event = queue.next().unwrap();
                assert_eq!((event.time(), event.number()), (time as f64, number));
                now = time;
                if random(4) == 0 {
                    let later = now + random(2) * random(500);
                    queue.postpone(event, later as f64);
                    known.insert((later, number));
                }
            }
        }
        while let Some((time, number)) = known.pop_first() {
            let event = queue.next().unwrap();
            assert_eq!((event.time(), event.number()), (time as f64, number));
        }
        assert!(queue.next().is_none() && queue.entered() == 20_000);
    }
}

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// An event: the attempt to start an operation, or the arrival of the message of a send.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    /// The bits of the time. Times are not negative, so the bits have the same order.
    time: u64,
    /// The order of simultaneous events: the number of entry, kept when an event is postponed.
    number: u32,
    /// The operation, with the highest bit for an arrival.
    operation_and_kind: u32,
}

/// The bit that marks arrivals.
const ARRIVAL: u32 = 1 << 31;

impl Event {
    /// The time of the event.
    pub(super) fn time(&self) -> f64 {
        f64::from_bits(self.time)
    }

    /// The order among simultaneous events.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The operation of the event.
    pub(super) fn operation(&self) -> u32 {
        self.operation_and_kind & !ARRIVAL
    }

    /// Returns true for the arrival of a message.
    pub(super) fn is_arrival(&self) -> bool {
        self.operation_and_kind & ARRIVAL != 0
    }
}

/// Simultaneous events are ordered by number.
impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Event {}

/// A radix heap of pending events.
///
/// Times never decrease. An event is in the bucket of the highest bit in which its time differs
/// from the present time. The next time is in the lowest bucket that is not empty; when it becomes
/// the present time, the events of this bucket move to lower ones. An event moves a few times, in
/// bulk, and is not compared with others. Source: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster
/// algorithms for the shortest path problem" (1990).
#[derive(Debug)]
pub(super) struct Queue {
    /// The bits of the present time.
    time: u64,
    /// The events of the present time by number.
    present: Vec<Event>,
    /// The number of present events already taken.
    taken: usize,
    /// Further events of the present time, which entered earlier than some that are present.
    resumed: BinaryHeap<Reverse<Event>>,
    /// The buckets by bit.
    buckets: [Vec<Event>; 64],
    /// A bit for each bucket that is not empty.
    filled: u64,
    /// The number of events entered: at most one per operation and one per message, which fits into
    /// 32 bits.
    entered: u32,
}

impl Queue {
    /// Creates an empty queue.
    pub(super) fn new() -> Self {
        let buckets = std::array::from_fn(|_| Vec::new());
        let (present, resumed) = (Vec::new(), BinaryHeap::new());
        Self { time: 0, present, taken: 0, resumed, buckets, filled: 0, entered: 0 }
    }

    /// Adds an event at a time in nanoseconds, or at the present time if that has passed: the
    /// arrival of the message of a send, or the attempt to start an operation.
    pub(super) fn enter(&mut self, time: f64, operation: u32, arrival: bool) {
        let operation_and_kind = if arrival { operation | ARRIVAL } else { operation };
        let event =
            Event { time: time.to_bits().max(self.time), number: self.entered, operation_and_kind };
        self.entered += 1;
        if event.time > self.time {
            return self.put(event);
        }
        if self.taken == self.present.len() {
            self.clear_present();
        }
        self.present.push(event);
    }

    /// Puts an event back for a time that is later than its own.
    pub(super) fn postpone(&mut self, event: Event, time: f64) {
        debug_assert!(time > event.time(), "it would be tried again at once");
        self.put(Event { time: time.to_bits(), ..event });
    }

    /// Puts an event back for this time or, if that has passed, for the present.
    pub(super) fn resume(&mut self, event: Event, time: f64) {
        let event = Event { time: time.to_bits().max(self.time), ..event };
        if event.time > self.time { self.put(event) } else { self.resumed.push(Reverse(event)) }
    }

    /// Removes and returns the next event; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Event> {
        if let Some(Reverse(resumed)) = self.resumed.peek()
            && self.present.get(self.taken).is_none_or(|present| resumed < present)
        {
            return self.resumed.pop().map(|Reverse(event)| event);
        }
        if self.taken == self.present.len() {
            self.advance()?;
        }
        self.taken += 1;
        Some(self.present[self.taken - 1])
    }

    /// The number of events entered.
    pub(super) fn entered(&self) -> u64 {
        self.entered.into()
    }

    /// Adds an event to the bucket of its time.
    fn put(&mut self, event: Event) {
        let bit = (event.time ^ self.time).ilog2();
        self.buckets[bit as usize].push(event);
        self.filled |= 1 << bit;
    }

    /// Removes the events of the present time.
    fn clear_present(&mut self) {
        self.present.clear();
        self.taken = 0;
    }

    /// Advances to the time of the next events; `None` at the end.
    fn advance(&mut self) -> Option<()> {
        self.clear_present();
        let lowest = self.filled.trailing_zeros() as usize;
        let mut bucket = std::mem::take(self.buckets.get_mut(lowest)?);
        self.filled &= self.filled - 1;
        self.time = bucket.iter().map(|event| event.time).min()?;
        for event in bucket.drain(..) {
            if event.time == self.time { self.present.push(event) } else { self.put(event) }
        }
        self.buckets[lowest] = bucket;
        self.present.sort_unstable_by_key(|event| event.number);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    #[test]
    fn events_come_in_order_of_time_and_entry() {
        let mut queue = Queue::new();
        let mut known = std::collections::BTreeSet::new();
        let mut now = 0_u64;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |below: u64| rng.random_range(0..below);
        for entered in 0..20_000_u32 {
            let time = now + random(4) * random(1000);
            queue.enter(time as f64, entered, entered % 3 == 0);
            known.insert((time, entered));
            for _ in 0..random(3) {
                let Some(first) = known.pop_first() else { break };
                let event = queue.next().unwrap();
                assert_eq!((event.time(), event.operation()), (first.0 as f64, first.1));
                assert_eq!(event.is_arrival(), first.1 % 3 == 0);
                now = first.0;
                if random(4) == 0 {
                    let later = now + 1 + random(500);
                    queue.postpone(event, later as f64);
                    known.insert((later, first.1));
                }
            }
        }
        while let Some(first) = known.pop_first() {
            let event = queue.next().unwrap();
            assert_eq!((event.time(), event.operation()), (first.0 as f64, first.1));
        }
        assert!(queue.next().is_none());
    }
}

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is to be tried at some time: an operation, or the arrival of the message of a send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// The bits of the time, which is not negative: they are ordered as the times are.
    time: u64,
    /// Of equal times, what was entered first; kept when it is put back.
    number: u64,
    /// The operation, with the highest bit for an arrival.
    what: u32,
}

const ARRIVAL: u32 = 1 << 31;

impl Event {
    pub(super) fn time(&self) -> f64 {
        f64::from_bits(self.time)
    }

    pub(super) fn operation(&self) -> u32 {
        self.what & !ARRIVAL
    }

    pub(super) fn is_arrival(&self) -> bool {
        self.what & ARRIVAL != 0
    }
}

/// The events to come, the earliest first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<Event>>,
    entered: u64,
}

impl Queue {
    pub(super) fn enter(&mut self, time: f64, operation: u32, arrival: bool) {
        let what = if arrival { operation | ARRIVAL } else { operation };
        self.heap.push(Reverse(Event { time: time.to_bits(), number: self.entered, what }));
        self.entered += 1;
    }

    /// Puts an event back for a later time.
    pub(super) fn put_back(&mut self, event: Event, time: f64) {
        self.heap.push(Reverse(Event { time: time.to_bits(), ..event }));
    }

    pub(super) fn next(&mut self) -> Option<Event> {
        self.heap.pop().map(|Reverse(event)| event)
    }

    /// How many events were entered.
    pub(super) fn entered(&self) -> u64 {
        self.entered
    }
}

//! The pending events of a simulation, at most one for each number.

use std::hint::select_unpredictable;

/// The pending events of ranks and flows: at most one for each number, the earliest first.
///
/// Completion times are kept by number in blocks. A 4-ary tournament tree holds a lower bound for
/// each block. An event that moves to an earlier time lowers the bound of its block. An event that
/// moves to a later time leaves the bound stale; the bound is corrected when it reaches the root.
/// Most events move several times before that.
#[derive(Debug, Default)]
pub(super) struct CompletionQueue {
    blocks: Vec<Block>,
    /// The tournament tree: node n is the minimum of nodes 4·n to 4·n + 3, which are adjacent. Node
    /// 1 is the root; the nodes from `first_leaf` on are the bounds of the blocks.
    tree: Vec<[Bound; WAYS]>,
    /// The number of the first leaf, a power of [`WAYS`].
    first_leaf: usize,
}

/// The pending events of adjacent numbers.
type Block = [PendingEvent; WIDTH];

/// The number of events in a block.
const WIDTH: usize = 16;

/// The number of children of a tree node.
const WAYS: usize = 4;

/// The pending event of a number: none, an end at a time, or an uncontended duration whose end is
/// set later.
///
/// It is stored as one number, so that the events of a block are compared as vectors: the time of
/// the end, infinity for no event, and an uncontended duration below zero.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
struct PendingEvent(f64);

impl PendingEvent {
    /// No event.
    const NONE: Self = Self(f64::INFINITY);

    /// An event at a time.
    const fn at(time: f64) -> Self {
        Self(time)
    }

    /// An event after an uncontended duration, whose time is set later.
    const fn uncontended(duration: f64) -> Self {
        Self(-duration)
    }

    /// The time left at `now`: until the end, or the uncontended duration. No branch depends on
    /// which of the two it is.
    fn remaining(self, now: f64) -> f64 {
        // The other one of the two numbers is below zero.
        max(self.0 - now, -self.0)
    }

    /// The time of the end; infinite without an event.
    fn time(self) -> f64 {
        self.0
    }
}

/// A lower bound of the completion times of a block.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// The bits of the time. Times are not negative, so the bits have the same order.
    bits: u64,
    block: u32,
}

impl CompletionQueue {
    /// Removes the earliest event and all that are later by at most the relative `tolerance`;
    /// returns the earliest time in seconds, and `None` if there is no event.
    ///
    /// `due` receives the times and numbers in order, simultaneous events by number.
    pub(super) fn pop(&mut self, tolerance: f64, due: &mut Vec<(f64, usize)>) -> Option<f64> {
        due.clear();
        let mut first = f64::INFINITY;
        while let Some(&[_, Bound { bits, block }, ..]) = self.tree.first() {
            let (bound, block) = (f64::from_bits(bits), block as usize);
            let limit = (min(first, bound) * (1.0 + tolerance)).min(f64::MAX);
            if bound > limit {
                break;
            }
            let (mut is_due, least) = split(&self.blocks[block], limit);
            self.set_bound(block, least);
            let events = &mut self.blocks[block];
            while is_due > 0 {
                let k = is_due.trailing_zeros() as usize % WIDTH;
                is_due &= is_due - 1;
                let time = std::mem::replace(&mut events[k], PendingEvent::NONE).time();
                first = min(first, time);
                due.push((time, WIDTH * block + k));
            }
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if !due.is_sorted_by(|a, b| order(a, b).is_lt()) {
            due.sort_unstable_by(order);
        }
        first.is_finite().then_some(first)
    }

    /// Sets the bound of a block to a time, which may be later than before.
    #[inline]
    fn set_bound(&mut self, block: usize, time: f64) {
        let mut bound = Bound { bits: time.to_bits(), block: block as u32 };
        let mut node = self.first_leaf + block;
        while node > 1 {
            let siblings = &mut self.tree[node / WAYS];
            let own = node % WAYS;
            // Equal bounds are taken in the order of siblings, so that blocks come in order. The
            // minimum of the others does not depend on this bound, which is not known yet.
            let [a, b, c] = [1, 2, 3].map(|k| siblings[(own + k) % WAYS]);
            siblings[own] = bound;
            bound = earlier(bound, earlier(earlier(a, b), c));
            node /= WAYS;
        }
        self.tree[0][1] = bound;
    }

    /// Sets the time of a number's event.
    pub(super) fn set(&mut self, number: usize, time: f64) {
        self.set_all([(number, ())], |_, ()| time);
    }

    /// Registers an uncontended duration in seconds as the event of a number; call
    /// [`CompletionQueue::rescale_remaining`] before [`CompletionQueue::pop`].
    pub(super) fn set_uncontended(&mut self, number: usize, duration: f64) {
        self.blocks.as_flattened_mut()[number] = PendingEvent::uncontended(duration);
    }

    /// The time in seconds until the event of a number, or its uncontended duration; infinite
    /// without an event.
    pub(super) fn remaining(&self, number: usize, now: f64) -> f64 {
        self.blocks.as_flattened()[number].remaining(now)
    }

    /// Multiplies the remaining time of some events by a factor each: the old rate over the new
    /// one.
    #[inline]
    pub(super) fn rescale_remaining(
        &mut self,
        now: f64,
        factors: impl IntoIterator<Item = (usize, f64)>,
    ) {
        // Times beyond all numbers are the largest number, so that they remain events.
        self.set_all(factors, |event, factor| min(f64::MAX, now + event.remaining(now) * factor));
    }

    /// Sets the times of some events to what `time` returns for the present event and the second
    /// value of the pair.
    #[inline]
    fn set_all<T>(
        &mut self,
        numbers: impl IntoIterator<Item = (usize, T)>,
        time: impl Fn(PendingEvent, T) -> f64,
    ) {
        let (events, bounds) = (self.blocks.as_flattened_mut(), self.tree.as_flattened_mut());
        for (number, value) in numbers {
            let time = time(events[number], value);
            events[number] = PendingEvent::at(time);
            let block = number / WIDTH;
            let (bits, mut node) = (time.to_bits(), self.first_leaf + block);
            // The bound of node 0 is 0, which ends the loop.
            while bits < bounds[node].bits {
                bounds[node] = Bound { bits, block: block as u32 };
                node /= WAYS;
            }
        }
    }

    /// Makes room for the numbers below `end`.
    pub(super) fn reserve(&mut self, end: usize) {
        self.blocks.resize(end.div_ceil(WIDTH), [PendingEvent::NONE; WIDTH]);
        if self.blocks.len() <= self.first_leaf {
            return;
        }
        let bounds = self.tree.as_flattened().get(self.first_leaf..).unwrap_or_default().to_vec();
        while self.first_leaf < self.blocks.len() {
            self.first_leaf = (WAYS * self.first_leaf).max(WAYS);
        }
        self.tree = vec![
            [Bound { bits: f64::INFINITY.to_bits(), block: 0 }; WAYS];
            2 * self.first_leaf / WAYS
        ];
        self.tree[0][0].bits = 0;
        for (block, bound) in bounds.into_iter().enumerate() {
            self.set_bound(block, f64::from_bits(bound.bits));
        }
    }
}

/// The earlier of two bounds; the first one if they are equal.
///
/// The result is unpredictable, so that it is selected without a branch.
fn earlier(a: Bound, b: Bound) -> Bound {
    let is_a = a.bits <= b.bits;
    Bound {
        bits: select_unpredictable(is_a, a.bits, b.bits),
        block: select_unpredictable(is_a, a.block, b.block),
    }
}

/// The events of a block that are not after `limit`, one bit for each, and the earliest time of the
/// others.
///
/// The compiler makes vector instructions of numbers that are selected and combined lane by lane;
/// the bits are numbers, whose sum is exact, for the same reason.
fn split(block: &Block, limit: f64) -> (u32, f64) {
    let is_due = block.map(|event| event.time() <= limit);
    let bits = std::array::from_fn(|k| if is_due[k] { f64::from(1_u32 << k) } else { 0.0 });
    let later = std::array::from_fn(|k| if is_due[k] { f64::INFINITY } else { block[k].time() });
    (combine(bits, |a, b| a + b) as u32, combine(later, min))
}

/// Combines the numbers of a block to one, as a tree whose branches are independent.
fn combine(numbers: [f64; WIDTH], operation: impl Fn(f64, f64) -> f64) -> f64 {
    let eight: [f64; 8] = std::array::from_fn(|k| operation(numbers[k], numbers[k + 8]));
    let four: [f64; 4] = std::array::from_fn(|k| operation(eight[k], eight[k + 4]));
    operation(operation(four[0], four[2]), operation(four[1], four[3]))
}

/// The larger number, as one instruction: `f64::max` also handles NaN.
fn max(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The smaller number, as one instruction.
fn min(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_after_any_moves() {
        let mut queue = CompletionQueue::default();
        let mut expected_events = std::collections::BTreeMap::new();
        let mut due = Vec::new();
        for k in 0..5000_usize {
            let (number, time) = (k * 7919 % (1 + k).min(701), (1000 + k * 104_729 % 997) as f64);
            queue.reserve((1 + k).min(701));
            queue.set(number, time);
            expected_events.insert(number, time);
            // Most events move several times before the first one is removed.
            if k % 7 == 0 {
                let first = expected_events.values().copied().fold(f64::INFINITY, f64::min);
                let tolerance = (k % 11) as f64 / 1000.0;
                let limit = first * (1.0 + tolerance);
                let mut expected: Vec<(f64, usize)> =
                    expected_events.iter().map(|(&number, &time)| (time, number)).collect();
                expected.retain(|(time, _)| *time <= limit);
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                expected_events.retain(|_, time| *time > limit);
                assert_eq!(queue.pop(tolerance, &mut due), Some(first));
                assert_eq!(due, expected);
            }
        }
        assert!(expected_events.len() > 100);
        assert!(queue.pop(f64::INFINITY, &mut due).is_some());
        assert_eq!((due.len(), queue.pop(0.0, &mut due)), (expected_events.len(), None));
    }

    #[test]
    fn remaining_times_are_rescaled() {
        let mut queue = CompletionQueue::default();
        let mut due = Vec::new();
        queue.reserve(40);
        queue.set_uncontended(39, 2.0);
        queue.set(7, 5.0);
        queue.rescale_remaining(1.0, [(39, 2.5), (7, 0.5)]);
        assert_eq!((queue.pop(0.0, &mut due), &due[..]), (Some(3.0), &[(3.0, 7)][..]));
        assert_eq!((queue.pop(0.0, &mut due), &due[..]), (Some(6.0), &[(6.0, 39)][..]));
        assert_eq!(queue.pop(0.0, &mut due), None);
    }

    #[test]
    fn times_beyond_all_numbers_remain_events() {
        let mut queue = CompletionQueue::default();
        let mut due = Vec::new();
        queue.reserve(3);
        (0..3).for_each(|number| queue.set_uncontended(number, number as f64));
        queue.rescale_remaining(1.0, (0..3).map(|number| (number, f64::INFINITY)));
        queue.rescale_remaining(1.0, [(2, 0.0)]);
        assert_eq!((queue.pop(0.0, &mut due), due.len()), (Some(1.0), 1));
        assert_eq!((queue.pop(0.0, &mut due), due.len()), (Some(f64::MAX), 2));
    }

    #[test]
    fn events_remain_when_room_is_made() {
        let mut queue = CompletionQueue::default();
        let mut due = Vec::new();
        for number in 0..3000 {
            queue.reserve(number + 1);
            queue.set(number, if number == 40 { 1.0 } else { 2.0 });
            if number >= 40 {
                assert_eq!(
                    (queue.pop(0.5, &mut due), &due[..]),
                    (Some(1.0), &[(1.0, 40)][..]),
                    "with {number}"
                );
                queue.set(40, 1.0);
            }
        }
    }
}

use std::hint::select_unpredictable;

use wide::f64x2;

/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// The dates stand by number in blocks, and for each block there is a bound that none of its dates is before. A tournament of the
/// bounds tells which block is next. A date that is moved to an earlier one takes the bound of its block along. Of one that is
/// moved to a later one the bound knows nothing, until it is the least of all and turns out to be no date: most dates are moved
/// several times before it comes to that.
#[derive(Debug, Default)]
pub(super) struct Dates {
    blocks: Vec<Block>,
    /// Node n is the least of nodes 4·n to 4·n + 3, which stand together. Node 1 is the least of all; beginning with `first` the
    /// nodes are those of the blocks.
    tournament: Vec<[Bound; WAYS]>,
    /// A power of [`WAYS`].
    first: usize,
}

/// Dates that are looked at together.
type Block = [f64; WIDTH];

const WIDTH: usize = 16;

const WAYS: usize = 4;

/// None of the dates of a block is before this one.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// The bits of the date, which has no sign: they are in the order of dates and need no branches to compare.
    date: u64,
    block: u32,
}

/// What stands where there is no date.
const NEVER: f64 = f64::INFINITY;

impl Dates {
    /// Takes out the earliest dates, with their numbers, in order: the first, which it tells, and those that are later by no more
    /// than this part of it. Equal dates are in the order of numbers.
    pub(super) fn next(&mut self, part: f64, due: &mut Vec<(f64, usize)>) -> Option<f64> {
        due.clear();
        let mut first = NEVER;
        while let Some(&[_, Bound { date, block }, ..]) = self.tournament.first() {
            let (bound, block) = (f64::from_bits(date), block as usize);
            let limit = (less(first, bound) * (1.0 + part)).min(f64::MAX);
            if bound > limit {
                break;
            }
            let (mut is_due, least) = split(&self.blocks[block], limit);
            self.bound(block, least);
            let dates = &mut self.blocks[block];
            while is_due > 0 {
                let k = is_due.trailing_zeros() as usize % WIDTH;
                is_due &= is_due - 1;
                let date = std::mem::replace(&mut dates[k], NEVER);
                first = less(first, date);
                due.push((date, WIDTH * block + k));
            }
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if !due.is_sorted_by(|a, b| order(a, b).is_lt()) {
            due.sort_unstable_by(order);
        }
        first.is_finite().then_some(first)
    }

    /// Sets the bound of a block, which may be a later one than before.
    #[inline]
    fn bound(&mut self, block: usize, date: f64) {
        let mut bound = Bound { date: date.to_bits(), block: block as u32 };
        let mut node = self.first + block;
        while node > 1 {
            let nodes = &mut self.tournament[node / WAYS];
            let own = node % WAYS;
            // Of equal ones the next is taken, so that blocks come in their order. What the others are is known before what this is.
            let [a, b, c] = [1, 2, 3].map(|k| nodes[(own + k) % WAYS]);
            nodes[own] = bound;
            bound = earlier(bound, earlier(earlier(a, b), c));
            node /= WAYS;
        }
        self.tournament[0][1] = bound;
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        self.move_all([(number, ())], |_, ()| date);
    }

    /// A number begins, which takes so long if nothing stretches it; it has no date until it is stretched.
    pub(super) fn begin(&mut self, number: usize, takes: f64) {
        self.blocks.as_flattened_mut()[number] = -takes;
    }

    /// Moves the dates of some numbers, none of which is before `now`: what is left until then takes so many times as long.
    #[inline]
    pub(super) fn stretch(&mut self, now: f64, times: impl IntoIterator<Item = (usize, f64)>) {
        // What has begun without a date stands there below zero. What is beyond all numbers, or none, is at their end.
        self.move_all(times, |date, times| less(f64::MAX, now + more(date - now, -date) * times));
    }

    /// Moves the dates of some numbers by what is told for each.
    #[inline]
    fn move_all<T>(&mut self, numbers: impl IntoIterator<Item = (usize, T)>, to: impl Fn(f64, T) -> f64) {
        let (dates, bounds) = (self.blocks.as_flattened_mut(), self.tournament.as_flattened_mut());
        for (number, by) in numbers {
            let date = to(dates[number], by);
            dates[number] = date;
            let block = number / WIDTH;
            let (date, mut node) = (date.to_bits(), self.first + block);
            // It comes to an end at node 0, which no date is before.
            while date < bounds[node].date {
                bounds[node] = Bound { date, block: block as u32 };
                node /= WAYS;
            }
        }
    }

    /// Makes room for so many numbers.
    pub(super) fn make_room(&mut self, numbers: usize) {
        self.blocks.resize(numbers.div_ceil(WIDTH), [NEVER; WIDTH]);
        if self.blocks.len() <= self.first {
            return;
        }
        let bounds = self.tournament.as_flattened().get(self.first..).unwrap_or_default().to_vec();
        while self.first < self.blocks.len() {
            self.first = (WAYS * self.first).max(WAYS);
        }
        self.tournament = vec![[Bound { date: NEVER.to_bits(), block: 0 }; WAYS]; 2 * self.first / WAYS];
        self.tournament[0][0].date = 0;
        for (block, bound) in bounds.into_iter().enumerate() {
            self.bound(block, f64::from_bits(bound.date));
        }
    }
}

/// The earlier one of two bounds, of equal ones the first. Which one it is cannot be foreseen, so that nothing branches on it.
fn earlier(a: Bound, b: Bound) -> Bound {
    let is_a = a.date <= b.date;
    Bound { date: select_unpredictable(is_a, a.date, b.date), block: select_unpredictable(is_a, a.block, b.block) }
}

/// Which dates of a block are not after `limit`, one bit for each, and the earliest of the others.
fn split(block: &Block, limit: f64) -> (u32, f64) {
    let (dates, limit) = (pairs(block), f64x2::splat(limit));
    let is_due = dates.map(|pair| pair.simd_le(limit));
    let bits = (0..WIDTH / 2).fold(0, |bits, k| bits | is_due[k].to_bitmask() << (2 * k));
    let never = f64x2::splat(NEVER);
    (bits, least_of(&std::array::from_fn(|k| dates[k] + (is_due[k] & never))))
}

fn pairs(block: &Block) -> [f64x2; WIDTH / 2] {
    std::array::from_fn(|k| f64x2::new([block[2 * k], block[2 * k + 1]]))
}

/// The least of some numbers; in lanes that do not wait for each other.
fn least_of(pairs: &[f64x2; WIDTH / 2]) -> f64 {
    let four: [f64x2; 4] = std::array::from_fn(|k| pairs[k].fast_min(pairs[k + 4]));
    let [a, b] = four[0].fast_min(four[2]).fast_min(four[1].fast_min(four[3])).to_array();
    less(a, b)
}

fn more(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

fn less(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_in_order_wherever_they_are_moved() {
        let mut dates = Dates::default();
        let mut known = std::collections::BTreeMap::new();
        let mut due = Vec::new();
        for k in 0..5000_usize {
            let (number, date) = (k * 7919 % (1 + k).min(701), (1000 + k * 104_729 % 997) as f64);
            dates.make_room((1 + k).min(701));
            dates.set(number, date);
            known.insert(number, date);
            // Most are moved several times before the first is asked for.
            if k % 7 == 0 {
                let first = known.values().copied().fold(f64::INFINITY, f64::min);
                let part = (k % 11) as f64 / 1000.0;
                let limit = first * (1.0 + part);
                let mut expected: Vec<(f64, usize)> = known.iter().map(|(&number, &date)| (date, number)).collect();
                expected.retain(|(date, _)| *date <= limit);
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                known.retain(|_, date| *date > limit);
                assert_eq!(dates.next(part, &mut due), Some(first));
                assert_eq!(due, expected);
            }
        }
        assert!(known.len() > 100);
        assert!(dates.next(f64::INFINITY, &mut due).is_some());
        assert_eq!((due.len(), dates.next(0.0, &mut due)), (known.len(), None));
    }

    #[test]
    fn what_is_left_is_stretched() {
        let mut dates = Dates::default();
        let mut due = Vec::new();
        dates.make_room(40);
        dates.begin(39, 2.0);
        dates.set(7, 5.0);
        dates.stretch(1.0, [(39, 2.5), (7, 0.5)]);
        assert_eq!((dates.next(0.0, &mut due), &due[..]), (Some(3.0), &[(3.0, 7)][..]));
        assert_eq!((dates.next(0.0, &mut due), &due[..]), (Some(6.0), &[(6.0, 39)][..]));
        assert_eq!(dates.next(0.0, &mut due), None);
    }

    #[test]
    fn what_takes_beyond_all_numbers_has_a_date() {
        let mut dates = Dates::default();
        let mut due = Vec::new();
        dates.make_room(3);
        (0..3).for_each(|number| dates.begin(number, number as f64));
        dates.stretch(1.0, (0..3).map(|number| (number, f64::INFINITY)));
        dates.stretch(1.0, [(2, 0.0)]);
        assert_eq!((dates.next(0.0, &mut due), due.len()), (Some(1.0), 1));
        assert_eq!((dates.next(0.0, &mut due), due.len()), (Some(f64::MAX), 2));
    }

    #[test]
    fn dates_stay_when_room_is_made() {
        let mut dates = Dates::default();
        let mut due = Vec::new();
        for number in 0..3000 {
            dates.make_room(number + 1);
            dates.set(number, if number == 40 { 1.0 } else { 2.0 });
            if number >= 40 {
                assert_eq!((dates.next(0.5, &mut due), &due[..]), (Some(1.0), &[(1.0, 40)][..]), "with {number}");
                dates.set(40, 1.0);
            }
        }
    }
}

use wide::f64x2;

/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// A tree of bounds: at the bottom the dates by number, above them for each block a bound that none of its dates is before,
/// and so on. A date that is moved to an earlier one takes the bounds above it along. Of one that is moved to a later one the
/// bounds know nothing, until they are the least of all and turn out to be no date: most dates are moved several times before
/// it comes to that. Equal dates are in the order of numbers by themselves.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// From the bottom to the top.
    levels: Vec<Vec<Block>>,
    /// For each block at the top a bound that none of its dates is before.
    tops: [f64; TOP],
}

/// Dates or bounds that are looked at together.
type Block = [f64; WIDTH];

const WIDTH: usize = 16;

/// So many blocks are the top at most.
const TOP: usize = 4;

/// What stands where there is no date.
const NEVER: f64 = f64::INFINITY;

impl Dates {
    /// Takes out the earliest dates, with their numbers, in order: the first, which it tells, and those that are later by no more
    /// than this part of it.
    pub(super) fn next(&mut self, part: f64, due: &mut Vec<(f64, usize)>) -> Option<f64> {
        due.clear();
        let mut first = NEVER;
        loop {
            let tops = self.tops;
            let least = less(less(tops[0], tops[1]), less(tops[2], tops[3]));
            let limit = (less(first, least) * (1.0 + part)).min(f64::MAX);
            if least > limit {
                break;
            }
            for (block, top) in self.tops.iter_mut().enumerate() {
                if *top <= limit {
                    *top = take(&mut self.levels, block, limit, due);
                }
            }
            first = due.iter().fold(NEVER, |first, &(date, _)| less(first, date));
            if first <= least {
                break;
            }
        }
        if due.len() > 1 {
            due.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        first.is_finite().then_some(first)
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        self.move_all([(number, ())], |_, ()| date);
    }

    /// A number begins, which takes so long if nothing stretches it; it has no date until it is stretched.
    pub(super) fn begin(&mut self, number: usize, takes: f64) {
        self.levels[0].as_flattened_mut()[number] = -takes;
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
        let Self { levels, tops } = self;
        let [places, bounds, higher @ ..] = levels.as_mut_slice() else { return };
        let (places, bounds) = (places.as_flattened_mut(), bounds.as_flattened_mut());
        for (number, by) in numbers {
            let date = to(places[number], by);
            places[number] = date;
            let mut block = number / WIDTH;
            if date < bounds[block] {
                bounds[block] = date;
                for level in &mut *higher {
                    block /= WIDTH;
                    let bound = &mut level.as_flattened_mut()[block];
                    *bound = less(*bound, date);
                }
                let top = &mut tops[block / WIDTH % TOP];
                *top = less(*top, date);
            }
        }
    }

    /// Makes room for so many numbers.
    pub(super) fn make_room(&mut self, numbers: usize) {
        let mut blocks = numbers.div_ceil(WIDTH);
        for level in 0.. {
            if level == self.levels.len() {
                let below = level.checked_sub(1).map_or(&[][..], |below| &self.levels[below]);
                let bounds =
                    below.chunks(WIDTH).map(|below| std::array::from_fn(|k| below.get(k).map_or(NEVER, earliest)));
                self.levels.push(bounds.collect());
            }
            self.levels[level].resize(blocks, [NEVER; WIDTH]);
            if level > 0 && blocks <= TOP {
                let top = &self.levels[level];
                self.tops = std::array::from_fn(|k| top.get(k).map_or(NEVER, earliest));
                return;
            }
            blocks = blocks.div_ceil(WIDTH);
        }
    }
}

/// Takes out what is due below a block of the highest of these levels, and brings its bounds up to date; gives the earliest of
/// what stays.
fn take(levels: &mut [Vec<Block>], block: usize, limit: f64, due: &mut Vec<(f64, usize)>) -> f64 {
    let Some((level, below)) = levels.split_last_mut() else { return NEVER };
    let dates = &mut level[block];
    // What stands in the block is read before it is written.
    let (mut is_due, mut least) = split(dates, limit);
    while is_due > 0 {
        let k = is_due.trailing_zeros() as usize % WIDTH;
        is_due &= is_due - 1;
        let number = WIDTH * block + k;
        if below.is_empty() {
            due.push((std::mem::replace(&mut dates[k], NEVER), number));
        } else {
            dates[k] = take(below, number, limit, due);
            least = less(least, dates[k]);
        }
    }
    least
}

/// Which dates of a block are not after `limit`, one bit for each, and the earliest of the others.
fn split(block: &Block, limit: f64) -> (u32, f64) {
    let (dates, limit) = (pairs(block), f64x2::splat(limit));
    let is_due = dates.map(|pair| pair.simd_le(limit));
    let bits = (0..WIDTH / 2).fold(0, |bits, k| bits | is_due[k].to_bitmask() << (2 * k));
    let never = f64x2::splat(NEVER);
    (bits, least_of(&std::array::from_fn(|k| dates[k] + (is_due[k] & never))))
}

/// The earliest date of a block.
fn earliest(block: &Block) -> f64 {
    least_of(&pairs(block))
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

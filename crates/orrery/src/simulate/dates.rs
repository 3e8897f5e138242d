/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// A tree of minima: at the bottom the dates by number, above them the earliest of each block, and so on. Most dates are moved
/// several times before the earliest is asked for; only then the levels above are brought up to date. Equal dates are in the
/// order of numbers by themselves.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// From the bottom to the top.
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    blocks: Vec<Block>,
    /// One bit for each block: whether its earliest may be another one than what stands above it.
    changed: Vec<u64>,
}

/// Dates that are looked at together.
type Block = [f64; WIDTH];

const WIDTH: usize = 16;

/// So many blocks are the top at most.
const TOP: usize = 4;

const BITS: usize = u64::BITS as usize;

/// What stands where there is no date.
const NEVER: f64 = f64::INFINITY;

impl Dates {
    /// Takes out the earliest dates, with their numbers, in order: the first, which it tells, and those that are later by no more
    /// than this part of it.
    pub(super) fn next(&mut self, part: f64, due: &mut Vec<(f64, usize)>) -> Option<f64> {
        for level in 1..self.levels.len() {
            if let [below, above @ ..] = &mut self.levels[level - 1..] {
                below.tell(above);
            }
        }
        let top = self.levels.len().checked_sub(1)?;
        let blocks = &self.levels[top].blocks;
        let of_blocks: [f64; TOP] = std::array::from_fn(|k| blocks.get(k).map_or(NEVER, earliest));
        let first = less(less(of_blocks[0], of_blocks[1]), less(of_blocks[2], of_blocks[3]));
        if !first.is_finite() {
            return None;
        }
        due.clear();
        let limit = (first * (1.0 + part)).min(f64::MAX);
        for (block, earliest) in of_blocks.into_iter().enumerate() {
            if earliest <= limit {
                take(&mut self.levels, top, block, limit, due);
            }
        }
        if due.len() > 1 {
            due.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Some(first)
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        self.set_all([(number, date)]);
    }

    /// Sets the dates of some numbers, or moves them.
    #[inline]
    pub(super) fn set_all(&mut self, dates: impl IntoIterator<Item = (usize, f64)>) {
        let [Level { blocks, changed }, Level { blocks: above, .. }, ..] = self.levels.as_mut_slice() else { return };
        let (places, above) = (blocks.as_flattened_mut(), above.as_flattened());
        for (number, date) in dates {
            let old = std::mem::replace(&mut places[number], date);
            mark(changed, above, number / WIDTH, old, date);
        }
    }

    /// Makes room for so many numbers.
    pub(super) fn make_room(&mut self, numbers: usize) {
        let mut blocks = numbers.div_ceil(WIDTH);
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Level::default());
                // What has been the top so far was told to nobody.
                if let Some(below) = level.checked_sub(1).map(|below| &mut self.levels[below]) {
                    (0..below.blocks.len()).for_each(|block| below.changed[block / BITS] |= 1 << (block % BITS));
                }
            }
            self.levels[level].blocks.resize(blocks, [NEVER; WIDTH]);
            self.levels[level].changed.resize(blocks.div_ceil(BITS), 0);
            if level > 0 && blocks <= TOP {
                return;
            }
            blocks = blocks.div_ceil(WIDTH);
        }
    }
}

/// A date of a block is another one now: notes it if its earliest may be another one than stands above.
fn mark(changed: &mut [u64], above: &[f64], block: usize, old: f64, date: f64) {
    // Whether it is cannot be foreseen, so that nothing branches on it.
    let is_other = u64::from(date < above[block]) | u64::from(old <= above[block]);
    changed[block / BITS] |= is_other << (block % BITS);
}

impl Level {
    /// Brings the level above up to date.
    fn tell(&mut self, above: &mut [Self]) {
        let Some((Self { blocks, changed }, over)) = above.split_first_mut() else { return };
        let places = blocks.as_flattened_mut();
        for (k, bits) in self.changed.iter_mut().enumerate() {
            let mut open = std::mem::take(bits);
            while open > 0 {
                let block = BITS * k + open.trailing_zeros() as usize;
                open &= open - 1;
                let date = earliest(&self.blocks[block]);
                let old = std::mem::replace(&mut places[block], date);
                if let Some(over) = over.first() {
                    mark(changed, over.blocks.as_flattened(), block / WIDTH, old, date);
                }
            }
        }
    }
}

/// Takes out what stands below a block.
fn take(levels: &mut [Level], level: usize, block: usize, limit: f64, due: &mut Vec<(f64, usize)>) {
    let mut is_due = not_after(&levels[level].blocks[block], limit);
    while is_due > 0 {
        let below = WIDTH * block + is_due.trailing_zeros() as usize;
        is_due &= is_due - 1;
        if level > 0 {
            take(levels, level - 1, below, limit, due);
        } else {
            let Level { blocks, changed } = &mut levels[0];
            due.push((std::mem::replace(&mut blocks.as_flattened_mut()[below], NEVER), below));
            changed[block / BITS] |= 1 << (block % BITS);
        }
    }
}

/// One bit for each date of a block: whether it is not after `limit`.
fn not_after(block: &Block, limit: f64) -> u32 {
    (0..WIDTH).fold(0, |bits, k| bits | u32::from(block[k] <= limit) << k)
}

/// The earliest date of a block; in lanes that do not wait for each other.
fn earliest(block: &Block) -> f64 {
    let eight: [f64; 8] = std::array::from_fn(|k| less(block[k], block[k + 8]));
    let four: [f64; 4] = std::array::from_fn(|k| less(eight[k], eight[k + 4]));
    less(less(four[0], four[2]), less(four[1], four[3]))
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

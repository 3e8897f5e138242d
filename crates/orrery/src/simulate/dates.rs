/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// A tree of minima: at the bottom the dates by number, above them the earliest of each block, and so on. Most dates are moved
/// several times before the earliest is asked for; only then the levels above are brought up to date. Equal dates are in the
/// order of numbers by themselves.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// From the bottom to the top.
    levels: Vec<Level>,
    /// The earliest of each block at the top, when the first date was asked for.
    earliest: [f64; TOP],
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
    /// The earliest date.
    pub(super) fn first(&mut self) -> Option<f64> {
        for level in 1..self.levels.len() {
            if let [below, above @ ..] = &mut self.levels[level - 1..] {
                below.tell(above);
            }
        }
        let top = self.levels.last()?;
        self.earliest = std::array::from_fn(|k| top.blocks.get(k).map_or(NEVER, earliest));
        let first = self.earliest.into_iter().fold(NEVER, less);
        first.is_finite().then_some(first)
    }

    /// Takes out the dates that are not after `limit`, with their numbers, in order. The first date was asked for before.
    pub(super) fn take(&mut self, limit: f64, due: &mut Vec<(f64, usize)>) {
        due.clear();
        let Some(top) = self.levels.len().checked_sub(1) else { return };
        let limit = limit.min(f64::MAX);
        for (block, earliest) in self.earliest.into_iter().enumerate() {
            if earliest <= limit {
                take_block(&mut self.levels, top, block, limit, due);
            }
        }
        if due.len() > 1 {
            due.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        if set(&mut self.levels, number, date).is_none() {
            self.set_first(number, date);
        }
    }

    /// Sets the date of a number that there is no room for.
    #[cold]
    fn set_first(&mut self, number: usize, date: f64) {
        self.grow(number);
        set(&mut self.levels, number, date);
    }

    /// Makes room for a number.
    fn grow(&mut self, number: usize) {
        let mut blocks = (number + 1).div_ceil(WIDTH);
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
            if blocks <= TOP {
                return;
            }
            blocks = blocks.div_ceil(WIDTH);
        }
    }
}

impl Level {
    /// Brings the level above up to date.
    fn tell(&mut self, above: &mut [Self]) {
        for (k, changed) in self.changed.iter_mut().enumerate() {
            while *changed > 0 {
                let block = BITS * k + changed.trailing_zeros() as usize;
                *changed &= *changed - 1;
                set(above, block, earliest(&self.blocks[block]));
            }
        }
    }
}

/// Sets a date on the lowest of some levels; gives the one that was there, `None` where there is no room.
fn set(levels: &mut [Level], place: usize, date: f64) -> Option<f64> {
    let (Level { blocks, changed }, above) = levels.split_first_mut()?;
    let old = std::mem::replace(blocks.as_flattened_mut().get_mut(place)?, date);
    let block = place / WIDTH;
    let least = above.first().map_or(f64::NEG_INFINITY, |above| above.blocks.as_flattened()[block]);
    // Whether the earliest is another one cannot be foreseen, so that nothing branches on it.
    let is_other = u64::from(date < least) | u64::from(old <= least);
    changed[block / BITS] |= is_other << (block % BITS);
    Some(old)
}

/// Takes out what stands below a block.
fn take_block(levels: &mut [Level], level: usize, block: usize, limit: f64, due: &mut Vec<(f64, usize)>) {
    let mut is_due = not_after(&levels[level].blocks[block], limit);
    while is_due > 0 {
        let below = WIDTH * block + is_due.trailing_zeros() as usize;
        is_due &= is_due - 1;
        if level > 0 {
            take_block(levels, level - 1, below, limit, due);
        } else {
            due.extend(set(levels, below, NEVER).map(|date| (date, below)));
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
        let mut taken = Vec::new();
        for k in 0..5000_usize {
            let (number, date) = (k * 7919 % (1 + k).min(701), (k * 104_729 % 997) as f64);
            dates.set(number, date);
            known.insert(number, date);
            // Most are moved several times before the first is asked for.
            if k % 7 > 0 {
                continue;
            }
            let earliest = known.values().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(dates.first(), Some(earliest));
            if k % 3 == 0 {
                let limit = earliest + (k % 11) as f64;
                let mut expected: Vec<(f64, usize)> = known.iter().map(|(&number, &date)| (date, number)).collect();
                expected.retain(|(date, _)| *date <= limit);
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                known.retain(|_, date| *date > limit);
                dates.take(limit, &mut taken);
                assert_eq!(taken, expected);
            }
        }
        assert!(dates.first().is_some());
        dates.take(f64::INFINITY, &mut taken);
        assert_eq!((taken.len(), dates.first()), (known.len(), None));
    }

    #[test]
    fn dates_stay_when_room_is_made() {
        let mut dates = Dates::default();
        for number in 0..3000 {
            dates.set(number, if number == 40 { 1.0 } else { 2.0 });
            if number >= 40 {
                assert_eq!(dates.first(), Some(1.0), "with {number}");
            }
        }
    }
}

/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// A tree of minima: at the bottom the dates by number, above them the earliest of each eight, and so on. A date that is
/// moved changes little above it, and equal dates are in the order of numbers by themselves.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// From the bottom to the top, which is one block.
    levels: Vec<Vec<Block>>,
    due: Vec<(f64, usize)>,
}

/// Dates that are looked at together: a line of the cache.
type Block = [f64; EIGHT];

const EIGHT: usize = 8;

/// What stands where there is no date.
const NEVER: f64 = f64::INFINITY;

impl Dates {
    /// The earliest date.
    pub(super) fn first(&self) -> Option<f64> {
        self.levels.last().map(|top| earliest(&top[0])).filter(|date| date.is_finite())
    }

    /// Takes out the numbers of the dates that are not after `limit`, in their order.
    pub(super) fn take(&mut self, limit: f64, taken: &mut Vec<usize>) {
        self.due.clear();
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.take_block(top, 0, limit.min(f64::MAX));
        }
        if self.due.len() > 1 {
            self.due.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        taken.clear();
        taken.extend(self.due.iter().map(|(_, number)| number));
    }

    /// Takes out what stands below a block; gives the earliest date that stays.
    fn take_block(&mut self, level: usize, place: usize, limit: f64) -> f64 {
        let mut block = self.levels[level][place];
        let mut is_due = block.iter().rev().fold(0_u32, |bits, &date| bits << 1 | u32::from(date <= limit));
        while is_due > 0 {
            let k = is_due.trailing_zeros() as usize % EIGHT;
            is_due &= is_due - 1;
            let below = EIGHT * place + k;
            block[k] = if level > 0 {
                self.take_block(level - 1, below, limit)
            } else {
                self.due.push((block[k], below));
                NEVER
            };
        }
        self.levels[level][place] = block;
        earliest(&block)
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        if self.levels.first().is_none_or(|blocks| EIGHT * blocks.len() <= number) {
            self.grow(number);
        }
        let (mut place, mut date) = (number, date);
        for level in 0..self.levels.len() {
            let block = &mut self.levels[level][place / EIGHT];
            let old = std::mem::replace(&mut block[place % EIGHT], date);
            let Some(above) = self.levels.get(level + 1) else { return };
            place /= EIGHT;
            // Above stands the earliest of what the block was.
            let least = above[place / EIGHT][place % EIGHT];
            if date >= least {
                if old > least {
                    return;
                }
                date = earliest(&self.levels[level][place]);
            }
        }
    }

    /// Makes room for a number.
    fn grow(&mut self, number: usize) {
        let mut blocks = (number + 1).div_ceil(EIGHT);
        for level in 0.. {
            if level == self.levels.len() {
                let below = self.levels.last().map_or(NEVER, |below| earliest(&below[0]));
                let mut block = [NEVER; EIGHT];
                block[0] = below;
                self.levels.push(vec![block]);
            }
            self.levels[level].resize(blocks, [NEVER; EIGHT]);
            if blocks == 1 {
                return;
            }
            blocks = blocks.div_ceil(EIGHT);
        }
    }
}

/// The earliest date of a block; in lanes that do not wait for each other.
fn earliest(block: &Block) -> f64 {
    let less = |a: f64, b: f64| if b < a { b } else { a };
    let half: [f64; 4] = std::array::from_fn(|k| less(block[k], block[k + 4]));
    less(less(half[0], half[1]), less(half[2], half[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_in_order_wherever_they_are_moved() {
        let mut dates = Dates::default();
        let mut known = std::collections::BTreeMap::new();
        for k in 0..2000_usize {
            let (number, date) = (k * 7919 % 701, (k * 104_729 % 997) as f64);
            dates.set(number, date);
            known.insert(number, date);
            let earliest = known.values().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(dates.first(), Some(earliest));
        }
        let mut taken = Vec::new();
        for limit in [-1.0, 0.0, 3.0, 4.0, 500.0, 996.0] {
            let mut expected: Vec<(f64, usize)> = known.iter().map(|(&number, &date)| (date, number)).collect();
            expected.retain(|(date, _)| *date <= limit);
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            known.retain(|_, date| *date > limit);
            dates.take(limit, &mut taken);
            assert_eq!(taken, expected.into_iter().map(|(_, number)| number).collect::<Vec<_>>());
        }
        assert_eq!(dates.first(), None);
    }
}

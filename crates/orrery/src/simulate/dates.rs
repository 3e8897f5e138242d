/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// A heap that knows the place of each number, with four children to a place. What is moved to later stays where it is
/// and sinks when its turn comes: mostly it is moved again before. Equal dates are in the order of numbers.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// None stands later than its date.
    heap: Vec<Entry>,
    known: Vec<Known>,
}

/// What is known of a number: the bits of its date, and its place in the heap.
#[derive(Debug, Clone, Copy)]
struct Known {
    date: u64,
    place: u32,
}

/// The bits of a date, which is not negative, so that they are ordered as dates are; and behind them the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u128);

impl Entry {
    fn new(date: u64, number: usize) -> Self {
        Self(u128::from(date) << 32 | number as u128)
    }

    fn date(self) -> u64 {
        (self.0 >> 32) as u64
    }

    fn number(self) -> usize {
        self.0 as u32 as usize
    }
}

const ABSENT: u32 = u32::MAX;

const CHILDREN: usize = 4;

/// So many dates are taken one by one at least.
const FEW: usize = 64;

impl Dates {
    /// The earliest date.
    pub(super) fn first(&mut self) -> Option<f64> {
        loop {
            let first = *self.heap.first()?;
            let date = self.known[first.number()].date;
            if date == first.date() {
                return Some(f64::from_bits(date));
            }
            self.sink(0, Entry::new(date, first.number()));
        }
    }

    /// Takes out the numbers of the dates that are not after `limit`, in their order.
    pub(super) fn take(&mut self, limit: f64, taken: &mut Vec<usize>) {
        taken.clear();
        while let Some(number) = self.pop(limit) {
            taken.push(number);
            if taken.len() > FEW + self.heap.len() / CHILDREN / CHILDREN {
                return self.take_many(limit, taken);
            }
        }
    }

    /// Where many dates fall together, one look at all is quicker than a descent for each.
    fn take_many(&mut self, limit: f64, taken: &mut Vec<usize>) {
        let (known, mut due) = (&mut self.known, Vec::new());
        self.heap.retain_mut(|entry| {
            let Known { date, place } = &mut known[entry.number()];
            *entry = Entry::new(*date, entry.number());
            let stays = f64::from_bits(*date) > limit;
            if !stays {
                *place = ABSENT;
                due.push(*entry);
            }
            stays
        });
        due.sort_unstable();
        taken.extend(due.into_iter().map(Entry::number));
        (0..self.heap.len()).rev().for_each(|at| self.sink(at, self.heap[at]));
    }

    /// Takes the number of the earliest date out, if it is not after `limit`.
    fn pop(&mut self, limit: f64) -> Option<usize> {
        if self.first()? > limit {
            return None;
        }
        let number = self.heap[0].number();
        self.known[number].place = ABSENT;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sink(0, last);
        }
        Some(number)
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        if self.known.len() <= number {
            self.known.resize(number + 1, Known { date: 0, place: ABSENT });
        }
        let entry = Entry::new(date.to_bits(), number);
        self.known[number].date = entry.date();
        let place = self.known[number].place;
        if place == ABSENT {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1, entry);
        } else if entry < self.heap[place as usize] {
            self.rise(place as usize, entry);
        }
    }

    fn put(&mut self, at: usize, entry: Entry) {
        self.heap[at] = entry;
        self.known[entry.number()].place = at as u32;
    }

    /// Puts an entry at this place or above it.
    fn rise(&mut self, mut at: usize, entry: Entry) {
        while at > 0 && entry < self.heap[(at - 1) / CHILDREN] {
            self.put(at, self.heap[(at - 1) / CHILDREN]);
            at = (at - 1) / CHILDREN;
        }
        self.put(at, entry);
    }

    /// Puts an entry at this place or below it.
    fn sink(&mut self, mut at: usize, entry: Entry) {
        loop {
            let begin = CHILDREN * at + 1;
            if begin >= self.heap.len() {
                break;
            }
            let mut child = begin;
            for other in begin + 1..self.heap.len().min(begin + CHILDREN) {
                child = if self.heap[other] < self.heap[child] { other } else { child };
            }
            let earliest = self.heap[child];
            if entry < earliest {
                break;
            }
            self.put(at, earliest);
            at = child;
        }
        self.put(at, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_in_order_wherever_they_are_moved() {
        let mut dates = Dates::default();
        let mut known = std::collections::BTreeMap::new();
        for k in 0..1000_usize {
            let (number, date) = (k * 7919 % 101, (k * 104_729 % 997) as f64);
            dates.set(number, date);
            known.insert(number, date);
        }
        let mut sorted: Vec<(f64, usize)> = known.into_iter().map(|(number, date)| (date, number)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(dates.pop(sorted[0].0 - 0.5), None);
        for (date, number) in sorted {
            assert_eq!(dates.first(), Some(date));
            assert_eq!(dates.pop(date), Some(number));
        }
        assert_eq!(dates.first(), None);
    }
    #[test]
    fn dates_that_fall_together_are_taken_together() {
        let mut dates = Dates::default();
        let date = |k: usize| ((k * 7919) % 5) as f64;
        for k in 0..5000 {
            dates.set(k, 1.0);
            dates.set(k, date(k));
        }
        let mut taken = Vec::new();
        for limit in [1.0, 1.0, 3.0, 9.0] {
            let mut sorted: Vec<usize> = (0..5000).filter(|&k| date(k) <= limit).collect();
            sorted.retain(|&k| dates.known[k].place != ABSENT);
            sorted.sort_by(|&a, &b| date(a).total_cmp(&date(b)));
            dates.take(limit, &mut taken);
            assert_eq!(taken, sorted);
        }
        assert_eq!(dates.first(), None);
    }
}

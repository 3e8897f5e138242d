/// When what will happen: at most one date for each number, the earliest at hand, every one can be moved.
///
/// A binary heap that knows the place of each number. Equal dates are in the order of numbers.
#[derive(Debug, Default)]
pub(super) struct Dates {
    heap: Vec<(f64, u32)>,
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Dates {
    /// The earliest date.
    pub(super) fn first(&self) -> Option<f64> {
        self.heap.first().map(|entry| entry.0)
    }

    /// Takes the number of the earliest date out, if it is not after `limit`.
    pub(super) fn pop(&mut self, limit: f64) -> Option<usize> {
        let &(date, number) = self.heap.first()?;
        if date > limit {
            return None;
        }
        self.places[number as usize] = ABSENT;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.place(0, last);
            self.sink(0);
        }
        Some(number as usize)
    }

    /// Sets the date of a number, or moves it.
    pub(super) fn set(&mut self, number: usize, date: f64) {
        if self.places.len() <= number {
            self.places.resize(number + 1, ABSENT);
        }
        let mut at = self.places[number] as usize;
        if self.places[number] == ABSENT {
            at = self.heap.len();
            self.heap.push((date, number as u32));
            self.places[number] = at as u32;
        }
        self.heap[at].0 = date;
        self.rise(at);
        self.sink(self.places[number] as usize);
    }

    fn place(&mut self, at: usize, entry: (f64, u32)) {
        self.heap[at] = entry;
        self.places[entry.1 as usize] = at as u32;
    }

    fn rise(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 && is_before(entry, self.heap[(at - 1) / 2]) {
            self.place(at, self.heap[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
        self.place(at, entry);
    }

    fn sink(&mut self, mut at: usize) {
        let entry = self.heap[at];
        loop {
            let left = 2 * at + 1;
            let Some(&first) = self.heap.get(left) else { break };
            let (child, earlier) = match self.heap.get(left + 1) {
                Some(&second) if is_before(second, first) => (left + 1, second),
                _ => (left, first),
            };
            if !is_before(earlier, entry) {
                break;
            }
            self.place(at, earlier);
            at = child;
        }
        self.place(at, entry);
    }
}

fn is_before(a: (f64, u32), b: (f64, u32)) -> bool {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).is_lt()
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
        assert_eq!(dates.pop(sorted[0].0 - 1.0), None);
        for (date, number) in sorted {
            assert_eq!(dates.first(), Some(date));
            assert_eq!(dates.pop(date), Some(number));
        }
        assert_eq!(dates.first(), None);
    }
}

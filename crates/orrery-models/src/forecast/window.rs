//! The last values of a series, with their mean, median and trimmed mean.

/// A sliding window whose size can change.
///
/// It keeps as many past values as its largest size, so that it can also grow into the past.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// The values of the window, ascending. Windows have at most some thousand values, which move
    /// in memory in less time than a search tree takes for its nodes.
    sorted: Vec<f64>,
    /// The last values; value i is at i modulo the length.
    values: Vec<f64>,
    size: usize,
    /// The index of the first value of the window.
    first: u64,
    /// The index of the next value.
    next: u64,
}

impl Window {
    /// An empty window of the last `size` values, which can be resized up to `max_size`.
    pub(super) fn new(size: usize, max_size: usize) -> Self {
        let sorted = Vec::with_capacity(max_size);
        Self { sorted, values: vec![0.0; max_size], size, first: 0, next: 0 }
    }

    /// The number of values in the window: its size, or fewer at the begin of a series.
    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Appends a value; the oldest one leaves a full window.
    pub(super) fn push(&mut self, value: f64) {
        if self.len() == self.size {
            self.drop_first();
        }
        let slot = self.slot(self.next);
        self.values[slot] = value;
        self.insert(value);
        self.next += 1;
    }

    /// Changes the size; a larger window takes older values back.
    pub(super) fn resize(&mut self, size: usize) {
        self.size = size.clamp(1, self.values.len());
        while self.len() > self.size {
            self.drop_first();
        }
        while self.len() < self.size && self.first > 0 {
            self.first -= 1;
            self.insert(self.values[self.slot(self.first)]);
        }
    }

    /// The value of this rank in the window, from 0 for the smallest one; `None` if the window has
    /// fewer values.
    pub(super) fn select(&self, rank: usize) -> Option<f64> {
        self.sorted.get(rank).copied()
    }

    /// The median; of an even number of values the mean of the two in the middle. `None` without
    /// values.
    pub(super) fn median(&self) -> Option<f64> {
        let middle = self.len() / 2;
        let upper = self.select(middle)?;
        let lower = if self.len().is_multiple_of(2) { self.select(middle - 1)? } else { upper };
        Some(f64::midpoint(lower, upper))
    }

    /// The mean. `None` without values.
    pub(super) fn mean(&self) -> Option<f64> {
        self.trimmed_mean(0)
    }

    /// The mean without the `trimmed` smallest and the `trimmed` largest values. `None` if no value
    /// is left.
    pub(super) fn trimmed_mean(&self, trimmed: usize) -> Option<f64> {
        let end = self.len().checked_sub(trimmed).filter(|end| *end > trimmed)?;
        let kept = &self.sorted[trimmed..end];
        // Rounding must not take the mean of equal values away from them.
        let mean = kept.iter().sum::<f64>() / kept.len() as f64;
        Some(mean.clamp(kept[0], kept[kept.len() - 1]))
    }

    fn insert(&mut self, value: f64) {
        self.sorted.insert(self.place(value), value);
    }

    /// Removes the oldest value from the window.
    fn drop_first(&mut self) {
        let place = self.place(self.values[self.slot(self.first)]);
        self.sorted.remove(place);
        self.first += 1;
    }

    /// The number of smaller values.
    fn place(&self, value: f64) -> usize {
        self.sorted.partition_point(|other| other.total_cmp(&value).is_lt())
    }

    /// The slot of the value with this index.
    fn slot(&self, index: u64) -> usize {
        (index % self.values.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_last_values() {
        let mut window = Window::new(3, 5);
        assert_eq!((window.median(), window.mean()), (None, None));
        [9.0, 1.0, 4.0, 7.0].into_iter().for_each(|value| window.push(value));
        assert_eq!(
            (window.median(), window.mean(), window.trimmed_mean(1)),
            (Some(4.0), Some(4.0), Some(4.0))
        );
        window.resize(4);
        assert_eq!(
            (window.median(), window.mean(), window.trimmed_mean(1)),
            (Some(5.5), Some(5.25), Some(5.5))
        );
        window.resize(2);
        assert_eq!((window.median(), window.trimmed_mean(1)), (Some(5.5), None));
    }

    #[test]
    fn a_resized_window_never_holds_overwritten_values() {
        let mut window = Window::new(2, 4);
        (1..=9).for_each(|value| window.push(f64::from(value)));
        window.resize(4);
        assert_eq!(
            (0..4).filter_map(|rank| window.select(rank)).collect::<Vec<_>>(),
            [6.0, 7.0, 8.0, 9.0]
        );
    }

    /// Compares the window with sorted values, many of them equal.
    #[test]
    fn ranks_are_those_of_the_sorted_last_values() {
        let mut window = Window::new(16, 64);
        let mut all: Vec<f64> = Vec::new();
        for step in 0..2_000_usize {
            let value = ((step * step + 7 * step) % 23) as f64 - 11.0;
            window.push(value);
            all.push(value);
            if step % 50 == 0 {
                window.resize(1 + step * 37 % 64);
            }
            let mut last = all[all.len() - window.len()..].to_vec();
            last.sort_by(f64::total_cmp);
            let found: Vec<f64> = (0..last.len()).filter_map(|rank| window.select(rank)).collect();
            assert_eq!(found, last, "after {step} values");
        }
    }
}

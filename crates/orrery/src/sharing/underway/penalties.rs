/// The penalties of transfers by number, and which of them were changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Penalties {
    /// 0 before the first is found.
    values: Vec<f64>,
    /// The first so many count.
    changed: Vec<usize>,
    count: usize,
}

impl Penalties {
    /// A transfer begins, whose penalty is not known.
    pub(super) fn begin(&mut self, number: usize) {
        if self.values.len() <= number {
            self.values.resize(number + 1, 0.0);
            // Each is told once, and there is a place for one more that is not.
            self.changed.resize(number + 2, 0);
        }
        self.values[number] = 0.0;
    }

    /// Sets those of some numbers; what is set a second time to the same value is not told twice.
    #[inline]
    pub(super) fn set(&mut self, found: impl IntoIterator<Item = (usize, f64)>) {
        let (values, changed) = (self.values.as_mut_slice(), self.changed.as_mut_slice());
        let mut count = self.count;
        for (number, penalty) in found {
            // Whether a penalty is another one cannot be foreseen, so that nothing branches on it.
            let differs = values[number].to_bits() != penalty.to_bits();
            values[number] = penalty;
            changed[count] = number;
            count += usize::from(differs);
        }
        self.count = count;
    }

    pub(super) fn get(&self, number: usize) -> Option<f64> {
        self.values.get(number).copied()
    }

    /// Those that were changed since this was cleared.
    pub(super) fn changed(&self) -> &[usize] {
        &self.changed[..self.count]
    }

    pub(super) fn clear_changed(&mut self) {
        self.count = 0;
    }
}

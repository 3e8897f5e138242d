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
    #[inline]
    pub(super) fn begin(&mut self, number: usize) {
        if self.values.len() <= number {
            self.values.resize(number + 1, 0.0);
            // Each is told once, and there is a place for one more that is not.
            self.changed.resize(number + 2, 0);
        }
        self.values[number] = 0.0;
    }

    /// Sets those of some numbers.
    #[inline]
    pub(super) fn set(&mut self, found: impl FnOnce(&mut Setting<'_>)) {
        let mut setting = Setting { values: &mut self.values, changed: &mut self.changed, count: self.count };
        found(&mut setting);
        self.count = setting.count;
    }

    pub(super) fn get(&self, number: usize) -> Option<f64> {
        self.values.get(number).copied()
    }

    /// Those that were changed since this was cleared.
    pub(super) fn changed(&self) -> &[usize] {
        &self.changed[..self.count]
    }

    /// The same with the penalties.
    pub(super) fn changes(&self) -> impl Iterator<Item = (usize, f64)> {
        let values = self.values.as_slice();
        self.changed().iter().map(|&number| (number, values[number].max(f64::MIN_POSITIVE)))
    }

    pub(super) fn clear_changed(&mut self) {
        self.count = 0;
    }
}

/// Penalties that are being set.
pub(super) struct Setting<'a> {
    values: &'a mut [f64],
    changed: &'a mut [usize],
    count: usize,
}

impl Setting<'_> {
    /// What is set a second time to the same value is not told twice.
    #[inline]
    pub(super) fn set(&mut self, number: usize, penalty: f64) {
        // Whether it is another one cannot be foreseen, so that nothing branches on it.
        let differs = self.values[number].to_bits() != penalty.to_bits();
        self.values[number] = penalty;
        self.changed[self.count] = number;
        self.count += usize::from(differs);
    }
}

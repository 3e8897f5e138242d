/// The penalties of transfers by number, and which of them were changed. All are above 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Penalties {
    /// Their bits, which is all that most of them are asked for; [`BEGUN`] before the first is found.
    values: Vec<u64>,
    /// The first so many count.
    changes: Vec<Change>,
    count: usize,
}

/// A penalty that was changed, and the bits of what it was before.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    number: usize,
    before: u64,
}

/// No penalty is this one; without its sign it is that of a transfer that is alone.
const BEGUN: u64 = (-1.0_f64).to_bits();

impl Penalties {
    /// A transfer begins, whose penalty is not known.
    #[inline]
    pub(super) fn begin(&mut self, number: usize) {
        if self.values.len() <= number {
            self.values.resize(number + 1, BEGUN);
            // Each is told once, and there is a place for one more that is not.
            self.changes.resize(number + 2, Change::default());
        }
        self.values[number] = BEGUN;
    }

    /// Sets those of some numbers.
    #[inline]
    pub(super) fn set(&mut self, found: impl FnOnce(&mut Setting<'_>)) {
        let mut setting = Setting { values: &mut self.values, changes: &mut self.changes, count: self.count };
        found(&mut setting);
        self.count = setting.count;
    }

    pub(super) fn get(&self, number: usize) -> Option<f64> {
        self.values.get(number).copied().map(penalty)
    }

    /// Those that were changed since this was cleared.
    pub(super) fn changed(&self) -> impl Iterator<Item = usize> {
        self.changes[..self.count].iter().map(|change| change.number)
    }

    /// The same, with how many times as long as before each takes for what is left; one that began, as long as alone.
    pub(super) fn stretches(&self) -> impl Iterator<Item = (usize, f64)> {
        let values = self.values.as_slice();
        let changes = self.changes[..self.count].iter();
        changes.map(|&Change { number, before }| (number, penalty(values[number]) / penalty(before)))
    }

    pub(super) fn clear_changed(&mut self) {
        self.count = 0;
    }
}

fn penalty(bits: u64) -> f64 {
    f64::from_bits(bits).abs()
}

/// Penalties that are being set.
pub(super) struct Setting<'a> {
    values: &'a mut [u64],
    changes: &'a mut [Change],
    count: usize,
}

impl Setting<'_> {
    /// What is set a second time to the same value is not told twice.
    #[inline]
    pub(super) fn set(&mut self, number: usize, penalty: f64) {
        let before = std::mem::replace(&mut self.values[number], penalty.to_bits());
        // Whether it is another one cannot be foreseen, so that nothing branches on it.
        self.changes[self.count] = Change { number, before };
        self.count += usize::from(before != penalty.to_bits());
    }
}

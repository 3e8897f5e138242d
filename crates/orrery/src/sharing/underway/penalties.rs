/// The penalties of transfers by number, and which of them were changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Penalties {
    /// 0 before the first is found.
    values: Vec<f64>,
    changed: Vec<usize>,
}

impl Penalties {
    /// A transfer begins, whose penalty is not known.
    pub(super) fn begin(&mut self, number: usize) {
        if self.values.len() <= number {
            self.values.resize(number + 1, 0.0);
        }
        self.values[number] = 0.0;
    }

    pub(super) fn set(&mut self, number: usize, penalty: f64) {
        if self.values[number].to_bits() != penalty.to_bits() {
            self.values[number] = penalty;
            self.changed.push(number);
        }
    }

    pub(super) fn get(&self, number: usize) -> Option<f64> {
        self.values.get(number).copied()
    }

    /// Those that were changed since this was cleared.
    pub(super) fn changed(&self) -> &[usize] {
        &self.changed
    }

    pub(super) fn clear_changed(&mut self) {
        self.changed.clear();
    }
}

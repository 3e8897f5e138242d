//! The table of penalties of active transfers, and the interface that updates it.

use crate::sharing::SharingError;
use crate::sharing::ports::TransferPorts;

/// The penalties of transfers by number, and which of them changed since the last update.
#[derive(Debug, Clone, Default)]
pub(in crate::sharing) struct Penalties {
    /// `None` for a transfer that has started and whose penalty is not computed yet.
    values: Vec<Option<f64>>,
    changes: Vec<Change>,
}

/// A changed penalty and its previous value.
#[derive(Debug, Clone, Copy)]
struct Change {
    number: usize,
    before: Option<f64>,
}

impl Penalties {
    /// Adds a transfer whose penalty is not computed yet.
    pub(super) fn begin(&mut self, number: usize) {
        if self.values.len() <= number {
            self.values.resize(number + 1, None);
        }
        self.values[number] = None;
    }

    /// Sets a penalty and records the change if the value differs.
    pub(super) fn set(&mut self, number: usize, penalty: f64) {
        let before = self.values[number].replace(penalty);
        if before != Some(penalty) {
            self.changes.push(Change { number, before });
        }
    }

    /// Returns the penalty of a transfer; `None` if it is not computed yet.
    pub(super) fn get(&self, number: usize) -> Option<f64> {
        self.values.get(number).copied().flatten()
    }

    /// The numbers of the transfers whose penalty changed since [`clear_changed`](Self::clear_changed).
    pub(super) fn changed(&self) -> impl Iterator<Item = usize> {
        self.changes.iter().map(|change| change.number)
    }

    /// The changed transfers, each with its new penalty over its previous one; a new transfer had the penalty 1.
    pub(super) fn rescale_factors(&self) -> impl Iterator<Item = (usize, f64)> {
        let factor =
            |&Change { number, before }: &Change| (number, self.get(number).unwrap_or(1.0) / before.unwrap_or(1.0));
        self.changes.iter().map(factor)
    }

    /// Clears the record of changes.
    pub(super) fn clear_changed(&mut self) {
        self.changes.clear();
    }
}

/// Penalties that are updated after transfers have started or stopped.
pub(in crate::sharing) trait IncrementalPenalties: std::fmt::Debug {
    /// Adds a transfer by its number, which no active transfer has.
    fn start(&mut self, transfer: usize, ends: TransferPorts);

    /// Removes a transfer; does nothing if it is not active.
    fn stop(&mut self, transfer: usize);

    /// Computes the penalties that the changes since the last update affect.
    ///
    /// # Errors
    ///
    /// A component that is too large for the law.
    fn update(&mut self, penalties: &mut Penalties) -> Result<(), SharingError>;
}

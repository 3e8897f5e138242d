//! The table of penalties of active transfers, and the interface that updates it.

use crate::sharing::SharingError;
use crate::sharing::ports::TransferPorts;

/// The penalties of transfers by number, and which of them changed since the last update.
#[derive(Debug, Clone, Default)]
pub(in crate::sharing) struct Penalties {
    /// [`UNKNOWN`] for a transfer that has started and whose penalty is not computed yet.
    values: Vec<f64>,
    changes: BranchlessList<Change>,
}

/// A changed penalty and its previous value.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    number: usize,
    before: f64,
}

/// The value of a penalty that is not computed yet; no penalty is 0.
const UNKNOWN: f64 = 0.0;

impl Penalties {
    /// Adds a transfer whose penalty is not computed yet.
    pub(super) fn begin(&mut self, number: usize) {
        if self.values.len() <= number {
            self.values.resize(number + 1, UNKNOWN);
            self.changes.reserve(number + 1);
        }
        self.values[number] = UNKNOWN;
    }

    /// Sets a penalty, and records the change if the value differs.
    #[inline]
    pub(super) fn set(&mut self, number: usize, penalty: f64) {
        let before = std::mem::replace(&mut self.values[number], penalty);
        self.changes.push_if(Change { number, before }, before.to_bits() != penalty.to_bits());
    }

    /// Returns the penalty of a transfer; `None` if it is not computed yet.
    pub(super) fn get(&self, number: usize) -> Option<f64> {
        self.values.get(number).copied().filter(|penalty| *penalty != UNKNOWN)
    }

    /// The numbers of the transfers whose penalty changed since
    /// [`clear_changed`](Self::clear_changed).
    pub(super) fn changed(&self) -> impl Iterator<Item = usize> {
        self.changes.as_slice().iter().map(|change| change.number)
    }

    /// The changed transfers, each with its new penalty over its previous one; a new transfer had
    /// the penalty 1.
    pub(super) fn rescale_factors(&self) -> impl Iterator<Item = (usize, f64)> {
        let factor = |&Change { number, before }: &Change| {
            (number, self.values[number] / if before == UNKNOWN { 1.0 } else { before })
        };
        self.changes.as_slice().iter().map(factor)
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

/// A list to which elements are appended under a condition that no branch predictor can predict.
#[derive(Debug, Clone, Default)]
pub(super) struct BranchlessList<T> {
    elements: Vec<T>,
    len: usize,
}

impl<T: Copy + Default> BranchlessList<T> {
    /// Makes room for one more than this number of elements.
    pub(super) fn reserve(&mut self, len: usize) {
        if self.elements.len() <= len {
            self.elements.resize(len + 1, T::default());
        }
    }

    /// Appends an element if the condition holds. It is written in either case, and counted only if
    /// it holds.
    #[inline]
    pub(super) fn push_if(&mut self, element: T, condition: bool) {
        self.elements[self.len] = element;
        self.len += usize::from(condition);
    }

    /// The elements in the list.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.elements[..self.len]
    }

    /// Removes all elements; keeps allocated memory.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

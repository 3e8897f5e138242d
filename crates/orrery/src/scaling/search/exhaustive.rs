use std::collections::BinaryHeap;

use super::candidate::{Found, Rank};
use super::{Candidate, Search, SearchError};
use crate::scaling::Layout;

impl Search<'_> {
    /// The best configurations in order, found by looking at every single one: slow, and obviously right.
    ///
    /// # Errors
    ///
    /// What [`Search::best`] refuses. No configuration at all is an empty list.
    pub fn exhaustive(&self, count: usize) -> Result<Vec<Candidate>, SearchError> {
        let weights = self.weights()?;
        let mut best = BinaryHeap::new();
        self.visit(&mut Vec::new(), &mut |selection| {
            let processes: u32 = selection.iter().map(|(elements, each)| elements * each).sum();
            for layout in self.layouts(processes).filter(|_| processes > 0) {
                best.extend(self.rank(selection, layout, &weights));
                if best.len() > count {
                    best.pop();
                }
            }
        });
        best.into_sorted_vec().iter().map(|found| self.candidate(found)).collect()
    }

    /// Completes a selection in all ways.
    fn visit(&self, selection: &mut Vec<(u32, u32)>, each: &mut impl FnMut(&[(u32, u32)])) {
        let Some(kind) = self.kinds.get(selection.len()) else { return each(selection) };
        let used = (1..=kind.elements()).flat_map(|elements| (1..=kind.processes).map(move |m| (elements, m)));
        for choice in std::iter::once((0, 0)).chain(used) {
            selection.push(choice);
            self.visit(selection, each);
            selection.pop();
        }
    }

    /// A selection in a layout, where it is possible.
    fn rank(&self, selection: &[(u32, u32)], layout: Layout, weights: &[u64]) -> Option<Found> {
        let bytes = self.bytes(layout);
        let (mut seconds, mut weight, mut elements) = (0.0_f64, 0, 0);
        for (kind, &(taken, processes)) in selection.iter().enumerate().filter(|(_, (taken, _))| *taken > 0) {
            seconds = seconds.max(self.seconds(kind, processes, layout)?);
            weight += u128::from(taken) * u128::from(weights[kind]);
            elements += u64::from(taken);
            if self.kinds[kind].room(processes, bytes) < taken {
                return None;
            }
        }
        if self.deadline.is_some_and(|deadline| seconds > deadline.get()) {
            return None;
        }
        let value = self.objective.value(seconds, weight);
        Some(Found { rank: Rank { value, seconds, weight, elements }, layout, selection: selection.to_vec() })
    }
}

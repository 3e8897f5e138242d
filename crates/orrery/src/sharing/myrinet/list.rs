//! The sets themselves, for people to look at and for tests to count.

use crate::sharing::Transfer;

/// All sets of transfers that can send at the same time and cannot be enlarged, each in ascending order, if there are no
/// more than `most` of them. Transfers within a node are in none.
///
/// Maximal cliques of the graph of transfers that go together. Source: Bron, Kerbosch, Algorithm 457, CACM 16 (1973),
/// with the pivot of Tomita, Tanaka, Takahashi (2006). The search gives up after `most` times the square of the number
/// of transfers.
///
/// ```
/// use orrery::sharing::{Transfer, maximal_sending_sets};
/// let transfers = [(0, 1), (0, 2), (3, 2)].map(|(from, to)| Transfer::between(from, to));
/// assert_eq!(maximal_sending_sets(&transfers, 10), Some(vec![vec![0, 2], vec![1]]));
/// assert_eq!(maximal_sending_sets(&transfers, 1), None);
/// ```
pub fn maximal_sending_sets(transfers: &[Transfer], most: usize) -> Option<Vec<Vec<usize>>> {
    let outside: Vec<usize> = (0..transfers.len()).filter(|&k| !transfers[k].is_local()).collect();
    let patience = most.saturating_mul(outside.len().saturating_mul(outside.len()).max(1));
    let mut search = Search { transfers, most, patience, found: Vec::new() };
    if outside.is_empty() {
        return Some(Vec::new());
    }
    search.grow(&mut Vec::new(), outside, Vec::new())?;
    search.found.sort();
    Some(search.found)
}

struct Search<'a> {
    transfers: &'a [Transfer],
    most: usize,
    patience: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn together(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.transfers[a], self.transfers[b]);
        a.source != b.source && a.destination != b.destination
    }

    /// Enlarges a set by candidates; sets that could take one of `done` were found before.
    fn grow(&mut self, set: &mut Vec<usize>, candidates: Vec<usize>, mut done: Vec<usize>) -> Option<()> {
        self.patience = self.patience.checked_sub(1)?;
        let with = |search: &Self, k: usize, others: &[usize]| -> Vec<usize> {
            others.iter().copied().filter(|&other| search.together(k, other)).collect()
        };
        let reach = |&pivot: &usize| with(self, pivot, &candidates).len();
        let Some(pivot) = candidates.iter().chain(&done).copied().max_by_key(reach) else {
            let mut found = set.clone();
            found.sort_unstable();
            self.found.push(found);
            return (self.found.len() <= self.most).then_some(());
        };
        let (mut left, branches): (Vec<usize>, Vec<usize>) = (candidates.clone(), candidates);
        for k in branches.into_iter().filter(|&k| k == pivot || !self.together(pivot, k)).collect::<Vec<_>>() {
            set.push(k);
            self.grow(set, with(self, k, &left), with(self, k, &done))?;
            set.pop();
            left.retain(|&other| other != k);
            done.push(k);
        }
        Some(())
    }
}

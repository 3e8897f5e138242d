//! The sets themselves, for display and for tests of the count.

use crate::sharing::Transfer;

/// All maximal sets of transfers that can send at the same time, each in ascending order; `None` if
/// there are more than `max`.
///
/// Transfers within a node are in none. The sets are the maximal cliques of the graph of compatible
/// transfers. Source: Bron, Kerbosch, Algorithm 457, CACM 16 (1973), with the pivot of Tomita,
/// Tanaka, Takahashi (2006). The search also ends with `None` after `max` times the square of the
/// number of transfers.
///
/// ```
/// use orrery_cluster::sharing::{Transfer, maximal_sending_sets};
/// let transfers = [(0, 1), (0, 2), (3, 2)].map(|(from, to)| Transfer::between(from, to));
/// assert_eq!(maximal_sending_sets(&transfers, 10), Some(vec![vec![0, 2], vec![1]]));
/// assert_eq!(maximal_sending_sets(&transfers, 1), None);
/// ```
pub fn maximal_sending_sets(transfers: &[Transfer], max: usize) -> Option<Vec<Vec<usize>>> {
    let candidates: Vec<usize> =
        (0..transfers.len()).filter(|&k| !transfers[k].is_local()).collect();
    if candidates.is_empty() {
        return Some(Vec::new());
    }
    let steps_left = max.saturating_mul(candidates.len().saturating_mul(candidates.len()));
    let mut search = Search { transfers, max, steps_left, found: Vec::new() };
    search.extend(&mut Vec::new(), candidates, Vec::new())?;
    search.found.sort();
    Some(search.found)
}

/// The state of the search for maximal sending sets.
struct Search<'a> {
    transfers: &'a [Transfer],
    max: usize,
    steps_left: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Returns true if two transfers can send at the same time.
    fn are_compatible(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.transfers[a], self.transfers[b]);
        a.source != b.source && a.destination != b.destination
    }

    /// Extends a set by candidates in all ways; sets with a transfer of `excluded` are found
    /// elsewhere.
    fn extend(
        &mut self,
        set: &mut Vec<usize>,
        candidates: Vec<usize>,
        mut excluded: Vec<usize>,
    ) -> Option<()> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        let compatible = |search: &Self, k: usize, others: &[usize]| -> Vec<usize> {
            others.iter().copied().filter(|&other| search.are_compatible(k, other)).collect()
        };
        let reach = |&pivot: &usize| compatible(self, pivot, &candidates).len();
        let Some(pivot) = candidates.iter().chain(&excluded).copied().max_by_key(reach) else {
            let mut found = set.clone();
            found.sort_unstable();
            self.found.push(found);
            return (self.found.len() <= self.max).then_some(());
        };
        let (mut left, branches): (Vec<usize>, Vec<usize>) = (candidates.clone(), candidates);
        for k in branches
            .into_iter()
            .filter(|&k| k == pivot || !self.are_compatible(pivot, k))
            .collect::<Vec<_>>()
        {
            set.push(k);
            self.extend(set, compatible(self, k, &left), compatible(self, k, &excluded))?;
            set.pop();
            left.retain(|&other| other != k);
            excluded.push(k);
        }
        Some(())
    }
}

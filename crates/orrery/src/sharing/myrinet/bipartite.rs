//! A component as a bipartite graph.

use std::collections::BTreeMap;

use crate::sharing::{SharingError, Transfer};

/// The transfers between the same two nodes in the same direction.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) left: usize,
    pub(super) right: usize,
    /// The places of its transfers in the component; never none.
    pub(super) transfers: Vec<usize>,
}

/// A connected component: sources on the left and destinations on the right, or the other way round.
#[derive(Debug, Clone)]
pub(super) struct Bipartite {
    pub(super) pairs: Vec<Pair>,
    /// The pairs of each vertex on the left.
    pub(super) lefts: Vec<Vec<usize>>,
    /// The pairs of each vertex on the right.
    pub(super) rights: Vec<Vec<usize>>,
}

impl Bipartite {
    /// Of transfers that all leave their nodes.
    pub(super) fn of(transfers: &[Transfer]) -> Self {
        let (mut sources, mut destinations) = (BTreeMap::new(), BTreeMap::new());
        let mut known = BTreeMap::new();
        let mut pairs: Vec<Pair> = Vec::new();
        for (k, transfer) in transfers.iter().enumerate() {
            let next = sources.len();
            let left = *sources.entry(transfer.source).or_insert(next);
            let next = destinations.len();
            let right = *destinations.entry(transfer.destination).or_insert(next);
            let pair = *known.entry((left, right)).or_insert(pairs.len());
            if pair == pairs.len() {
                pairs.push(Pair { left, right, transfers: Vec::new() });
            }
            pairs[pair].transfers.push(k);
        }
        let (mut lefts, mut rights) = (vec![Vec::new(); sources.len()], vec![Vec::new(); destinations.len()]);
        for (k, pair) in pairs.iter().enumerate() {
            lefts[pair.left].push(k);
            rights[pair.right].push(k);
        }
        Self { pairs, lefts, rights }
    }

    /// The same seen from the other side: its sets are the same.
    pub(super) fn turned(&self) -> Self {
        let turn = |pair: &Pair| Pair { left: pair.right, right: pair.left, transfers: pair.transfers.clone() };
        Self { pairs: self.pairs.iter().map(turn).collect(), lefts: self.rights.clone(), rights: self.lefts.clone() }
    }

    /// How many transfers there are.
    pub(super) fn transfers(&self) -> usize {
        self.pairs.iter().map(|pair| pair.transfers.len()).sum()
    }

    /// The sets of this graph, whose sources are on the left, cannot be counted.
    pub(super) fn too_large(&self) -> SharingError {
        SharingError::TooLarge {
            transfers: self.transfers(),
            sources: self.lefts.len(),
            destinations: self.rights.len(),
        }
    }

    /// No set of this graph, whose sources are on the left, was found.
    pub(super) fn no_sample(&self) -> SharingError {
        SharingError::NoSample {
            transfers: self.transfers(),
            sources: self.lefts.len(),
            destinations: self.rights.len(),
        }
    }
}

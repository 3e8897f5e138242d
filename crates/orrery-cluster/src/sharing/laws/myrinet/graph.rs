//! A component as a bipartite graph, and the order in which its vertices are decided.

use std::collections::{BTreeMap, BTreeSet};

use crate::sharing::{SharingError, Transfer};

/// The parallel transfers between two nodes in one direction.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) left: usize,
    pub(super) right: usize,
    /// The indices of its transfers in the component, one or more.
    pub(super) transfers: Vec<usize>,
}

/// A connected component. Sources are on the left and destinations on the right;
/// [`mirrored`](Self::mirrored) swaps them.
#[derive(Debug, Clone)]
pub(super) struct Bipartite {
    pub(super) pairs: Vec<Pair>,
    /// The pairs of each vertex on the left.
    pub(super) lefts: Vec<Vec<usize>>,
    /// The pairs of each vertex on the right.
    pub(super) rights: Vec<Vec<usize>>,
}

impl Bipartite {
    /// The graph of transfers between different nodes.
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
        let (mut lefts, mut rights) =
            (vec![Vec::new(); sources.len()], vec![Vec::new(); destinations.len()]);
        for (k, pair) in pairs.iter().enumerate() {
            lefts[pair.left].push(k);
            rights[pair.right].push(k);
        }
        Self { pairs, lefts, rights }
    }

    /// The graph with left and right swapped. Its maximal matchings are the same.
    pub(super) fn mirrored(&self) -> Self {
        let mirror = |pair: &Pair| Pair {
            left: pair.right,
            right: pair.left,
            transfers: pair.transfers.clone(),
        };
        Self {
            pairs: self.pairs.iter().map(mirror).collect(),
            lefts: self.rights.clone(),
            rights: self.lefts.clone(),
        }
    }

    /// The number of transfers.
    pub(super) fn transfers(&self) -> usize {
        self.pairs.iter().map(|pair| pair.transfers.len()).sum()
    }

    /// The error for a graph with too many sets to count; sources are on the left.
    pub(super) fn too_large(&self) -> SharingError {
        SharingError::TooLarge {
            transfers: self.transfers(),
            sources: self.lefts.len(),
            destinations: self.rights.len(),
        }
    }

    /// The error for a graph in which sampling found no set; sources are on the left.
    pub(super) fn no_sample(&self) -> SharingError {
        SharingError::NoSample {
            transfers: self.transfers(),
            sources: self.lefts.len(),
            destinations: self.rights.len(),
        }
    }
}

/// The decision of one vertex on the left.
///
/// A vertex on the right that occurs in several turns has a slot from its first turn to its last.
/// One that occurs in a single turn needs none.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    /// Its pairs with vertices that have a slot: (slot, pair).
    pub(super) shared: Vec<(usize, usize)>,
    /// Its pairs with vertices that occur in no other turn.
    pub(super) own: Vec<usize>,
    /// The slots of vertices that occur in no later turn.
    pub(super) released: Vec<usize>,
    /// The number of later turns.
    pub(super) later: usize,
}

/// The turns in order, and the number of slots that they need.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) turns: Vec<Turn>,
    pub(super) slots: usize,
}

/// A greedy elimination order: next is the vertex that leaves the fewest vertices on the right
/// open, the first of equal ones. It takes O(pairs·log pairs) time, since a vertex on the right
/// changes the claims of its neighbours at most twice.
struct Greedy<'a> {
    graph: &'a Bipartite,
    /// The undecided vertices: (open vertices that it would add, the turn at which it was first
    /// touched, vertex).
    queue: BTreeSet<(isize, usize, usize)>,
    /// The first two elements of each vertex in `queue`; `None` for decided vertices.
    claims: Vec<Option<(isize, usize)>>,
    /// The number of undecided neighbours of each vertex on the right.
    undecided: Vec<usize>,
    is_touched: Vec<bool>,
    clock: usize,
}

impl<'a> Greedy<'a> {
    /// Starts with all vertices undecided.
    fn new(graph: &'a Bipartite) -> Self {
        let own = |left: &Vec<usize>| {
            left.iter().filter(|&&pair| graph.rights[graph.pairs[pair].right].len() == 1).count()
        };
        let claims: Vec<_> = graph
            .lefts
            .iter()
            .map(|left| Some(((left.len() - own(left)) as isize, usize::MAX)))
            .collect();
        let queue = claims
            .iter()
            .enumerate()
            .filter_map(|(left, claim)| claim.map(|(adds, at)| (adds, at, left)));
        Self {
            graph,
            queue: queue.collect(),
            claims,
            undecided: graph.rights.iter().map(Vec::len).collect(),
            is_touched: vec![false; graph.rights.len()],
            clock: 0,
        }
    }

    /// Removes and returns the next vertex. Neighbours of open vertices come first, so that the
    /// open part stays connected.
    fn next(&mut self) -> Option<usize> {
        let touched = self.queue.iter().find(|(_, at, _)| *at != usize::MAX).copied();
        let next = touched.or_else(|| self.queue.first().copied())?;
        self.queue.remove(&next);
        self.claims[next.2] = None;
        Some(next.2)
    }

    /// Changes the claims of the undecided neighbours of a vertex on the right.
    fn change_claims(&mut self, right: usize, by: isize) {
        for &pair in &self.graph.rights[right] {
            let left = self.graph.pairs[pair].left;
            let Some((adds, at)) = self.claims[left] else { continue };
            self.queue.remove(&(adds, at, left));
            let at = at.min(self.clock);
            self.claims[left] = Some((adds + by, at));
            self.queue.insert((adds + by, at, left));
        }
    }

    /// Updates all claims after a vertex on the left is decided.
    fn decide(&mut self, left: usize) {
        self.clock += 1;
        for &pair in &self.graph.lefts[left] {
            let right = self.graph.pairs[pair].right;
            self.undecided[right] -= 1;
            if !std::mem::replace(&mut self.is_touched[right], true) {
                self.change_claims(right, -1);
            }
            if self.undecided[right] == 1 {
                self.change_claims(right, -1);
            }
        }
    }
}

/// Orders the turns and assigns slots, the lowest free one first.
pub(super) fn plan(graph: &Bipartite) -> Plan {
    let mut greedy = Greedy::new(graph);
    let mut slots: Vec<Option<usize>> = vec![None; graph.rights.len()];
    let mut free = BTreeSet::new();
    let mut plan = Plan { turns: Vec::with_capacity(graph.lefts.len()), slots: 0 };
    while let Some(left) = greedy.next() {
        greedy.decide(left);
        let mut turn = Turn { later: graph.lefts.len() - plan.turns.len() - 1, ..Turn::default() };
        for &pair in &graph.lefts[left] {
            let right = graph.pairs[pair].right;
            if graph.rights[right].len() == 1 {
                turn.own.push(pair);
                continue;
            }
            let slot = *slots[right].get_or_insert_with(|| {
                free.pop_first().unwrap_or_else(|| {
                    plan.slots += 1;
                    plan.slots - 1
                })
            });
            turn.shared.push((slot, pair));
            if greedy.undecided[right] == 0 {
                turn.released.push(slot);
            }
        }
        free.extend(&turn.released);
        plan.turns.push(turn);
    }
    plan
}

/// The plan of the graph or of its mirror image, whichever needs fewer slots.
pub(super) fn narrower_plan(graph: &Bipartite) -> Plan {
    let (from_sources, from_destinations) = (plan(graph), plan(&graph.mirrored()));
    if from_destinations.slots < from_sources.slots { from_destinations } else { from_sources }
}

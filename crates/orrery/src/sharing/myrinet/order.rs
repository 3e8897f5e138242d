//! The order in which the vertices on the left are decided, and what each decision is about.

use std::collections::BTreeSet;

use super::bipartite::Bipartite;

/// One vertex on the left in its turn.
///
/// Vertices on the right that other turns have to do with too have a slot from their first turn to their last; those
/// that belong to this turn alone need none.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    /// Its pairs with vertices that have a slot: (slot, pair).
    pub(super) shared: Vec<(usize, usize)>,
    /// Its pairs with vertices that are its own.
    pub(super) own: Vec<usize>,
    /// The slots of vertices that no later turn has to do with.
    pub(super) leaving: Vec<usize>,
    /// How many turns come later.
    pub(super) later: usize,
}

/// The turns, and how many slots they need.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) turns: Vec<Turn>,
    pub(super) slots: usize,
}

/// The next vertex is the one that leaves the fewest vertices on the right open, the first of equals: greedy, in
/// O(pairs·log) time, since a vertex on the right changes the claims of its neighbours twice at most.
struct Greedy<'a> {
    graph: &'a Bipartite,
    /// Those who may be next: what they would add to the open vertices, when they were first touched, who.
    waiting: BTreeSet<(isize, usize, usize)>,
    /// What is in `waiting` of each vertex on the left; `None` once it had its turn.
    claims: Vec<Option<(isize, usize)>>,
    /// How many neighbours of each vertex on the right had no turn yet.
    undecided: Vec<usize>,
    touched: Vec<bool>,
    clock: usize,
}

impl<'a> Greedy<'a> {
    fn new(graph: &'a Bipartite) -> Self {
        let own =
            |left: &Vec<usize>| left.iter().filter(|&&pair| graph.rights[graph.pairs[pair].right].len() == 1).count();
        let claims: Vec<_> =
            graph.lefts.iter().map(|left| Some(((left.len() - own(left)) as isize, usize::MAX))).collect();
        let waiting = claims.iter().enumerate().filter_map(|(left, claim)| claim.map(|(adds, at)| (adds, at, left)));
        Self {
            graph,
            waiting: waiting.collect(),
            claims,
            undecided: graph.rights.iter().map(Vec::len).collect(),
            touched: vec![false; graph.rights.len()],
            clock: 0,
        }
    }

    /// Neighbours of what is open come first, so that the open part grows at one place.
    fn next(&mut self) -> Option<usize> {
        let touched = self.waiting.iter().find(|(_, at, _)| *at != usize::MAX).copied();
        let next = touched.or_else(|| self.waiting.first().copied())?;
        self.waiting.remove(&next);
        self.claims[next.2] = None;
        Some(next.2)
    }

    /// Changes what the undecided neighbours of a vertex on the right would add.
    fn change(&mut self, right: usize, by: isize) {
        for &pair in &self.graph.rights[right] {
            let left = self.graph.pairs[pair].left;
            let Some((adds, at)) = self.claims[left] else { continue };
            self.waiting.remove(&(adds, at, left));
            let at = at.min(self.clock);
            self.claims[left] = Some((adds + by, at));
            self.waiting.insert((adds + by, at, left));
        }
    }

    /// A vertex on the left has its turn.
    fn decide(&mut self, left: usize) {
        self.clock += 1;
        for &pair in &self.graph.lefts[left] {
            let right = self.graph.pairs[pair].right;
            self.undecided[right] -= 1;
            if !std::mem::replace(&mut self.touched[right], true) {
                self.change(right, -1);
            }
            if self.undecided[right] == 1 {
                self.change(right, -1);
            }
        }
    }
}

/// Orders the turns and gives out slots, the lowest free one first.
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
                turn.leaving.push(slot);
            }
        }
        free.extend(&turn.leaving);
        plan.turns.push(turn);
    }
    plan
}

//! A search under way: from the best bound to worse ones.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::candidate::{Found, Rank};
use super::choices::{KindOption, KindOptions};
use super::least::{self, Least};
use super::levels::Bounds;
use super::reach::reachable;
use super::{OptimalityProof, Search};
use crate::scaling::Layout;

/// A layout and one of its times, with the rank that a run of it has at best.
#[derive(Debug)]
struct Node {
    rank: Rank,
    layout: Layout,
    /// Which of the ranks of this layout it is.
    place: usize,
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.order(&other.rank).then(self.layout.cmp(&other.layout)).then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl Node {
    /// Whether no run of this node can be better than what was found.
    fn is_behind(&self, found: &Found) -> bool {
        self.rank.order(&found.rank).then(self.layout.cmp(&found.layout)) == Ordering::Greater
    }
}

/// A search under way.
pub(super) struct Run<'a> {
    search: &'a Search<'a>,
    weights: Vec<u64>,
    bounds: Bounds,
    choices: KindOptions,
    waiting: BinaryHeap<Reverse<Node>>,
    /// How many nodes may wait before those are dropped that need not.
    room: usize,
    found: Vec<Found>,
    proof: OptimalityProof,
}

impl<'a> Run<'a> {
    pub(super) fn new(search: &'a Search<'a>, weights: Vec<u64>) -> Self {
        let proof = OptimalityProof {
            selections: search.selections(),
            layouts: 0,
            examined_layouts: 0,
            feasibility_tests: 0,
            dynamic_programs: 0,
            steps: 0,
            best_value: f64::INFINITY,
            lower_bound: f64::INFINITY,
        };
        Self {
            search,
            bounds: Bounds::new(search.objective, weights.clone()),
            weights,
            choices: KindOptions::default(),
            waiting: BinaryHeap::new(),
            room: 1 << 20,
            found: Vec::new(),
            proof,
        }
    }

    /// Searches. Returns the best of each layout, the first `count` of them in order, and the work that it took; what was
    /// not looked at is not below the bound of the proof, which is infinite where that is nothing.
    pub(super) fn finish(mut self, count: usize) -> (Vec<Found>, OptimalityProof) {
        self.survey(count);
        self.examine(count);
        (self.found, self.proof)
    }

    /// The ranks that a layout may have, the best one first; with `best`, perhaps not all of the others.
    fn levels(&mut self, layout: Layout, best: bool) -> Vec<Rank> {
        self.proof.steps += self.choices.fill(self.search, layout);
        let before = self.bounds.steps;
        let mut levels = self.bounds.levels(layout.processes, &self.choices, best);
        self.proof.steps += self.bounds.steps - before;
        levels.sort_unstable_by(Rank::order);
        levels
    }

    /// Bounds what each layout may come to.
    fn survey(&mut self, count: usize) {
        for processes in 1..=self.search.most_processes() as u32 {
            for layout in self.search.layouts(processes) {
                self.proof.layouts += 1;
                if self.proof.steps > self.search.steps / 4 * 3 {
                    // Nothing is known of what was not surveyed.
                    self.proof.lower_bound = 0.0;
                } else if let Some(&rank) = self.levels(layout, true).first() {
                    self.waiting.push(Reverse(Node { rank, layout, place: 0 }));
                    if self.waiting.len() > self.room {
                        self.thin(count);
                    }
                }
            }
        }
    }

    /// Makes room: goes from the best bound to worse ones until enough is found to drop what is behind it.
    fn thin(&mut self, count: usize) {
        loop {
            let Some(Reverse(node)) = self.waiting.pop() else { return };
            if !self.advance(&node, count) {
                return;
            }
            if self.found.len() == count {
                break;
            }
        }
        let last = &self.found[count - 1];
        self.waiting.retain(|Reverse(node)| !node.is_behind(last));
        self.room = self.room.max(2 * self.waiting.len());
    }

    /// Goes from the best bound to worse ones until none is left that could change what was found.
    fn examine(&mut self, count: usize) {
        while let Some(Reverse(node)) = self.waiting.pop() {
            let behind = self.found.len() == count && node.is_behind(&self.found[count - 1]);
            if behind || !self.advance(&node, count) {
                return;
            }
        }
    }

    /// Tests a node and lets the next one of its layout wait. Returns whether the work that is allowed sufficed.
    fn advance(&mut self, node: &Node, count: usize) -> bool {
        let levels = self.levels(node.layout, false);
        let work = least::work(node.layout.processes, self.weights.len(), self.choices.0.len());
        if self.proof.steps + work > self.search.steps {
            self.proof.lower_bound = self.proof.lower_bound.min(node.rank.value);
            return false;
        }
        self.proof.examined_layouts += u64::from(node.place == 0);
        self.test(node, count);
        if let Some(&rank) = levels.get(node.place + 1) {
            let next = Node { rank, layout: node.layout, place: node.place + 1 };
            let own = self.found.iter().find(|found| found.layout == node.layout);
            let last = self.found.get(count - 1);
            if !own.into_iter().chain(last).any(|found| next.is_behind(found)) {
                self.waiting.push(Reverse(next));
            }
        }
        true
    }

    /// Finds the best selection of a node, where there is one.
    fn test(&mut self, node: &Node, count: usize) {
        let (processes, layout) = (node.layout.processes, node.layout);
        let choices = self.choices.within(node.rank.seconds);
        let (reachable, steps) = reachable(processes, choices.clone());
        self.proof.feasibility_tests += 1;
        self.proof.steps += steps;
        if !reachable {
            return;
        }
        self.proof.dynamic_programs += 1;
        self.proof.steps += least::work(processes, self.weights.len(), choices.clone().count());
        let Some(Least { weight, elements, selection }) = least::least(processes, &self.weights, &choices) else {
            return;
        };
        let chosen = |choice: &&KindOption| selection[choice.kind].1 == choice.processes;
        let seconds = choices.filter(chosen).map(|choice| choice.seconds).fold(0.0, f64::max);
        let value = self.search.objective.value(seconds, weight);
        let found = Found { rank: Rank { value, seconds, weight, elements }, layout, selection };
        match self.found.iter_mut().find(|other| other.layout == layout) {
            Some(other) if *other <= found => {}
            Some(other) => *other = found,
            None => self.found.push(found),
        }
        self.found.sort();
        self.found.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::file::parse;
    use crate::scaling::ElementTime;
    use crate::scaling::search::{Grids, Objective};

    struct Uneven;

    impl ElementTime for Uneven {
        fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
            let (p, q) = layout.grid?;
            let mixed = (p * 7 + q * 13 + processes * 5 + kind as u32 * 3) % 11;
            Some(f64::from(processes * (20 + mixed)) / f64::from(p * q) + f64::from(p + q) / 10.0)
        }
    }

    #[test]
    fn little_room_changes_nothing() {
        let text = "hosts = [{names = \"a\", kind = \"a\", cores = 9, processes = 3},
                             {names = \"b\", kind = \"b\", cores = 5, processes = 2}]";
        let cluster = parse(text, "c.toml").unwrap().cluster;
        for objective in [Objective::Time, Objective::CoreHours] {
            for count in [1, 5] {
                let search = Search { grids: Grids::All, objective, ..Search::new(cluster.kinds(), &Uneven) };
                let run = |room| Run { room, ..Run::new(&search, vec![1, 1]) };
                let (much, little) = (run(1 << 20).finish(count), run(3).finish(count));
                assert_eq!(much.0, little.0);
                assert_eq!((much.0.len(), much.1.lower_bound), (count, little.1.lower_bound));
                let (mut all, mut thinned) = (run(1 << 20), run(3));
                all.survey(count);
                thinned.survey(count);
                assert!(thinned.waiting.len() < all.waiting.len() * 3 / 4, "hardly anything was dropped");
            }
        }
    }
}

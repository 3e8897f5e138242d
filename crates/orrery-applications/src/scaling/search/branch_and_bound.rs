//! Best-first branch and bound over pairs of a layout and a time limit.
//!
//! Every layout has one node in the queue: its time limit with the lowest bound that was not
//! expanded. The node of the lowest bound of all is solved, and the next one of its layout takes
//! its place. When that bound is above the last incumbent, so are those of all other nodes.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::bounds::{KindOption, KindOptions, LowerBounds};
use super::dynamic_program::{self, LightestSelection, is_feasible, lightest_selection};
use super::problem::{KnownTimes, Search};
use super::solution::{OptimalityProof, Rank, Solution};
use crate::scaling::Layout;

/// The number of queued nodes above which dominated nodes are pruned.
const MAX_QUEUED_NODES: usize = 1 << 20;

/// A layout with a time limit, and the lower bound of the rank of its runs.
#[derive(Debug)]
struct Node {
    rank: Rank,
    layout: Layout,
    /// The index of this time limit among the ranks of the layout.
    index: usize,
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank
            .order(&other.rank)
            .then(self.layout.cmp(&other.layout))
            .then(self.index.cmp(&other.index))
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
    /// Returns true if no run of this node can be better than the incumbent.
    fn is_dominated_by(&self, incumbent: &Solution) -> bool {
        self.rank.order(&incumbent.rank).then(self.layout.cmp(&incumbent.layout))
            == Ordering::Greater
    }
}

/// The state of a search.
pub(super) struct BranchAndBound<'a> {
    search: &'a Search<'a>,
    /// The weight of an element of each kind.
    weights: Vec<u64>,
    known: KnownTimes,
    bounds: LowerBounds,
    options: KindOptions,
    queue: BinaryHeap<Reverse<Node>>,
    /// The queue length above which dominated nodes are pruned.
    max_queued: usize,
    /// The best solutions found so far, one per layout, in order.
    incumbents: Vec<Solution>,
    proof: OptimalityProof,
}

impl<'a> BranchAndBound<'a> {
    /// A search that has not started.
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
            bounds: LowerBounds::new(search.objective, weights.clone()),
            weights,
            known: KnownTimes::new(search),
            options: KindOptions::default(),
            queue: BinaryHeap::new(),
            max_queued: MAX_QUEUED_NODES,
            incumbents: Vec::new(),
            proof,
        }
    }

    /// Returns the best solution of each layout, at most `count` of them, in order, and the proof.
    ///
    /// The lower bound of the proof covers everything that was not examined; it is infinite if that
    /// is the empty set.
    pub(super) fn run(mut self, count: usize) -> (Vec<Solution>, OptimalityProof) {
        // Known times are exact, and the better the incumbents are, the earlier the search ends.
        self.evaluate_known(count);
        self.bound_layouts(count);
        self.explore(count);
        (self.incumbents, self.proof)
    }

    /// Makes the configurations with known times incumbents.
    fn evaluate_known(&mut self, count: usize) {
        let evaluate = |(layout, selection): (Layout, &Vec<(u32, u32)>)| {
            self.search.evaluate(selection, layout, &self.weights, &self.known)
        };
        let solutions: Vec<Solution> = self.known.iter().filter_map(evaluate).collect();
        solutions.into_iter().for_each(|solution| self.add_incumbent(solution, count));
    }

    /// Enqueues the best node of every layout, and prunes a queue that is too long; `count` is the
    /// number of solutions to find. When three quarters of the steps are used, layouts are left
    /// out, and the lower bound is 0.
    fn bound_layouts(&mut self, count: usize) {
        for processes in 1..=self.search.max_processes() as u32 {
            for layout in self.search.layouts(processes) {
                self.proof.layouts += 1;
                // A quarter of the work is left for solutions: bounds alone find no configuration.
                if self.proof.steps > self.search.max_steps / 4 * 3 {
                    // The remaining layouts have no bound.
                    self.proof.lower_bound = 0.0;
                } else if let Some(&rank) = self.ranks(layout, true).first() {
                    self.queue.push(Reverse(Node { rank, layout, index: 0 }));
                    if self.queue.len() > self.max_queued {
                        self.prune(count);
                    }
                }
            }
        }
    }

    /// Expands nodes until there are `count` incumbents, then removes the dominated nodes from the
    /// queue.
    fn prune(&mut self, count: usize) {
        loop {
            let Some(Reverse(node)) = self.queue.pop() else { return };
            if !self.expand(&node, count) {
                return;
            }
            if self.incumbents.len() == count {
                break;
            }
        }
        let last = &self.incumbents[count - 1];
        self.queue.retain(|Reverse(node)| !node.is_dominated_by(last));
        // If most nodes remain, the next pruning waits until the queue has doubled: its time stays
        // proportional to the number of nodes.
        self.max_queued = self.max_queued.max(2 * self.queue.len());
    }

    /// Expands nodes in the order of their bounds until none can improve the incumbents.
    fn explore(&mut self, count: usize) {
        while let Some(Reverse(node)) = self.queue.pop() {
            // The node has the lowest bound of all, so that no other can be better, either.
            let is_dominated =
                self.incumbents.len() == count && node.is_dominated_by(&self.incumbents[count - 1]);
            if is_dominated || !self.expand(&node, count) {
                return;
            }
        }
    }

    /// Solves a node and enqueues the next one of its layout. Returns false if the work limit is
    /// reached.
    fn expand(&mut self, node: &Node, count: usize) -> bool {
        // The ranks of the layout are computed again, because nodes store only their own: few
        // layouts are expanded, and the queue has all of them.
        let ranks = self.ranks(node.layout, false);
        let work =
            dynamic_program::work(node.layout.processes, self.weights.len(), self.options.0.len());
        if self.proof.steps + work > self.search.max_steps {
            self.proof.lower_bound = self.proof.lower_bound.min(node.rank.value);
            return false;
        }
        self.proof.examined_layouts += u64::from(node.index == 0);
        self.solve(node, count);
        if let Some(&rank) = ranks.get(node.index + 1) {
            let next = Node { rank, layout: node.layout, index: node.index + 1 };
            // One solution of each layout counts, so that the next node must be better than that of
            // its layout, too.
            let own = self.incumbents.iter().find(|incumbent| incumbent.layout == node.layout);
            let last = self.incumbents.get(count - 1);
            if !own.into_iter().chain(last).any(|incumbent| next.is_dominated_by(incumbent)) {
                self.queue.push(Reverse(next));
            }
        }
        true
    }

    /// The lower bounds of the ranks of a layout, best first; with `best_only`, others may be
    /// omitted.
    fn ranks(&mut self, layout: Layout, best_only: bool) -> Vec<Rank> {
        self.proof.steps += self.options.fill(self.search, layout);
        let before = self.bounds.steps;
        let mut ranks = self.bounds.ranks(layout.processes, &self.options, best_only);
        self.proof.steps += self.bounds.steps - before;
        ranks.sort_unstable_by(Rank::order);
        ranks
    }

    /// Finds the best selection of a node, if it is feasible, and updates the incumbents.
    fn solve(&mut self, node: &Node, count: usize) {
        let layout = node.layout;
        let processes = layout.processes;
        let options = self.options.within(node.rank.seconds);
        // The bound let elements be divided. Whether whole ones add up to the number of processes
        // costs a fraction of the dynamic program.
        let (feasible, steps) = is_feasible(processes, options.clone());
        self.proof.feasibility_tests += 1;
        self.proof.steps += steps;
        if !feasible {
            return;
        }
        self.proof.dynamic_programs += 1;
        self.proof.steps +=
            dynamic_program::work(processes, self.weights.len(), options.clone().count());
        let Some(LightestSelection { weight, elements, selection }) =
            lightest_selection(processes, &self.weights, &options, &self.known.selections(layout))
        else {
            return;
        };
        // The lightest selection may be faster than the time limit of the node.
        let selected = |option: &&KindOption| selection[option.kind].1 == option.processes;
        let seconds = options.filter(selected).map(|option| option.seconds).fold(0.0, f64::max);
        let value = self.search.objective.value(seconds, weight);
        self.add_incumbent(
            Solution { rank: Rank { value, seconds, weight, elements }, layout, selection },
            count,
        );
    }

    /// Adds a solution to the incumbents if it is the best of its layout and among the best
    /// layouts.
    fn add_incumbent(&mut self, solution: Solution, count: usize) {
        let layout = solution.layout;
        match self.incumbents.iter_mut().find(|other| other.layout == layout) {
            Some(other) if *other <= solution => {}
            Some(other) => *other = solution,
            None => self.incumbents.push(solution),
        }
        self.incumbents.sort();
        self.incumbents.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::ElementTime;
    use crate::scaling::search::{Grids, Objective};
    use orrery_cluster::platform::file::parse;

    struct Uneven;

    impl ElementTime for Uneven {
        fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
            let (p, q) = layout.grid?;
            let mixed = (p * 7 + q * 13 + processes * 5 + kind as u32 * 3) % 11;
            Some(f64::from(processes * (20 + mixed)) / f64::from(p * q) + f64::from(p + q) / 10.0)
        }
    }

    #[test]
    fn pruning_does_not_change_the_result() {
        let text = "hosts = [{names = \"a\", kind = \"a\", cores = 9, processes = 3},
                             {names = \"b\", kind = \"b\", cores = 5, processes = 2}]";
        let cluster = parse(text, "c.toml").unwrap().cluster;
        for objective in [Objective::Time, Objective::CoreHours] {
            for count in [1, 5] {
                let search = Search {
                    grids: Grids::All,
                    objective,
                    ..Search::new(cluster.kinds(), &Uneven)
                };
                let run = |max_queued| BranchAndBound {
                    max_queued,
                    ..BranchAndBound::new(&search, vec![1, 1])
                };
                let (complete, pruned) = (run(1 << 20).run(count), run(3).run(count));
                assert_eq!(complete.0, pruned.0);
                assert_eq!(
                    (complete.0.len(), complete.1.lower_bound),
                    (count, pruned.1.lower_bound)
                );
                let (mut all, mut pruned) = (run(1 << 20), run(3));
                all.bound_layouts(count);
                pruned.bound_layouts(count);
                assert!(pruned.queue.len() < all.queue.len() * 3 / 4, "hardly any node was pruned");
            }
        }
    }
}

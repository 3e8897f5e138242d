use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::candidate::{Found, Rank};
use super::choices::Choices;
use super::least::{self, Least};
use super::levels::Bounds;
use super::reach::reachable;
use super::{Candidate, Grids, Objective, Proof, Search, SearchError};
use crate::scaling::Layout;

/// The most processes that a search handles.
const MOST: u64 = 1_000_000;

/// Up to so many configurations are looked at one by one, where the best few are asked for.
const FEW: f64 = 1e6;

/// The best configuration and why nothing is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The configuration.
    pub candidate: Candidate,
    /// Why nothing is better.
    pub proof: Proof,
}

/// The best configurations.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The configurations, the best one first.
    pub candidates: Vec<Candidate>,
    /// What competes in the ranking.
    pub ranked: Ranked,
    /// Why nothing is better than the first, and where the search was not cut short, than any of them in its place.
    pub proof: Proof,
}

/// What competes in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranked {
    /// All configurations.
    Configurations,
    /// The best configuration of each layout: of each number of processes, grid and block size.
    Layouts,
}

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

impl Search<'_> {
    /// The best configuration, with the proof that it is.
    ///
    /// # Errors
    ///
    /// A cluster without elements, or with room for more than 1,000,000 processes; prices that are lacking or cannot be;
    /// block sizes and grids of 0. That there is no configuration: because the model says nothing, the memory is too
    /// small, or the deadline too early. That none was found within the steps that are allowed.
    pub fn best(&self) -> Result<Best, SearchError> {
        let (found, proof) = self.run(1)?;
        let first = found.first().ok_or(SearchError::NoTimes)?;
        Ok(Best { candidate: self.candidate(first)?, proof })
    }

    /// The best few configurations: of all, where they are at most a million, else of those that are the best of their
    /// layout.
    ///
    /// # Errors
    ///
    /// As for [`Search::best`].
    pub fn ranking(&self, count: usize) -> Result<Ranking, SearchError> {
        let layouts =
            (1..=self.most_processes().min(MOST) as u32).map(|processes| self.layouts(processes).count()).max();
        if self.selections() * layouts.unwrap_or(0) as f64 <= FEW {
            let proof = self.best()?.proof;
            return Ok(Ranking { candidates: self.exhaustive(count)?, ranked: Ranked::Configurations, proof });
        }
        self.ranking_of_layouts(count)
    }

    /// The best configurations among those that are the best of their layout.
    ///
    /// # Errors
    ///
    /// As for [`Search::best`].
    pub fn ranking_of_layouts(&self, count: usize) -> Result<Ranking, SearchError> {
        let (found, proof) = self.run(count.max(1))?;
        let candidates = found.iter().take(count).map(|found| self.candidate(found)).collect::<Result<_, _>>()?;
        Ok(Ranking { candidates, ranked: Ranked::Layouts, proof })
    }

    /// The weight of an element of each kind, after a check of all that is asked.
    pub(super) fn weights(&self) -> Result<Vec<u64>, SearchError> {
        let processes = self.most_processes();
        if processes == 0 {
            return Err(SearchError::NoKinds);
        }
        if processes > MOST {
            return Err(SearchError::TooLarge { processes, most: MOST });
        }
        if self.blocks.contains(&0) {
            return Err(SearchError::Zero { what: "block size" });
        }
        if matches!(&self.grids, Grids::Given(shapes) if shapes.iter().any(|&(p, q)| p == 0 || q == 0)) {
            return Err(SearchError::Zero { what: "side of a process grid" });
        }
        self.kinds.iter().map(|kind| self.objective.weight(kind)).collect()
    }

    /// The best of each layout, the first `count` of them.
    fn run(&self, count: usize) -> Result<(Vec<Found>, Proof), SearchError> {
        let weights = self.weights()?;
        let mut run = Run {
            search: self,
            bounds: Bounds::new(self.objective, weights.clone()),
            weights,
            choices: Choices::default(),
            waiting: BinaryHeap::new(),
            found: Vec::new(),
            proof: Proof {
                selections: self.selections(),
                layouts: 0,
                examined: 0,
                tested: 0,
                programmes: 0,
                steps: 0,
                value: f64::INFINITY,
                bound: f64::INFINITY,
            },
        };
        run.survey();
        run.examine(count);
        let Run { found, mut proof, .. } = run;
        let Some(first) = found.first() else {
            return Err(if proof.bound.is_finite() {
                SearchError::TooMuchWork { steps: self.steps }
            } else {
                self.why()
            });
        };
        proof.value = first.rank.value;
        proof.bound = proof.bound.min(proof.value);
        Ok((found, proof))
    }

    /// Why there is no configuration.
    fn why(&self) -> SearchError {
        if let Some(deadline) = self.deadline {
            return match (Self { deadline: None, objective: Objective::Time, ..self.clone() }).best() {
                Ok(best) => SearchError::Deadline { deadline, fastest: best.candidate.time },
                Err(error) => error,
            };
        }
        let memory = self.memory.is_some() && Self { memory: None, ..self.clone() }.best().is_ok();
        if memory { SearchError::NoMemory } else { SearchError::NoTimes }
    }
}

/// A search under way.
struct Run<'a> {
    search: &'a Search<'a>,
    weights: Vec<u64>,
    bounds: Bounds,
    choices: Choices,
    waiting: BinaryHeap<Reverse<Node>>,
    found: Vec<Found>,
    proof: Proof,
}

impl Run<'_> {
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
    fn survey(&mut self) {
        for processes in 1..=self.search.most_processes() as u32 {
            for layout in self.search.layouts(processes) {
                self.proof.layouts += 1;
                if self.proof.steps > self.search.steps / 4 * 3 {
                    // Nothing is known of what was not surveyed.
                    self.proof.bound = 0.0;
                } else if let Some(&rank) = self.levels(layout, true).first() {
                    self.waiting.push(Reverse(Node { rank, layout, place: 0 }));
                }
            }
        }
    }

    /// Goes from the best bound to worse ones until none is left that could change what was found.
    fn examine(&mut self, count: usize) {
        while let Some(Reverse(node)) = self.waiting.pop() {
            if self.found.len() == count && node.is_behind(&self.found[count - 1]) {
                return;
            }
            let levels = self.levels(node.layout, false);
            let work = least::work(node.layout.processes, self.weights.len(), self.choices.0.len());
            if self.proof.steps + work > self.search.steps {
                self.proof.bound = self.proof.bound.min(node.rank.value);
                return;
            }
            self.proof.examined += u64::from(node.place == 0);
            self.test(&node, count);
            if let Some(&rank) = levels.get(node.place + 1) {
                let next = Node { rank, layout: node.layout, place: node.place + 1 };
                let own = self.found.iter().find(|found| found.layout == node.layout);
                let last = self.found.get(count - 1);
                if !own.into_iter().chain(last).any(|found| next.is_behind(found)) {
                    self.waiting.push(Reverse(next));
                }
            }
        }
    }

    /// Finds the best selection of a node, where there is one.
    fn test(&mut self, node: &Node, count: usize) {
        let (processes, layout) = (node.layout.processes, node.layout);
        let choices = self.choices.within(node.rank.seconds);
        let (reachable, steps) = reachable(processes, choices.clone());
        self.proof.tested += 1;
        self.proof.steps += steps;
        if !reachable {
            return;
        }
        self.proof.programmes += 1;
        self.proof.steps += least::work(processes, self.weights.len(), choices.clone().count());
        let Some(Least { weight, elements, selection }) = least::least(processes, &self.weights, &choices) else {
            return;
        };
        let chosen = |choice: &&super::choices::Choice| selection[choice.kind].1 == choice.processes;
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

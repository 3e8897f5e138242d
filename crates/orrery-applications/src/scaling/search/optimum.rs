//! Entry points of the search: the optimum, the ranking of the best configurations, and the
//! exhaustive reference.

use std::collections::BinaryHeap;

use super::branch_and_bound::BranchAndBound;
use super::problem::{Grids, KnownTimes, Objective, Search};
use super::solution::{Candidate, OptimalityProof, Rank, Solution};
use crate::run::Configuration;
use crate::scaling::{ForecastError, Layout};

/// The largest number of processes that a search supports.
const MAX_PROCESSES: u64 = 1_000_000;

/// Up to this number of configurations, rankings are found by exhaustive search.
const MAX_EXHAUSTIVE_CONFIGURATIONS: f64 = 1e6;

/// The best configuration with its optimality proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The configuration.
    pub candidate: Candidate,
    /// The proof that no configuration is better.
    pub proof: OptimalityProof,
}

/// The best configurations in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The configurations, best first.
    pub candidates: Vec<Candidate>,
    /// The set from which the configurations are ranked.
    pub scope: RankingScope,
    /// The proof that no configuration is better than the first. If the search is complete, it
    /// holds for every place.
    pub proof: OptimalityProof,
}

/// The set from which a ranking takes configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankingScope {
    /// All configurations.
    Configurations,
    /// The best configuration of each layout (number of processes, grid and block size).
    Layouts,
}

impl Search<'_> {
    /// Finds the best configuration and proves it optimal.
    ///
    /// # Errors
    ///
    /// A cluster without elements or with more than 1,000,000 processes; missing or invalid prices;
    /// block sizes or grids of 0; no feasible configuration (not covered by the model, not enough
    /// memory, deadline too short); the work limit reached before any configuration was found.
    pub fn best(&self) -> Result<Optimum, ForecastError> {
        let (found, proof) = self.branch_and_bound(1)?;
        let first = found.first().ok_or_else(no_times)?;
        Ok(Optimum { candidate: self.candidate(first)?, proof })
    }

    /// Ranks the best `count` configurations: of all configurations up to a million of them,
    /// otherwise of the best of each layout.
    ///
    /// # Errors
    ///
    /// As for [`Search::best`].
    pub fn ranking(&self, count: usize) -> Result<Ranking, ForecastError> {
        if self.selections() * self.max_layouts() as f64 <= MAX_EXHAUSTIVE_CONFIGURATIONS {
            let proof = self.best()?.proof;
            return Ok(Ranking {
                candidates: self.exhaustive(count)?,
                scope: RankingScope::Configurations,
                proof,
            });
        }
        self.ranking_of_layouts(count)
    }

    /// The largest number of layouts of any number of processes; not computed if there are too many
    /// selections anyway.
    fn max_layouts(&self) -> usize {
        if self.selections() > MAX_EXHAUSTIVE_CONFIGURATIONS {
            return 1;
        }
        let max_processes = self.max_processes().min(MAX_PROCESSES) as u32;
        (1..=max_processes).map(|processes| self.layouts(processes).count()).max().unwrap_or(0)
    }

    /// Ranks the best configurations of each layout.
    ///
    /// # Errors
    ///
    /// As for [`Search::best`].
    pub fn ranking_of_layouts(&self, count: usize) -> Result<Ranking, ForecastError> {
        let (found, proof) = self.branch_and_bound(count.max(1))?;
        let candidates = found
            .iter()
            .take(count)
            .map(|found| self.candidate(found))
            .collect::<Result<_, _>>()?;
        Ok(Ranking { candidates, scope: RankingScope::Layouts, proof })
    }

    /// Validates the problem and returns the weight of an element of each kind.
    fn weights(&self) -> Result<Vec<u64>, ForecastError> {
        let processes = self.max_processes();
        if processes == 0 {
            return Err(ForecastError::Other(
                "the cluster has no processing elements; describe its hosts in the cluster file"
                    .to_owned(),
            ));
        }
        if processes > MAX_PROCESSES {
            return Err(ForecastError::Other(format!(
                "the cluster allows {processes} processes, a search supports at most \
                    {MAX_PROCESSES}; reduce the processes per element or remove hosts"
            )));
        }
        if self.blocks.contains(&0) {
            return Err(zero("block size"));
        }
        if matches!(&self.grids, Grids::Given(shapes) if shapes.iter().any(|&(p, q)| p == 0 || q == 0))
        {
            return Err(zero("side of a process grid"));
        }
        self.kinds.iter().map(|kind| self.objective.weight(kind)).collect()
    }

    /// The best solutions of each layout, at most `count` of them, and the proof.
    fn branch_and_bound(
        &self,
        count: usize,
    ) -> Result<(Vec<Solution>, OptimalityProof), ForecastError> {
        let weights = self.weights()?;
        let (found, mut proof) = BranchAndBound::new(self, weights).run(count);
        let Some(first) = found.first() else {
            return Err(if proof.lower_bound.is_finite() {
                ForecastError::Other(format!(
                    "no configuration was found within the work limit of {} steps; allow fewer \
                        grids or block sizes",
                    self.max_steps
                ))
            } else {
                self.infeasibility()
            });
        };
        proof.best_value = first.rank.value;
        proof.lower_bound = proof.lower_bound.min(proof.best_value);
        Ok((found, proof))
    }

    /// The reason why no configuration is feasible.
    fn infeasibility(&self) -> ForecastError {
        if let Some(deadline) = self.deadline {
            return match (Self { deadline: None, objective: Objective::Time, ..self.clone() })
                .best()
            {
                Ok(best) => ForecastError::Other(format!(
                    "no configuration meets the deadline of {deadline}; the fastest takes {}: \
                        extend the deadline or add hosts",
                    best.candidate.time
                )),
                Err(error) => error,
            };
        }
        let memory = self.memory.is_some() && Self { memory: None, ..self.clone() }.best().is_ok();
        if !memory {
            return no_times();
        }
        let sentence = "no configuration has enough memory; reduce the problem size or add hosts";
        ForecastError::Other(sentence.to_owned())
    }

    /// Ranks the best configurations by enumerating all of them: slow, the reference for
    /// [`Search::best`].
    ///
    /// The list is empty if no configuration is feasible.
    ///
    /// # Errors
    ///
    /// Invalid problems, as for [`Search::best`].
    pub fn exhaustive(&self, count: usize) -> Result<Vec<Candidate>, ForecastError> {
        let (weights, known) = (self.weights()?, KnownTimes::new(self));
        let mut best = BinaryHeap::new();
        self.enumerate(&mut Vec::new(), &mut |selection| {
            let processes: u32 = selection.iter().map(|(elements, each)| elements * each).sum();
            for layout in self.layouts(processes).filter(|_| processes > 0) {
                best.extend(self.evaluate(selection, layout, &weights, &known));
                if best.len() > count {
                    best.pop();
                }
            }
        });
        best.into_sorted_vec().iter().map(|found| self.candidate(found)).collect()
    }

    /// Calls `each` with every completion of a partial selection.
    fn enumerate(&self, selection: &mut Vec<(u32, u32)>, each: &mut impl FnMut(&[(u32, u32)])) {
        let Some(kind) = self.kinds.get(selection.len()) else { return each(selection) };
        let used = (1..=kind.elements())
            .flat_map(|elements| (1..=kind.processes).map(move |m| (elements, m)));
        for option in std::iter::once((0, 0)).chain(used) {
            selection.push(option);
            self.enumerate(selection, each);
            selection.pop();
        }
    }

    /// Returns true if the cluster has the elements and the memory for a configuration in a layout.
    pub(in crate::scaling) fn fits(&self, configuration: &Configuration, layout: Layout) -> bool {
        let bytes = self.bytes(layout);
        configuration.shares.iter().all(|share| {
            let kind = self.kinds.iter().find(|kind| kind.name == share.kind);
            kind.is_some_and(|kind| {
                share.processes <= kind.processes
                    && share.elements <= kind.room(share.processes, bytes)
            })
        })
    }

    /// The solution of a selection in a layout; `None` if it is not feasible.
    pub(super) fn evaluate(
        &self,
        selection: &[(u32, u32)],
        layout: Layout,
        weights: &[u64],
        known: &KnownTimes,
    ) -> Option<Solution> {
        let bytes = self.bytes(layout);
        let known = known.get(layout, selection);
        let (mut seconds, mut weight, mut elements) = (known.unwrap_or(0.0), 0, 0);
        for (kind, &(taken, processes)) in
            selection.iter().enumerate().filter(|(_, (taken, _))| *taken > 0)
        {
            if known.is_none() {
                seconds = seconds.max(self.seconds(kind, processes, layout)?);
            }
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
        Some(Solution {
            rank: Rank { value, seconds, weight, elements },
            layout,
            selection: selection.to_vec(),
        })
    }
}

/// The error of a model that covers no configuration of the search.
fn no_times() -> ForecastError {
    ForecastError::Other(
        "the model covers no configuration of this cluster with these grids and block sizes; \
            measure runs on this cluster or allow other grids and block sizes"
            .to_owned(),
    )
}

/// The error of a block size or a side of a grid of 0.
fn zero(what: &str) -> ForecastError {
    ForecastError::Other(format!("the {what} is 0; it must be at least 1"))
}

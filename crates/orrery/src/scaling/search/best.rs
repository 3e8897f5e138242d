use super::candidate::Found;
use super::run::Run;
use super::{Candidate, Grids, Objective, OptimalityProof, Search, SearchError};

/// The most processes that a search handles.
const MOST: u64 = 1_000_000;

/// Up to so many configurations are looked at one by one, where the best few are asked for.
const FEW: f64 = 1e6;

/// The best configuration and why nothing is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The configuration.
    pub candidate: Candidate,
    /// Why nothing is better.
    pub proof: OptimalityProof,
}

/// The best configurations.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The configurations, the best one first.
    pub candidates: Vec<Candidate>,
    /// What competes in the ranking.
    pub scope: RankingScope,
    /// Why nothing is better than the first, and where the search was not cut short, than any of them in its place.
    pub proof: OptimalityProof,
}

/// What competes in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankingScope {
    /// All configurations.
    Configurations,
    /// The best configuration of each layout: of each number of processes, grid and block size.
    Layouts,
}

impl Search<'_> {
    /// The best configuration, with the proof that it is.
    ///
    /// # Errors
    ///
    /// A cluster without elements, or with room for more than 1,000,000 processes; prices that are lacking or cannot be;
    /// block sizes and grids of 0. That there is no configuration: because the model says nothing, the memory is too
    /// small, or the deadline too early. That none was found within the steps that are allowed.
    pub fn best(&self) -> Result<Optimum, SearchError> {
        let (found, proof) = self.run(1)?;
        let first = found.first().ok_or(SearchError::NoTimes)?;
        Ok(Optimum { candidate: self.candidate(first)?, proof })
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
            return Ok(Ranking { candidates: self.exhaustive(count)?, scope: RankingScope::Configurations, proof });
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
        Ok(Ranking { candidates, scope: RankingScope::Layouts, proof })
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
    fn run(&self, count: usize) -> Result<(Vec<Found>, OptimalityProof), SearchError> {
        let weights = self.weights()?;
        let (found, mut proof) = Run::new(self, weights).finish(count);
        let Some(first) = found.first() else {
            return Err(if proof.lower_bound.is_finite() {
                SearchError::TooMuchWork { steps: self.steps }
            } else {
                self.why()
            });
        };
        proof.best_value = first.rank.value;
        proof.lower_bound = proof.lower_bound.min(proof.best_value);
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

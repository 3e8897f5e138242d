use std::collections::BTreeMap;

use super::belief::Belief;
use super::place::{Place, key, known};
use super::worlds::{Worlds, Worth};
use super::{AdviceError, SearchSpace};
use crate::run::Run;
use crate::scaling::{Point, TermModel, Uncertainty};
use crate::units::Seconds;

/// When a decision is certain, and how runs are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdviceOptions {
    /// A choice that takes no more than this part longer than the best is good enough.
    pub tolerance: f64,
    /// A decision is certain when its choice is good enough with this probability.
    pub confidence: f64,
    /// How often each run is made.
    pub repetitions: u32,
    /// The seed of the worlds that are drawn.
    pub seed: u64,
}

impl Default for AdviceOptions {
    fn default() -> Self {
        Self { tolerance: 0.01, confidence: 0.95, repetitions: 1, seed: 1 }
    }
}

/// How a decision stands.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionStatus {
    /// N.
    pub size: f64,
    /// What is chosen now.
    pub choice: Point,
    /// How long it is believed to take.
    pub seconds: Seconds,
    /// The probability that it is good enough.
    pub probability: f64,
    /// How much longer than the best it takes on average, relative to the best.
    pub expected_loss: f64,
}

/// The places among which is chosen for one size.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub(super) size: f64,
    pub(super) alternatives: Vec<usize>,
}

/// Knows what is to be decided and which runs can be made, and what is known so far.
#[derive(Debug, Clone)]
pub struct Advisor<'a> {
    pub(super) model: &'a TermModel,
    pub(super) uncertainty: &'a Uncertainty,
    pub(super) options: AdviceOptions,
    pub(super) places: Vec<Place>,
    pub(super) decisions: Vec<Decision>,
    pub(super) runs: Vec<usize>,
}

impl<'a> Advisor<'a> {
    /// An advisor on the configurations of a field for problems of these sizes. `known` are the runs that the model was
    /// fitted to, as far as they are at hand; runs can be made of `sizes`, or of parts of the sizes asked for where that
    /// is empty.
    ///
    /// # Errors
    ///
    /// A model that knows no errors, or cannot be asked about these elements; nothing to decide; what a search of the
    /// configurations refuses.
    pub fn new(
        model: &'a TermModel,
        known_runs: &[Run],
        field: &SearchSpace,
        asked: &[f64],
        sizes: &[f64],
        options: AdviceOptions,
    ) -> Result<Self, AdviceError> {
        let uncertainty = model.uncertainty.as_ref().ok_or(AdviceError::NoUncertainty { points: model.points })?;
        if asked.is_empty() {
            return Err(AdviceError::NoSizes);
        }
        let known = known(model, known_runs);
        let (mut places, mut numbers) = (Vec::new(), BTreeMap::new());
        let mut enter = |point: Point| {
            let key = key(model, &point);
            let times = known.get(&key);
            if let Some(&number) = numbers.get(&key) {
                return Ok(number);
            }
            places.push(Place::of(model, uncertainty, point, times)?);
            numbers.insert(key, places.len() - 1);
            Ok::<usize, AdviceError>(places.len() - 1)
        };
        let (mut decisions, mut runs) = (Vec::new(), Vec::new());
        let mut favourites = Vec::new();
        for &size in asked {
            let mut alternatives = field.alternatives(model, size)?;
            alternatives.extend(known_runs.iter().map(Point::of).filter(|point| field.holds(point, size)));
            favourites.extend(alternatives.iter().take(FAVOURITES).cloned());
            let mut alternatives: Vec<usize> =
                alternatives.into_iter().map(&mut enter).collect::<Result<_, AdviceError>>()?;
            alternatives.sort_unstable();
            alternatives.dedup();
            if alternatives.len() < 2 {
                return Err(AdviceError::SingleCandidate { size });
            }
            runs.extend(&alternatives);
            decisions.push(Decision { size, alternatives });
        }
        for point in field.experiments(model, &favourites, &super::field::sizes(model, asked, sizes))? {
            runs.push(enter(point)?);
        }
        runs.sort_unstable();
        runs.dedup();
        if !sizes.is_empty() {
            let size = |place: &usize| places[*place].point.variables.get(crate::run::variable::PROBLEM_SIZE).copied();
            runs.retain(|place| size(place).is_some_and(|size| sizes.iter().any(|own| own.total_cmp(&size).is_eq())));
        }
        Ok(Self { model, uncertainty, options, places, decisions, runs })
    }

    /// Leaves out runs that cannot be made, such as those that failed.
    pub fn exclude(&mut self, points: &[Point]) {
        let keys: Vec<_> = points.iter().map(|point| key(self.model, point)).collect();
        self.runs.retain(|&run| !keys.contains(&key(self.model, &self.places[run].point)));
    }

    /// How the decisions stand now.
    pub fn decision_status(&self) -> Vec<DecisionStatus> {
        let belief = self.belief();
        let worlds = self.worlds();
        let standing = |decision: &Decision| {
            let Worth { probability, loss } = worlds.judge(&decision.alternatives, self.options.tolerance);
            let choice = choice(&belief, &decision.alternatives);
            let (size, seconds) = (decision.size, Seconds::new(belief.mean(choice)));
            DecisionStatus {
                size,
                choice: self.places[choice].point.clone(),
                seconds,
                probability,
                expected_loss: loss,
            }
        };
        self.decisions.iter().map(standing).collect()
    }

    /// Whether all decisions are certain.
    pub fn is_certain(&self, standings: &[DecisionStatus]) -> bool {
        standings.iter().all(|standing| standing.probability >= self.options.confidence)
    }

    pub(super) fn belief(&self) -> Belief {
        Belief::of(&self.places, self.uncertainty, self.options.repetitions)
    }

    pub(super) fn worlds(&self) -> Worlds<'_> {
        Worlds::draw(self.model, self.uncertainty, &self.places, self.options.seed)
    }
}

/// So many of the best alternatives of each size may be run with other sizes too.
const FAVOURITES: usize = 12;

/// The alternative with the least time, the first of equals.
pub(super) fn choice(belief: &Belief, alternatives: &[usize]) -> usize {
    let least = alternatives.iter().copied().min_by(|&a, &b| belief.mean(a).total_cmp(&belief.mean(b)));
    least.unwrap_or_default()
}

//! The advisor: decisions, candidate points and possible runs.

use std::collections::BTreeMap;

use super::draws::PosteriorDraws;
use super::posterior::{CandidatePoint, Posterior, point_key};
use super::search_space;
use crate::run::variable;
use crate::scaling::measured::MeasuredTimes;
use crate::scaling::search::SearchSpace;
use crate::scaling::{
    ExecutionTimeModel, ForecastError, MeasuredPoint, Point, TermModel, Uncertainty,
};
use orrery_base::units::Seconds;

/// The standard deviation of the logarithm of the times of all mixes of kinds, relative to those of
/// single kinds, while no run mixes kinds.
const UNTESTED_MIX_DEVIATION: f64 = 0.1;

/// The number of best alternatives of each size that may also be run with other sizes.
const TRANSFERRED_ALTERNATIVES: usize = 12;

/// The criterion for a certain decision, and how runs are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdviceOptions {
    /// The accepted loss: a choice is good if it takes at most this much longer than the best,
    /// relative to the best.
    pub tolerance: f64,
    /// The probability of a good choice at which a decision is certain.
    pub confidence: f64,
    /// The number of repetitions of each run.
    pub repetitions: u32,
    /// The number of production runs that each choice is for. A run pays if it is expected to save
    /// more time in them than it costs.
    pub uses: u32,
    /// The seed of the Monte Carlo draws.
    pub seed: u64,
}

impl Default for AdviceOptions {
    fn default() -> Self {
        Self { tolerance: 0.01, confidence: 0.95, repetitions: 1, uses: 100, seed: 1 }
    }
}

/// The current choice for one problem size, with the probability that it is good.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionStatus {
    /// The problem size N.
    pub size: f64,
    /// The current choice.
    pub choice: Point,
    /// The expected time of the choice.
    pub seconds: Seconds,
    /// The probability that the choice is within the tolerance of the best.
    pub probability: f64,
    /// The expected loss of the choice, relative to the best time.
    pub expected_loss: f64,
    /// True if no run mixes kinds of elements, and the choice does, or mixes are no alternatives
    /// because no run has several elements: how they work together is assumed or unknown, so that
    /// the decision is not certain whatever its probability.
    pub is_untested_mix: bool,
}

/// The alternatives for one problem size, by index of their points.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub(super) size: f64,
    pub(super) alternatives: Vec<usize>,
}

/// The largest number of problem sizes: the runs of each are compared with those of all others.
const MAX_SIZES: usize = 200;

/// Selects the runs that make decisions between configurations certain at the least cost.
#[derive(Debug, Clone)]
pub struct Advisor<'a> {
    pub(super) model: &'a TermModel,
    uncertainty: &'a Uncertainty,
    pub(super) options: AdviceOptions,
    pub(super) points: Vec<CandidatePoint>,
    pub(super) decisions: Vec<Decision>,
    /// The points that can be run.
    pub(super) runs: Vec<usize>,
    /// True if a measured run mixes kinds of elements.
    has_mixed_run: bool,
    /// True if there are several kinds, but the model has no time for several elements.
    lacks_mixes: bool,
}

/// Returns true if elements of several kinds take part.
pub(super) fn is_mix(point: &Point) -> bool {
    point.configuration.shares.len() > 1
}

impl<'a> Advisor<'a> {
    /// An advisor for problems of the sizes `asked` on the configurations of a search space.
    ///
    /// `measured` are the runs that the model was fitted to, by point. Runs are limited to `sizes`;
    /// if it is empty, they have the sizes asked for and fractions of them.
    ///
    /// # Errors
    ///
    /// A model of a method without uncertainty, a model without uncertainty, or one that does not
    /// cover these elements; no size; a size with a single candidate; an error of the configuration
    /// search.
    pub fn new(
        model: &'a ExecutionTimeModel,
        measured: &[MeasuredPoint],
        space: &SearchSpace,
        asked: &[f64],
        sizes: &[f64],
        options: AdviceOptions,
    ) -> Result<Self, ForecastError> {
        let times = model;
        let model = times.as_terms().ok_or_else(|| {
            ForecastError::Other(format!(
                "advice needs a model with uncertainty, not one of the method {:?}; fit one of the \
                    method \"terms\"",
                times.method()
            ))
        })?;
        let uncertainty = model
            .uncertainty
            .as_ref()
            .ok_or(ForecastError::NoUncertainty { points: model.points })?;
        if asked.is_empty() {
            let sentence = "no problem size is given; name at least one";
            return Err(ForecastError::Other(sentence.to_owned()));
        }
        let given = asked.len().max(sizes.len());
        if given > MAX_SIZES {
            return Err(ForecastError::Other(format!(
                "there are {given} problem sizes; give at most {MAX_SIZES}"
            )));
        }
        let own_runs = MeasuredTimes::new(measured);
        let (mut points, mut indices) = (Vec::new(), BTreeMap::new());
        let mut index_of = |point: Point| {
            let key = point_key(model, &point);
            if let Some(&index) = indices.get(&key) {
                return Ok(index);
            }
            let own = own_runs.at(&point);
            points.push(CandidatePoint::new(model, uncertainty, point, own.as_ref())?);
            indices.insert(key, points.len() - 1);
            Ok::<usize, ForecastError>(points.len() - 1)
        };
        let (mut decisions, mut runs) = (Vec::new(), Vec::new());
        let mut transferred = Vec::new();
        for &size in asked {
            let alternatives = search_space::alternatives(space, times, measured, size)?;
            transferred.extend(alternatives.iter().take(TRANSFERRED_ALTERNATIVES).cloned());
            let mut alternatives: Vec<usize> = alternatives
                .into_iter()
                .map(&mut index_of)
                .collect::<Result<_, ForecastError>>()?;
            alternatives.sort_unstable();
            alternatives.dedup();
            if alternatives.len() < 2 {
                return Err(ForecastError::Other(format!(
                    "there is only one configuration for n = {size}; a choice needs at least two"
                )));
            }
            runs.extend(&alternatives);
            decisions.push(Decision { size, alternatives });
        }
        let run_sizes = search_space::run_sizes(model, asked, sizes);
        for point in search_space::experiments(space, times, &transferred, &run_sizes)? {
            runs.push(index_of(point)?);
        }
        runs.sort_unstable();
        runs.dedup();
        if !sizes.is_empty() {
            let size =
                |run: &usize| points[*run].point.variables.get(variable::PROBLEM_SIZE).copied();
            runs.retain(|run| {
                size(run).is_some_and(|size| sizes.iter().any(|own| own.total_cmp(&size).is_eq()))
            });
        }
        let has_mixed_run = measured.iter().any(|measured| is_mix(&measured.point));
        let has_single_elements =
            |(name, value): (&str, f64)| name == variable::SPANS_ELEMENTS && value < 0.5;
        let lacks_mixes =
            space.kinds.len() > 1 && model.constant_variables().any(has_single_elements);
        Ok(Self {
            model,
            uncertainty,
            options,
            points,
            decisions,
            runs,
            has_mixed_run,
            lacks_mixes,
        })
    }

    /// Removes points from the possible runs, such as runs that failed.
    pub fn exclude(&mut self, points: &[Point]) {
        let keys: Vec<_> = points.iter().map(|point| point_key(self.model, point)).collect();
        self.runs.retain(|&run| !keys.contains(&point_key(self.model, &self.points[run].point)));
    }

    /// The status of every decision before any further run.
    pub fn decision_status(&self) -> Vec<DecisionStatus> {
        let posterior = self.posterior();
        let draws = self.draws();
        let status = |decision: &Decision| {
            let quality = draws.choice_quality(&decision.alternatives, self.options.tolerance);
            let choice = posterior.best(&decision.alternatives);
            DecisionStatus {
                size: decision.size,
                choice: self.points[choice].point.clone(),
                seconds: Seconds::new(posterior.mean(choice)),
                probability: quality.probability,
                expected_loss: quality.expected_loss,
                is_untested_mix: !self.has_mixed_run
                    && (self.lacks_mixes || is_mix(&self.points[choice].point)),
            }
        };
        self.decisions.iter().map(status).collect()
    }

    /// Returns true if the probability of a good choice reaches the confidence for every decision,
    /// and mixes of kinds were run where they matter.
    pub fn is_certain(&self, decisions: &[DecisionStatus]) -> bool {
        decisions.iter().all(|decision| {
            decision.probability >= self.options.confidence && !decision.is_untested_mix
        })
    }

    /// The posterior before any further run.
    pub(super) fn posterior(&self) -> Posterior {
        let Self { model, uncertainty, points, options, .. } = self;
        Posterior::new(model, uncertainty, points, options.repetitions, self.mix_deviation())
    }

    /// Draws from the posterior before any further run.
    pub(super) fn draws(&self) -> PosteriorDraws<'_> {
        let Self { model, uncertainty, points, options, .. } = self;
        PosteriorDraws::new(model, uncertainty, points, self.mix_deviation(), options.seed)
    }

    /// The relative standard deviation that the times of all mixes of kinds have in common.
    fn mix_deviation(&self) -> f64 {
        if self.has_mixed_run { 0.0 } else { UNTESTED_MIX_DEVIATION }
    }
}

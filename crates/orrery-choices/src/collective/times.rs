//! Predicted times of the candidates of a choice, without intervals.

use std::collections::BTreeMap;

use super::{Candidate, CollectiveChoice, EQUAL_TIMES};
use orrery_base::numeric::parallel_map;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_models::comm::PointToPoint;
use orrery_models::model::{Model, ModelKind, PlayedFlows, PredictError, Predictor};
use orrery_play::engine::{Completion, MatchedCollective, MatchedEngine};
use orrery_program::schedule::Algorithm;

/// The largest number of segments of a candidate at a size. With more of them the fixed time of a
/// message dominates.
const MAX_SEGMENTS: u64 = 256;

/// The predicted times of the candidates of a choice; a candidate is played only as long as it can
/// be fast enough.
pub(super) struct Times<'a> {
    choice: &'a CollectiveChoice,
    predictor: Predictor<'a>,
    network: Box<dyn PointToPoint>,
    engine: MatchedEngine,
    placement: Placement,
    /// The operations that are played by flows.
    flows: Option<PlayedFlows>,
    /// True if lower bounds of times at a size hold at larger ones.
    grows_with_size: bool,
    is_homogeneous: bool,
    candidates: Vec<State>,
}

/// A candidate: its messages, if it is played with matched ones, and its time at the previous size,
/// or a bound of it.
#[derive(Debug, Default)]
struct State {
    matched: Option<MatchedCollective>,
    /// The part of one rank, if all ranks do the same on equal processors.
    of_one_rank: Option<MatchedCollective>,
    latest: Option<f64>,
    /// A size, and a lower bound of the time at this size.
    bound: Option<(Bytes, f64)>,
}

impl<'a> Times<'a> {
    /// The times of the candidates by a kind of model.
    ///
    /// # Errors
    ///
    /// When the model does not contain the kind, or a root or the number of processors is too large
    /// for it.
    pub(super) fn new(
        model: &'a Model,
        kind: ModelKind,
        choice: &'a CollectiveChoice,
    ) -> Result<Self, PredictError> {
        let network = model.network(kind)?;
        let (procs, processors) = (choice.procs, model.processors());
        if procs > processors {
            return Err(PredictError::NoSuchProcessor {
                processor: Processor(processors as u32),
                processors,
            });
        }
        if let Some(Candidate { root, .. }) =
            choice.candidates.iter().find(|one| one.root.index() >= procs)
        {
            return Err(PredictError::NoSuchProcessor { processor: *root, processors: procs });
        }
        let (grows_with_size, is_homogeneous) =
            (network.grows_with_size(), network.is_homogeneous());
        let candidates = choice.candidates.iter().map(|_| State::default()).collect();
        Ok(Self {
            choice,
            predictor: Predictor::new(model, kind)?,
            network,
            engine: MatchedEngine::default(),
            placement: Placement::identity(choice.procs),
            flows: PlayedFlows::of(model, kind),
            grows_with_size,
            is_homogeneous,
            candidates,
        })
    }

    /// The times of all candidates up to `ratio` times the shortest one, and in any case of the
    /// `least` fastest different ones; `None` for slower ones. If one is enough, candidates after
    /// the fastest one are left out unless they are faster by this ratio.
    ///
    /// Candidates are tried in the order of their times at the previous size, so that most slow
    /// ones end early.
    pub(super) fn at(
        &mut self,
        size: Bytes,
        ratio: f64,
        least: usize,
    ) -> Result<Vec<Option<Seconds>>, PredictError> {
        let same = self.same(size);
        let is_alone = |one: &usize| same[*one] == *one;
        let mut order: Vec<usize> =
            (0..same.len()).filter(|one| is_alone(one) && self.is_coarse(*one, size)).collect();
        if order.is_empty() {
            order = (0..same.len()).filter(is_alone).collect();
        }
        let latest = |one: &usize| self.candidates[*one].latest.unwrap_or(0.0);
        order.sort_by(|a, b| latest(a).total_cmp(&latest(b)));
        let mut times = vec![None; same.len()];
        // The shortest times so far, ascending, with their candidates.
        let mut shortest: Vec<(f64, usize)> = Vec::new();
        let limit = |shortest: &[(f64, usize)]| {
            let of_least = shortest.get(least - 1).map_or(f64::INFINITY, |(time, _)| *time);
            shortest.first().map_or(f64::INFINITY, |(first, _)| first * ratio).max(of_least)
        };
        for one in order {
            let (limit, fastest) = (limit(&shortest), shortest.first().copied());
            let needed = fastest
                .filter(|(_, fastest)| least == 1 && *fastest < one)
                .map(|(time, _)| time / ratio);
            times[one] = self.of(one, size, needed.unwrap_or(limit))?;
            self.candidates[one].latest = Some(times[one].map_or(limit, Seconds::get));
            if let Some(time) = times[one] {
                let place = shortest.partition_point(|(other, _)| *other <= time.get());
                shortest.insert(place, (time.get(), one));
            }
        }
        let limit = limit(&shortest);
        Ok(same.iter().map(|&one| times[one].filter(|time| time.get() <= limit)).collect())
    }

    /// Returns true if the losses of a candidate at a size may be unknown.
    pub(super) fn any_has_unknown_losses(&self, size: Bytes) -> bool {
        self.choice.candidates.iter().any(|candidate| {
            self.predictor.may_have_unknown_losses(&self.choice.collective(*candidate, size))
        })
    }

    /// For each candidate the first one that consists of the same messages at a size.
    pub(super) fn same(&self, size: Bytes) -> Vec<usize> {
        let candidates = &self.choice.candidates;
        let reduced = |&Candidate { algorithm, root }: &Candidate| (algorithm.simplest(size), root);
        let mut first = BTreeMap::new();
        candidates
            .iter()
            .enumerate()
            .map(|(index, one)| *first.entry(reduced(one)).or_insert(index))
            .collect()
    }

    /// Returns true if a candidate has few enough segments at a size.
    fn is_coarse(&self, candidate: usize, size: Bytes) -> bool {
        is_coarse(self.choice.candidates[candidate].algorithm, size)
    }

    /// The time of a candidate up to a limit; `None` beyond it.
    fn of(
        &mut self,
        candidate: usize,
        size: Bytes,
        limit: f64,
    ) -> Result<Option<Seconds>, PredictError> {
        let query = self.choice.query(self.choice.candidates[candidate], size);
        query.check_operations()?;
        let factor = self.predictor.expected_factor(&query);
        match self.plain_time(candidate, size, limit / factor) {
            Completion::At(time) => Ok(Some(time * factor)),
            Completion::Later => Ok(None),
            Completion::Unknown => self.predictor.expected_time(&query).map(Some),
        }
    }

    /// The time of a candidate without its correction, up to a limit; unknown if it cannot be
    /// played with matched messages.
    fn plain_time(&mut self, candidate: usize, size: Bytes, limit: f64) -> Completion {
        let collective = self.choice.collective(self.choice.candidates[candidate], size);
        let may_escalate = self.predictor.may_escalate(&collective);
        let has_flows = || self.flows.is_some_and(|played| played.contains(&collective));
        if may_escalate || has_flows() {
            return Completion::Unknown;
        }
        let Self { network, engine, placement, .. } = self;
        let State { matched, of_one_rank, bound, .. } = &mut self.candidates[candidate];
        let is_undivided = collective.algorithm.segment() == Bytes::ZERO;
        let is_slow = |(smaller, least): &(Bytes, f64)| {
            *smaller <= size && *least > limit * (1.0 + EQUAL_TIMES)
        };
        if self.grows_with_size && is_undivided && bound.as_ref().is_some_and(is_slow) {
            return Completion::Later;
        }
        let mut play = |matched: &MatchedCollective| {
            let completion = engine.run(matched, placement, &mut **network, Seconds::new(limit));
            *bound = Some((size, engine.least_time().get()));
            Some(completion).filter(|completion| !matches!(completion, Completion::Unknown))
        };
        let can_play = |matched: &mut Option<MatchedCollective>| {
            matched.as_mut().is_some_and(|one| one.set_block(size))
        };
        if can_play(of_one_rank)
            && let Some(completion) = of_one_rank.as_ref().and_then(&mut play)
        {
            return completion;
        }
        if !can_play(matched) {
            *matched = MatchedCollective::new(&collective);
            *of_one_rank = matched
                .as_ref()
                .filter(|_| self.is_homogeneous)
                .and_then(MatchedCollective::of_one_rank);
            if let Some(completion) = of_one_rank.as_ref().and_then(&mut play) {
                return completion;
            }
        }
        matched.as_ref().and_then(&mut play).unwrap_or(Completion::Unknown)
    }
}

/// Returns true if an algorithm has few enough segments at a size.
pub(super) fn is_coarse(algorithm: Algorithm, size: Bytes) -> bool {
    let segment = algorithm.segment().get();
    segment == 0 || size.get().div_ceil(segment) <= MAX_SEGMENTS
}

/// The fastest candidate of a choice at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The size of a block, or of the vector.
    pub size: Bytes,
    /// The first of the fastest candidates.
    pub best: Candidate,
    /// Its predicted time.
    pub seconds: Seconds,
}

/// Returns the fastest candidate at each of some sizes, by a kind of model, without intervals.
///
/// A candidate is played only until it is slower than another one. The result is that of a
/// prediction of all candidates.
///
/// ```
/// use orrery_choices::collective::{Candidate, CollectiveChoice, table};
/// use orrery_models::comm::LogGp;
/// use orrery_models::model::{Model, ModelKind};
/// use orrery_base::numeric::Estimate;
/// use orrery_cluster::platform::Processor;
/// use orrery_program::schedule::CollectiveKind;
/// use orrery_base::units::Bytes;
/// let parameters = [12e-6, 2e-6, 3e-6, 5e-6, 0.8e-9].map(Estimate::exact);
/// let loggp = LogGp::from_estimates(&parameters).expect("five parameters");
/// let model = Model { hosts: vec![String::new(); 16], ..Model::default() }.with(ModelKind::LogGp, &loggp);
/// let sizes = [1 << 3, 1 << 20].map(Bytes::new);
/// for procs in 2..=16 {
///     let algorithms = CollectiveKind::Allreduce.algorithms_on(procs);
///     let choice = CollectiveChoice {
///         operation: CollectiveKind::Allreduce,
///         library: None,
///         procs,
///         candidates: algorithms.map(|algorithm| Candidate { algorithm, root: Processor(0) }).collect(),
///         sizes: (sizes[0], sizes[1]),
///         step: 1,
///         merges: false,
///         kept: None,
///     };
///     assert_eq!(table(&model, ModelKind::LogGp, &choice, &sizes)?.len(), 2);
/// }
/// # Ok::<(), orrery_models::model::PredictError>(())
/// ```
///
/// # Errors
///
/// When the model does not contain the kind, or a root or the number of processors is too large for
/// it.
pub fn table(
    model: &Model,
    kind: ModelKind,
    choice: &CollectiveChoice,
    sizes: &[Bytes],
) -> Result<Vec<Decision>, PredictError> {
    let mut times = Times::new(model, kind, choice)?;
    let mut decisions = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let times = times.at(size, 1.0 + EQUAL_TIMES, 1)?;
        // Those within rounding errors of the fastest remain; the first of them is chosen.
        let first =
            choice.candidates.iter().zip(times).find_map(|(best, time)| Some((*best, time?)));
        decisions.extend(first.map(|(best, seconds)| Decision { size, best, seconds }));
    }
    Ok(decisions)
}

/// Returns the tables of several choices, such as all operations on all numbers of processors, as
/// [`table`] returns that of one. With the feature `parallel` they are made on all cores.
///
/// # Errors
///
/// As [`table`], for the first choice with an error.
pub fn tables(
    model: &Model,
    kind: ModelKind,
    choices: &[CollectiveChoice],
    sizes: &[Bytes],
) -> Result<Vec<Vec<Decision>>, PredictError> {
    parallel_map(choices.len(), |index| table(model, kind, &choices[index], sizes))
        .into_iter()
        .collect()
}

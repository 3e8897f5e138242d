//! Choice of collective operations: the fastest algorithm and root at each size.
//!
//! A model predicts every candidate on a grid of sizes. If the fastest candidate, or the significance of its margin,
//! differs between two sizes of the grid, bisection finds the size at which it changes.
//!
//! ```
//! use orrery::collective::{Candidate, CollectiveChoice, choose};
//! use orrery::comm::Lmo;
//! use orrery::model::{Model, ModelKind};
//! use orrery::numeric::Estimate;
//! use orrery::platform::{PerPair, Processor};
//! use orrery::schedule::{Algorithm, CollectiveKind};
//! use orrery::units::Bytes;
//! let lmo = Lmo {
//!     fixed_delay: vec![Estimate::exact(10e-6); 8],
//!     byte_delay: vec![Estimate::exact(1e-9); 8],
//!     link_latency: Some(PerPair::from_fn(8, |_, _| Estimate::exact(20e-6))),
//!     link_byte_delay: PerPair::from_fn(8, |_, _| Estimate::exact(8e-9)),
//! };
//! let model = Model { hosts: vec![String::new(); 8], ..Model::default() }.with(ModelKind::Lmo, &lmo);
//! let choice = CollectiveChoice {
//!     operation: CollectiveKind::Scatter,
//!     procs: 8,
//!     candidates: [Algorithm::Linear, Algorithm::Binomial].map(|algorithm| Candidate { algorithm, root: Processor(0) }).to_vec(),
//!     sizes: (Bytes::new(1), Bytes::new(1 << 20)),
//!     step: 1,
//! };
//! let ranges = choose(&model, ModelKind::Lmo, &choice)?;
//! assert_eq!((ranges[0].sizes.0, ranges.last().unwrap().sizes.1), choice.sizes);
//! # Ok::<(), orrery::model::PredictError>(())
//! ```

pub mod measured;

use std::collections::BTreeSet;

use crate::comm::{Contribution, ParameterErrors, Predicted};
use crate::model::{Alarm, Model, ModelKind, PredictError, Prediction, Predictor, Query};
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::schedule::{Algorithm, Collective, CollectiveKind, Rank};
use crate::units::{Bytes, Seconds};

/// One way to carry out a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The root.
    pub root: Processor,
}

/// The operation, the candidates and the sizes of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveChoice {
    /// The operation.
    pub operation: CollectiveKind,
    /// The number of processors, from 0.
    pub procs: usize,
    /// The candidates; the first of equally fast ones is chosen.
    pub candidates: Vec<Candidate>,
    /// The smallest and the largest block of one processor.
    pub sizes: (Bytes, Bytes),
    /// The accuracy of the sizes at which the choice changes, in bytes, at least 1.
    pub step: u64,
}

/// The fastest candidate and the next one at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The size of the block of one processor.
    pub size: Bytes,
    /// The predicted time of the fastest candidate.
    pub seconds: Seconds,
    /// The next candidate; `None` if there is only one candidate.
    pub next: Option<Candidate>,
    /// The predicted time of the next candidate minus that of the fastest one.
    pub margin: Seconds,
    /// The interval of the margin; `None` if a parameter has none.
    pub interval: Option<(Seconds, Seconds)>,
}

impl Comparison {
    /// Returns true if the interval of the margin excludes 0; `None` if it has no interval.
    pub fn is_distinct(&self) -> Option<bool> {
        if self.next.is_none() {
            return Some(true);
        }
        self.interval.map(|(low, _)| low.get() > EQUAL_TIMES * self.seconds.get())
    }
}

/// A range of sizes with one fastest candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeRange {
    /// The smallest and the largest size of the range.
    pub sizes: (Bytes, Bytes),
    /// The fastest candidate.
    pub best: Candidate,
    /// True if the margin to the next candidate is significant throughout the range; `None` if margins have no
    /// interval.
    pub distinct: Option<bool>,
    /// The comparison at the smallest size.
    pub first: Comparison,
    /// The comparison at the largest size.
    pub last: Comparison,
    /// The alarms of the predictions of the fastest and the next candidate, at all sizes at which they were compared.
    pub alarms: Vec<Alarm>,
}

/// Returns the ranges of sizes, ascending and without gaps, each with a single fastest candidate by a kind of model.
///
/// The interval of a margin follows from the difference of the two critical paths and the correlations of the errors of
/// parameters: terms on both paths cancel.
///
/// # Errors
///
/// When the model does not contain the kind, or a root or the number of processors is too large for it.
pub fn choose(model: &Model, kind: ModelKind, choice: &CollectiveChoice) -> Result<Vec<SizeRange>, PredictError> {
    let mut search = Search { predictor: Predictor::new(model, kind)?, errors: model.parameter_errors(kind), choice };
    let grid = grid(model, choice);
    let mut ranges: Vec<SizeRange> = Vec::new();
    let mut previous: Option<Found> = None;
    for size in grid {
        let found = search.at(size)?;
        if let Some(previous) = previous {
            search.refine(&mut ranges, &previous, &found)?;
        } else {
            ranges.push(found.range());
        }
        previous = Some(found);
    }
    Ok(ranges)
}

/// The relative difference up to which predicted times are equal, so that rounding errors decide nothing.
const EQUAL_TIMES: f64 = 1e-9;

/// The number of sizes of the grid for each doubling.
const SIZES_PER_DOUBLING: i32 = 4;

/// Returns the sizes at which candidates are compared first: in steps of a quarter of a doubling, and on both sides of
/// the thresholds of the model, where times are discontinuous.
fn grid(model: &Model, choice: &CollectiveChoice) -> BTreeSet<Bytes> {
    let (low, high) = (choice.sizes.0.get(), choice.sizes.1.get());
    let mut sizes = BTreeSet::from([low, high]);
    let factor = |step: i32| 2_f64.powf(f64::from(step) / f64::from(SIZES_PER_DOUBLING));
    sizes.extend((0..64 * SIZES_PER_DOUBLING).map(|step| factor(step) as u64));
    for candidate in &choice.candidates {
        let thresholds = model.thresholds_of(&choice.collective(*candidate, Bytes::ZERO));
        let places = thresholds
            .into_iter()
            .flat_map(|thresholds| [thresholds.scatter_threshold, thresholds.gather_small, thresholds.gather_large]);
        sizes.extend(places.flatten().flat_map(|place| [place.value as u64, place.value as u64 + 1]));
    }
    sizes.into_iter().filter(|size| (low..=high).contains(size)).map(Bytes::new).collect()
}

impl CollectiveChoice {
    /// Returns the operation of a candidate for a block size.
    fn collective(&self, candidate: Candidate, block: Bytes) -> Collective {
        let Candidate { algorithm, root } = candidate;
        Collective { kind: self.operation, algorithm, root: Rank(root.0), ranks: self.procs, block }
    }
}

/// The fastest candidate at one size.
#[derive(Debug, Clone)]
struct Found {
    best: Candidate,
    comparison: Comparison,
    /// The alarms of its prediction and of that of the next candidate.
    alarms: Vec<Alarm>,
}

impl Found {
    /// Returns the range of this single size.
    fn range(&self) -> SizeRange {
        let Self { best, comparison, ref alarms } = *self;
        let sizes = (comparison.size, comparison.size);
        SizeRange {
            sizes,
            best,
            distinct: comparison.is_distinct(),
            first: comparison,
            last: comparison,
            alarms: alarms.clone(),
        }
    }

    /// Returns true if the fastest candidate and the significance of its margin are equal.
    fn is_same(&self, other: &Self) -> bool {
        self.best == other.best && self.comparison.is_distinct() == other.comparison.is_distinct()
    }
}

/// The search over sizes.
struct Search<'a> {
    predictor: Predictor<'a>,
    errors: ParameterErrors<'a>,
    choice: &'a CollectiveChoice,
}

impl Search<'_> {
    /// Predicts all candidates at one size.
    fn at(&mut self, size: Bytes) -> Result<Found, PredictError> {
        let CollectiveChoice { operation: kind, procs, ref candidates, .. } = *self.choice;
        let mut times: Vec<(Candidate, (Prediction, Predicted))> = Vec::with_capacity(candidates.len());
        for &candidate in candidates {
            let Candidate { algorithm, root } = candidate;
            let query = Query::Experiment(Experiment::Collective { kind, algorithm, root, procs, size });
            times.push((candidate, self.predictor.explain(&query)?));
        }
        let (best, (prediction, predicted)) = times.remove(fastest(&times).unwrap_or_default());
        let next = fastest(&times).map(|index| &times[index]);
        let margin = next.map_or(Seconds::ZERO, |(_, (_, next))| margin(&predicted, next));
        let interval = next.and_then(|(_, (slow, next))| {
            let models = [(&prediction, &predicted), (slow, next)]
                .map(|(of, time)| of.uncertainty.model.unwrap_or(0.0) * time.seconds.get());
            margin_interval(&predicted, next, f64::hypot(models[0], models[1]), &self.errors)
        });
        let comparison =
            Comparison { size, seconds: predicted.seconds, next: next.map(|(next, _)| *next), margin, interval };
        let mut alarms = prediction.alarms;
        next.iter().flat_map(|(_, (next, _))| &next.alarms).for_each(|alarm| alarm.add_to(&mut alarms));
        Ok(Found { best, comparison, alarms })
    }

    /// Extends the last range to `high`, or splits between `low` and `high` at the change of the fastest candidate.
    fn refine(&mut self, ranges: &mut Vec<SizeRange>, low: &Found, high: &Found) -> Result<(), PredictError> {
        let (from, to) = (low.comparison.size.get(), high.comparison.size.get());
        if low.is_same(high) {
            if let Some(range) = ranges.last_mut() {
                (range.sizes.1, range.last) = (high.comparison.size, high.comparison);
                high.alarms.iter().for_each(|alarm| alarm.add_to(&mut range.alarms));
            }
            return Ok(());
        }
        if to - from <= self.choice.step.max(1) {
            // Sizes between the two, if any, count for the lower range.
            if let Some(range) = ranges.last_mut() {
                range.sizes.1 = Bytes::new(to - 1);
            }
            ranges.push(high.range());
            return Ok(());
        }
        let middle = self.at(Bytes::new(u64::midpoint(from, to)))?;
        self.refine(ranges, low, &middle)?;
        self.refine(ranges, &middle, high)
    }
}

/// The index of the first candidate whose time is the shortest; `None` if there are no candidates.
fn fastest(times: &[(Candidate, (Prediction, Predicted))]) -> Option<usize> {
    let shortest = times.iter().map(|(_, (_, predicted))| predicted.seconds.get()).fold(f64::INFINITY, f64::min);
    times.iter().position(|(_, (_, predicted))| predicted.seconds.get() <= shortest * (1.0 + EQUAL_TIMES))
}

/// The difference of two predicted times; 0 if they are equal up to rounding errors.
fn margin(fast: &Predicted, slow: &Predicted) -> Seconds {
    let margin = slow.seconds - fast.seconds;
    if margin.get().abs() <= EQUAL_TIMES * fast.seconds.get() { Seconds::ZERO } else { margin }
}

/// Returns the interval of the difference of two predicted times, on both sides of thresholds that are not known exactly. `model`
/// is the half width that the discrepancies of the model add.
fn margin_interval(
    fast: &Predicted,
    slow: &Predicted,
    model: f64,
    errors: &ParameterErrors,
) -> Option<(Seconds, Seconds)> {
    let fast = || std::iter::once(fast).chain(&fast.alternatives);
    let pairs = std::iter::once(slow).chain(&slow.alternatives).flat_map(|slow| fast().map(move |fast| (fast, slow)));
    let intervals = pairs.map(|(fast, slow)| difference_interval(fast, slow, model, errors));
    let intervals = intervals.collect::<Option<Vec<_>>>()?;
    intervals.into_iter().reduce(|(low, high), (other, far)| (low.min(other), high.max(far)))
}

/// Returns the interval of the difference of two predicted times: errors of parameters on both critical paths cancel.
fn difference_interval(
    fast: &Predicted,
    slow: &Predicted,
    model: f64,
    errors: &ParameterErrors,
) -> Option<(Seconds, Seconds)> {
    let margin = (slow.seconds - fast.seconds).get();
    let mut difference: Vec<Contribution> = slow.contributions.clone();
    for one in &fast.contributions {
        match difference.iter_mut().find(|other| other.parameter == one.parameter) {
            Some(both) => both.factor -= one.factor,
            None => difference.push(Contribution { factor: -one.factor, ..*one }),
        }
    }
    let (below, above) = errors.half_widths(&difference)?;
    Some((Seconds::new(margin - below.hypot(model)), Seconds::new(margin + above.hypot(model))))
}

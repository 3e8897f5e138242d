//! Choice of collective operations: algorithm and root by size.
//!
//! A model predicts the candidates on a grid of sizes. A range of sizes extends as long as one
//! candidate is the fastest, or not significantly slower, at all of its sizes;
//! bisection finds where it ends. [`table`] names the fastest candidate at given sizes, without
//! intervals, and [`tables`] does so for several choices. Times of operations that escalate at
//! random are compared by their means.
//!
//! ```
//! use orrery_choices::collective::{CollectiveChoice, choose};
//! use orrery_models::comm::Lmo;
//! use orrery_models::model::{Model, ModelKind};
//! use orrery_base::numeric::Estimate;
//! use orrery_cluster::platform::PerPair;
//! use orrery_program::schedule::CollectiveKind;
//! use orrery_base::units::Bytes;
//! let lmo = Lmo {
//!     fixed_delay: vec![Estimate::exact(10e-6); 8],
//!     byte_delay: vec![Estimate::exact(1e-9); 8],
//!     link_latency: Some(PerPair::from_fn(8, |_, _| Estimate::exact(20e-6))),
//!     link_byte_delay: PerPair::from_fn(8, |_, _| Estimate::exact(8e-9)),
//! };
//! let model = Model::new(8).with(ModelKind::Lmo, &lmo);
//! let choice = CollectiveChoice::new(CollectiveKind::Scatter, 8).sizes(Bytes::new(1), Bytes::new(1 << 20));
//! let ranges = choose(&model, ModelKind::Lmo, &choice)?;
//! assert_eq!((ranges[0].sizes.0, ranges.last().unwrap().sizes.1), choice.sizes);
//! # Ok::<(), orrery_models::model::PredictError>(())
//! ```

mod margin;
#[cfg(feature = "estimation")]
pub mod measured;
mod order;
mod search;
mod segments;
mod times;

use std::collections::BTreeSet;

pub use margin::Reason;
pub use order::{Order, order, order_operations};
pub use segments::{in_segments, split_candidate, with_common_segments};
pub use times::{Decision, table, tables};

use search::Search;
use times::is_coarse;

use orrery_base::budget::{Budget, OverBudget, STEPS_PER_OPERATION};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::Library;
use orrery_models::model::{Alarm, CollectiveAlgorithm, Model, ModelKind, PredictError, Query};
use orrery_program::schedule::{Algorithm, Collective, CollectiveKind, Rank};

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
    /// The MPI library whose calls are compared, each with a forced algorithm; `None` for messages
    /// of Orrery.
    pub library: Option<Library>,
    /// The number of processors, from 0.
    pub procs: usize,
    /// The candidates; the first of equally fast ones is chosen.
    pub candidates: Vec<Candidate>,
    /// The smallest and the largest block of one processor.
    pub sizes: (Bytes, Bytes),
    /// The accuracy of the sizes at which the choice changes, in bytes, at least 1.
    pub step: u64,
    /// True if candidates that do not differ significantly from the fastest are as good as it: the
    /// interval of the margin contains 0, or margins have no interval and the time is at most 2 %
    /// longer.
    pub merges: bool,
    /// The candidate in use, which is kept unless another one is faster beyond doubt.
    pub kept: Option<Candidate>,
}

impl CollectiveChoice {
    /// The range of sizes by default.
    pub const DEFAULT_SIZES: (Bytes, Bytes) = (Bytes::new(1), Bytes::new(4 << 20));

    /// The choice among the usual algorithms that run on this number of processors, with root 0,
    /// for sizes from 1 B to 4 MiB.
    pub fn new(operation: CollectiveKind, procs: usize) -> Self {
        let usual =
            operation.usual_algorithms().iter().filter(|algorithm| algorithm.runs_on(procs));
        let candidates =
            usual.map(|&algorithm| Candidate { algorithm, root: Processor(0) }).collect();
        Self {
            operation,
            library: None,
            procs,
            candidates,
            sizes: Self::DEFAULT_SIZES,
            step: 1,
            merges: true,
            kept: None,
        }
    }

    /// Sets the candidates: each of these algorithms with each of these roots.
    #[must_use]
    pub fn candidates(self, algorithms: &[Algorithm], roots: &[Processor]) -> Self {
        let of_root =
            |&root| algorithms.iter().map(move |&algorithm| Candidate { algorithm, root });
        Self { candidates: roots.iter().flat_map(of_root).collect(), ..self }
    }

    /// Sets the smallest and the largest block of one processor.
    #[must_use]
    pub fn sizes(self, smallest: Bytes, largest: Bytes) -> Self {
        Self { sizes: (smallest, largest), ..self }
    }
}

/// The chosen candidate and the fastest other one at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The size of the block of one processor.
    pub size: Bytes,
    /// The predicted time of the chosen candidate, its mean if it escalates at random.
    pub seconds: Seconds,
    /// The fastest other candidate; `None` if there is only one candidate.
    pub next: Option<Candidate>,
    /// The predicted time of the next candidate minus that of the chosen one; negative if they
    /// do not differ significantly and the next one is predicted to be faster.
    pub margin: Seconds,
    /// The interval of the margin; `None` if a parameter has none.
    pub interval: Option<(Seconds, Seconds)>,
    /// The reason of the choice.
    pub reason: Reason,
}

impl Comparison {
    /// Returns true if the interval of the margin excludes 0, or if there is no other candidate;
    /// `None` if the margin has no interval.
    pub fn is_distinct(&self) -> Option<bool> {
        if self.next.is_none() {
            return Some(true);
        }
        self.interval.map(|(low, _)| low.get() > EQUAL_TIMES * self.seconds.get())
    }
}

/// A range of sizes with one chosen candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeRange {
    /// The smallest and the largest size of the range.
    pub sizes: (Bytes, Bytes),
    /// The chosen candidate.
    pub best: Candidate,
    /// True if the margin to the next candidate is significant at all sizes at which they were
    /// compared; `None` if margins have no interval.
    pub distinct: Option<bool>,
    /// The comparison at the smallest size.
    pub first: Comparison,
    /// The comparison at the largest size at which candidates were compared.
    pub last: Comparison,
    /// The alarms of the predictions of the chosen and the next candidate, at all sizes at which
    /// they were compared.
    pub alarms: Vec<Alarm>,
}

/// Returns the ranges of sizes, ascending and without gaps, each with a chosen candidate, by a kind
/// of model.
///
/// The interval of a margin follows from the difference of the two critical paths and the
/// correlations of the errors of parameters: terms on both paths cancel.
///
/// # Errors
///
/// When the model does not contain the kind, or a root or the number of processors is too large for
/// it.
pub fn choose(
    model: &Model,
    kind: ModelKind,
    choice: &CollectiveChoice,
) -> Result<Vec<SizeRange>, PredictError> {
    let grid = grid(model, choice);
    check_work(choice, &grid)?;
    Search::new(model, kind, choice)?.ranges(grid)
}

/// The steps of an operation that is played with matched messages, and of a candidate at a size.
const STEPS_PER_PLAYED: u64 = 10;
const STEPS_PER_TIME: u64 = 20_000;

/// Checks that the candidates can be played at the sizes of a grid.
fn check_work(choice: &CollectiveChoice, grid: &BTreeSet<Bytes>) -> Result<(), OverBudget> {
    let budget = Budget::of_input(0);
    let mut steps = 0_u64;
    for &size in grid {
        let is_coarse = |candidate: &&Candidate| is_coarse(candidate.algorithm, size);
        let mut played: Vec<&Candidate> = choice.candidates.iter().filter(is_coarse).collect();
        if played.is_empty() {
            played.extend(&choice.candidates);
        }
        for candidate in played {
            let query = choice.query(*candidate, size);
            query.check_operations()?;
            let own = query.operations().saturating_mul(STEPS_PER_PLAYED);
            steps = steps.saturating_add(own.saturating_add(STEPS_PER_TIME));
        }
        let (operation, count) = (choice.operation, choice.candidates.len());
        let what = format_args!("the choice among {count} candidates for {operation} up to {size}");
        budget.check_operations(what, steps / STEPS_PER_OPERATION)?;
    }
    Ok(())
}

/// The relative difference up to which predicted times are equal, so that rounding errors decide
/// nothing.
const EQUAL_TIMES: f64 = 1e-9;

/// The number of segments of a block up to which candidates are compared on both sides of each
/// further one.
const MAX_GRID_SEGMENTS: u64 = 16;

/// The number of sizes of the grid for each doubling.
const SIZES_PER_DOUBLING: i32 = 4;

/// Returns the sizes at which candidates are compared first: in steps of a quarter of a doubling,
/// and on both sides of the thresholds of the model, where times are discontinuous.
fn grid(model: &Model, choice: &CollectiveChoice) -> BTreeSet<Bytes> {
    let (low, high) = (choice.sizes.0.get(), choice.sizes.1.get());
    let mut sizes = BTreeSet::from([low, high]);
    let factor = |step: i32| 2_f64.powf(f64::from(step) / f64::from(SIZES_PER_DOUBLING));
    sizes.extend((0..64 * SIZES_PER_DOUBLING).map(|step| factor(step) as u64));
    for candidate in &choice.candidates {
        let thresholds = model.thresholds_of(&choice.collective(*candidate, Bytes::ZERO));
        let places = thresholds.into_iter().flat_map(|thresholds| {
            [thresholds.scatter_threshold, thresholds.gather_small, thresholds.gather_large]
        });
        sizes.extend(
            places.flatten().flat_map(|place| [place.value as u64, place.value as u64 + 1]),
        );
        // One more segment takes one more message of each rank.
        let segment = candidate.algorithm.segment().get();
        if segment > 0 && thresholds.is_some() {
            sizes.extend(
                (1..=MAX_GRID_SEGMENTS)
                    .map(|count| segment.saturating_mul(count))
                    .flat_map(|size| [size, size.saturating_add(1)]),
            );
        }
    }
    sizes.into_iter().filter(|size| (low..=high).contains(size)).map(Bytes::new).collect()
}

impl CollectiveChoice {
    /// Returns the question for the time of a candidate.
    fn query(&self, candidate: Candidate, size: Bytes) -> Query {
        let Candidate { algorithm, root } = candidate;
        let of_library =
            CollectiveAlgorithm { operation: self.operation, library: self.library, algorithm };
        Query::Experiment(of_library.experiment(root, self.procs, size))
    }

    /// Returns the operation of a candidate for a block size.
    fn collective(&self, candidate: Candidate, block: Bytes) -> Collective {
        let Candidate { algorithm, root } = candidate;
        Collective { kind: self.operation, algorithm, root: Rank(root.0), ranks: self.procs, block }
    }
}

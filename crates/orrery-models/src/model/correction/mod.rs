//! Corrections of algorithms of collective operations: factors between measured times and those of
//! the plain schedule.

mod algorithm;
mod applied;

use std::collections::BTreeMap;

pub use algorithm::{CollectiveAlgorithm, UnknownAlgorithm};
pub(super) use applied::AppliedCorrection;

use super::{Alarm, Model, ModelKind, Query};
use orrery_base::numeric::{Estimate, Interval};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::Experiment;
use orrery_program::schedule::{Collective, Rank};

/// The corrections of a kind of model by algorithm.
pub type Corrections = BTreeMap<CollectiveAlgorithm, Correction>;

/// The correction of an algorithm: T = f(m)·T₀ with T₀ the time of its plain schedule and f the
/// factor of the block size m.
///
/// A measured median y\[s\] has ln(y/T₀) = ln f + a deviation of the operation + noise. The factor
/// is constant, or has one value for small sizes and one for large ones, as where the protocol
/// changes. It is exactly 1 where the measured medians do not show that the plain schedule is off:
/// the spread then takes the place of the discrepancy of the model, and outside the measured sizes
/// it is as if nothing had been measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The factors, by ascending sizes; at least one.
    pub pieces: Vec<CorrectionPiece>,
    /// The standard deviation of ln(y/(f·T₀)) apart from noise: how the factor varies over sizes,
    /// processors and roots.
    pub spread: f64,
    /// The degrees of freedom of the spread and of the errors, at least 1.
    pub degrees: u64,
    /// The smallest and the largest measured number of processors.
    pub procs: (usize, usize),
    /// The measured roots, ascending.
    pub roots: Vec<Processor>,
}

/// The factor of a correction for a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectionPiece {
    /// The smallest and the largest measured size of a block or vector.
    pub sizes: (Bytes, Bytes),
    /// The factor, without unit, with an interval that contains the errors of the parameters of the
    /// model; its samples are the rows.
    pub factor: Estimate,
    /// The standard deviation of the error of ln f by the measured rows, without that of the
    /// parameters of the model.
    pub error: f64,
}

/// The largest factor, and the inverse of the smallest one.
pub(super) const MAX_FACTOR: f64 = 1e6;

/// The largest standard deviation of a logarithm: a factor of 20,000.
pub(super) const MAX_DEVIATION: f64 = 10.0;

/// The number of measured roots from which on the spread contains the differences among roots.
const MIN_ROOTS: usize = 3;

impl Correction {
    /// Returns true if a query is outside the measured sizes, numbers of processors or roots. Other
    /// roots are inside if at least three roots were measured.
    pub fn extrapolates(&self, query: &Query) -> bool {
        let (size, procs) = (query.size(), query.procs());
        let is_new_root = self.roots.len() < MIN_ROOTS && !self.roots.contains(&query.root());
        let (smallest, largest) = self.sizes();
        size < smallest
            || size > largest
            || procs < self.procs.0
            || procs > self.procs.1
            || is_new_root
    }

    /// Returns true if the measured medians do not show that the plain schedule is off: the factor
    /// is 1.
    pub fn is_plain(&self) -> bool {
        self.pieces.iter().all(|piece| is_plain(piece.factor.value))
    }

    /// Returns the smallest and the largest measured size.
    pub fn sizes(&self) -> (Bytes, Bytes) {
        let first = self.pieces.first().map_or(Bytes::ZERO, |piece| piece.sizes.0);
        (first, self.pieces.last().map_or(Bytes::ZERO, |piece| piece.sizes.1))
    }

    /// Returns true if its numbers are within the limits of model files.
    pub(super) fn is_readable(&self) -> bool {
        let deviation = |value: f64| (0.0..=MAX_DEVIATION).contains(&value);
        let is_readable = |piece: &CorrectionPiece| {
            let value = piece.factor.value;
            let has_interval =
                piece.factor.interval.is_some_and(|Interval { low, high, level }| {
                    0.0 <= low
                        && low <= value
                        && value <= high
                        && high.is_finite()
                        && level > 0.0
                        && level < 1.0
                });
            let has_sizes = piece.sizes.0 <= piece.sizes.1;
            (1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&value)
                && has_interval
                && deviation(piece.error)
                && has_sizes
        };
        let ascend = |two: &[CorrectionPiece]| two[0].sizes.1 < two[1].sizes.0;
        let are_readable =
            self.pieces.iter().all(is_readable) && self.pieces.windows(2).all(ascend);
        let has_procs = 0 < self.procs.0 && self.procs.0 <= self.procs.1;
        let roots = self.roots.windows(2).all(|two| two[0] < two[1]);
        !self.pieces.is_empty()
            && are_readable
            && deviation(self.spread)
            && self.degrees > 0
            && has_procs
            && roots
    }

    /// Returns the sizes at which the factor changes: before each of them it differs.
    pub fn changes(&self) -> impl Iterator<Item = Bytes> {
        self.pieces
            .windows(2)
            .flat_map(|two| [Bytes::new(two[0].sizes.1.get().saturating_add(1)), two[1].sizes.0])
    }
}

/// Returns true for the factor of a plain schedule.
#[expect(clippy::float_cmp, reason = "a factor that was not estimated is exactly 1")]
fn is_plain(factor: f64) -> bool {
    factor == 1.0
}

impl Model {
    /// Returns the correction that a kind of model has for a query, with its algorithm; `None` for
    /// algorithms that were not measured, and for plain schedules outside the measured sizes,
    /// numbers of processors and roots.
    pub fn correction(
        &self,
        kind: ModelKind,
        query: &Query,
    ) -> Option<(CollectiveAlgorithm, &Correction)> {
        let Query::Experiment(experiment) = query else { return None };
        let of_kind = self.corrections.get(&kind)?;
        let algorithm =
            CollectiveAlgorithm::of(experiment).filter(|_| !self.has_thresholds_of(experiment))?;
        let correction =
            of_kind.get(&algorithm).filter(|one| !one.is_plain() || !one.extrapolates(query))?;
        Some((algorithm, correction))
    }

    /// Returns true if the thresholds of the model were estimated from an operation: these take the
    /// place of a correction.
    pub(super) fn has_thresholds_of(&self, experiment: &Experiment) -> bool {
        match *experiment {
            Experiment::Collective { kind, algorithm, root, procs, size } => {
                let operation =
                    Collective { kind, algorithm, root: Rank(root.0), ranks: procs, block: size };
                self.thresholds_of(&operation).is_some()
            }
            _ => false,
        }
    }

    /// Returns the factor by which the time of the plain schedule is multiplied; 1 without a
    /// correction.
    pub fn correction_factor(&self, kind: ModelKind, query: &Query) -> f64 {
        self.applied_correction(kind, query).map_or(1.0, |applied| applied.factor)
    }

    /// Returns the correction at the size of a query; `None` if its algorithm has none.
    pub(super) fn applied_correction(
        &self,
        kind: ModelKind,
        query: &Query,
    ) -> Option<AppliedCorrection> {
        self.correction(kind, query).map(|(_, correction)| AppliedCorrection::of(correction, query))
    }

    /// Returns true if the correction of a query was measured around it.
    pub(super) fn is_corrected(&self, kind: ModelKind, query: &Query) -> bool {
        self.correction(kind, query).is_some_and(|(_, correction)| !correction.extrapolates(query))
    }

    /// Returns the alarm for a correction that is extrapolated; `None` if there is no correction,
    /// or if it was measured there.
    pub(super) fn correction_alarm(&self, kind: ModelKind, query: &Query) -> Option<Alarm> {
        let (algorithm, correction) = self.correction(kind, query)?;
        let root = correction.roots.first().copied().filter(|_| correction.roots.len() < MIN_ROOTS);
        let root = root.filter(|_| algorithm.operation.has_root());
        let (sizes, procs) = (correction.sizes(), correction.procs);
        correction.extrapolates(query).then_some(Alarm::Correction {
            algorithm,
            sizes,
            procs,
            root,
        })
    }
}

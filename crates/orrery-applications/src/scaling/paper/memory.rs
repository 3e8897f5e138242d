//! Memory ranges of a kind of elements, and the search for a break of its computation times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::homogeneous_run::HomogeneousRun;
use super::nt_model::least_squares;
use crate::scaling::observations::FitError;
use orrery_base::numeric::variance_ratio_p_value;

/// The limits of the memory ranges of a kind, at which its speed changes, such as the size of a
/// cache or of the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryLimits {
    /// The kind.
    pub kind: String,
    /// The limits in bytes per element, ascending. Range 0 is below the first limit, range 1 from
    /// the first to below the second, and so on.
    pub bytes: Vec<f64>,
}

/// The memory ranges that have separate models.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum MemoryRanges {
    /// A single range for each kind.
    #[default]
    One,
    /// Ranges between given limits; a single range for all other kinds.
    At(Vec<MemoryLimits>),
    /// At most one limit for each kind, where the computation times have a significant break.
    Search,
}

impl MemoryRanges {
    /// Returns the memory limits of the kinds that have several ranges; empty if there are none.
    ///
    /// # Errors
    ///
    /// When given limits name an unknown kind or a kind twice, or are not positive and ascending.
    pub(super) fn limits(
        &self,
        runs: &[HomogeneousRun],
        kinds: &[String],
    ) -> Result<Vec<MemoryLimits>, FitError> {
        let given = match self {
            Self::One => return Ok(Vec::new()),
            Self::At(given) => given,
            Self::Search => {
                let of = |kind: &String| {
                    let own: Vec<&HomogeneousRun> =
                        runs.iter().filter(|run| run.share.kind == *kind).collect();
                    Some(MemoryLimits { kind: kind.clone(), bytes: vec![breakpoint(&own)?] })
                };
                return Ok(kinds.iter().filter_map(of).collect());
            }
        };
        for (index, MemoryLimits { kind, bytes }) in given.iter().enumerate() {
            if !kinds.contains(kind) {
                return Err(FitError::unknown_kind(kind, kinds));
            }
            let valid = bytes.iter().all(|limit| limit.is_finite() && *limit > 0.0)
                && bytes.is_sorted_by(|a, b| a < b);
            if !valid || given[..index].iter().any(|other| other.kind == *kind) {
                return Err(FitError::Other(format!(
                    "the limits between the memory ranges of {kind} are {bytes:?} bytes per \
                        element; they must be above 0, ascending, and in one list for each kind"
                )));
            }
        }
        Ok(given.clone())
    }
}

/// The index of the memory range of a kind that contains this number of bytes per element.
pub(super) fn range_of(limits: &[MemoryLimits], kind: &str, bytes: f64) -> usize {
    let own = limits.iter().find(|limits| limits.kind == kind);
    own.map_or(0, |own| own.bytes.iter().take_while(|limit| **limit <= bytes).count())
}

/// The significance level of a break, over all limits tried for one kind.
const SIGNIFICANCE_LEVEL: f64 = 0.01;

/// A lower bound of the relative root mean square error of computation times.
const MIN_RELATIVE_ERROR: f64 = 1e-9;

/// The number of coefficients of a cubic.
const SEGMENT_COEFFICIENTS: usize = 4;

/// The memory per element at which the computation times of one kind break, in bytes; `None`
/// without a significant break.
///
/// Each configuration has one cubic in N, or one below the limit and one above. Errors are relative
/// to the times. All limits between neighbouring measured memories are tried. The one with the
/// least n·ln(RSS/n) + k·ln n is selected if the F test of two segments against one is significant
/// with Bonferroni correction. A side with fewer sizes than a cubic has coefficients is
/// interpolated and uses as many coefficients as sizes (Chow, "Tests of equality between sets of
/// coefficients in two linear regressions", 1960); at least one configuration must have four or
/// more sizes on either side. The limit is the geometric mean of the memories next to it.
fn breakpoint(runs: &[&HomogeneousRun]) -> Option<f64> {
    let series = series(runs);
    let mut memories: Vec<f64> = runs.iter().map(|run| run.bytes()).collect();
    memories.sort_by(f64::total_cmp);
    memories.dedup();
    let count = runs.len() as f64;
    let whole = series
        .iter()
        .map(|series| series.cuts[0].1)
        .fold(SegmentResiduals::default(), SegmentResiduals::plus);
    let split = |limit: f64| {
        let cuts = series.iter().map(|series| series.cuts[series.below(limit)]);
        let both = cuts.clone().any(|(low, high)| {
            low.sizes >= SEGMENT_COEFFICIENTS && high.sizes >= SEGMENT_COEFFICIENTS
        });
        both.then(|| {
            cuts.map(|(low, high)| low.plus(high))
                .fold(SegmentResiduals::default(), SegmentResiduals::plus)
        })
    };
    let limits: Vec<f64> = memories.windows(2).map(|pair| (pair[0] * pair[1]).sqrt()).collect();
    let criterion = |residuals: &SegmentResiduals| {
        count * (residuals.mean(count)).ln() + residuals.coefficients() * count.ln()
    };
    let tried: Vec<(f64, SegmentResiduals)> =
        limits.iter().filter_map(|&limit| Some((limit, split(limit)?))).collect();
    let (limit, best) = tried.iter().min_by(|a, b| criterion(&a.1).total_cmp(&criterion(&b.1)))?;
    let added = best.coefficients() - whole.coefficients();
    let left = count - best.coefficients();
    let ratio = (whole.squares - best.squares) / added / (best.mean(count) * count / left);
    let p_value = variance_ratio_p_value(ratio.max(0.0), added, left);
    (p_value * (tried.len() as f64) < SIGNIFICANCE_LEVEL).then_some(*limit)
}

/// The residuals of computation times from cubics in the size N, one for each segment of sizes.
#[derive(Debug, Clone, Copy, Default)]
struct SegmentResiduals {
    /// The sum of the squared relative residuals.
    squares: f64,
    /// The number of different sizes.
    sizes: usize,
    /// The number of coefficients used.
    used: usize,
}

impl SegmentResiduals {
    /// The sums over two segments.
    fn plus(self, other: Self) -> Self {
        let sizes = self.sizes + other.sizes;
        Self { squares: self.squares + other.squares, sizes, used: self.used + other.used }
    }

    /// The mean squared relative residual of `count` runs, at least the square of
    /// [`MIN_RELATIVE_ERROR`].
    fn mean(&self, count: f64) -> f64 {
        self.squares / count + MIN_RELATIVE_ERROR * MIN_RELATIVE_ERROR
    }

    /// The number of coefficients as f64.
    fn coefficients(&self) -> f64 {
        self.used as f64
    }

    /// Fits a cubic in N to the computation times of runs, which must ascend by N; interpolates if
    /// there are fewer than four sizes. Residuals are relative to the times.
    fn of(runs: &[&HomogeneousRun]) -> Self {
        let mut sizes: Vec<f64> = runs.iter().map(|run| run.size).collect();
        sizes.dedup();
        let used = sizes.len().min(SEGMENT_COEFFICIENTS);
        let row = |run: &&HomogeneousRun| {
            let power =
                |k: usize| if k < used { run.size.powi(k as i32) / run.computation } else { 0.0 };
            std::array::from_fn(power)
        };
        let rows: Vec<[f64; SEGMENT_COEFFICIENTS]> = runs.iter().map(row).collect();
        let values = least_squares(&rows, &vec![1.0; rows.len()]).unwrap_or_default();
        let error = |row: &[f64; SEGMENT_COEFFICIENTS]| {
            1.0 - row.iter().zip(values).map(|(a, x)| a * x).sum::<f64>()
        };
        Self { squares: rows.iter().map(|row| error(row).powi(2)).sum(), sizes: sizes.len(), used }
    }
}

/// One configuration: the memories per element of its runs in bytes, ascending, and for each cut k
/// from 0 to the number of runs the residuals of the first k runs and of the others.
struct Series {
    memories: Vec<f64>,
    cuts: Vec<(SegmentResiduals, SegmentResiduals)>,
}

impl Series {
    /// The number of runs below a limit.
    fn below(&self, limit: f64) -> usize {
        self.memories.partition_point(|memory| *memory < limit)
    }
}

/// Groups the runs of one kind of element by configuration.
fn series(runs: &[&HomogeneousRun]) -> Vec<Series> {
    let mut by_configuration: BTreeMap<_, Vec<&HomogeneousRun>> = BTreeMap::new();
    for run in runs {
        by_configuration.entry(&run.share).or_default().push(run);
    }
    let series = |mut runs: Vec<&HomogeneousRun>| {
        runs.sort_by(|a, b| a.size.total_cmp(&b.size));
        let cuts = (0..=runs.len())
            .map(|cut| (SegmentResiduals::of(&runs[..cut]), SegmentResiduals::of(&runs[cut..])));
        Series { cuts: cuts.collect(), memories: runs.iter().map(|run| run.bytes()).collect() }
    };
    by_configuration.into_values().map(series).collect()
}

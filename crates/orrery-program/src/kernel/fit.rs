//! Regression of the times of a kernel with relative weights.

use std::collections::BTreeMap;

use super::model::{KernelModel, KernelPiece, KernelTermEstimate};
use super::{KernelCall, Term};
use orrery_base::file::Fault;
use orrery_base::numeric::{
    Estimate, LeastSquares, median, nonnegative_least_squares, student_quantile,
};
use orrery_base::units::Seconds;

/// A reading of the time of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelTime {
    /// The call.
    pub call: KernelCall,
    /// Its time.
    pub seconds: Seconds,
}

/// The fault of an empty list of readings.
pub const NO_TIMES: &str = "there are no times of kernels";

/// The number of candidates for a break.
const CANDIDATES: usize = 48;

/// The largest number of pieces.
const MAX_PIECES: usize = 4;

/// The smallest number of calls of a piece for each of its terms.
const CALLS_PER_TERM: usize = 3;

/// The smallest relative deviation: that of readings that do not differ.
const LEAST_DEVIATION: f64 = 1e-9;

/// Fits the time of a kernel: Σ c_t·t(m, n, k) with c_t ≥ 0 by least squares of the relative errors
/// of medians.
///
/// The memory is fitted by itself ([`fit_memory`](super::fit_memory)). Terms and breaks of the
/// smallest dimension are those with the smallest Bayesian information criterion, Σ N_i·ln(S_i/N_i) +
/// p·ln N with N_i calls and the sum of squares S_i in piece i, and p coefficients and breaks.
///
/// # Errors
///
/// When readings are of different kernels, are not positive, or too few.
///
/// ```
/// use orrery_program::kernel::{KernelCall, KernelTime, fit};
/// use orrery_base::units::Seconds;
/// let kernel = "dgemv".parse()?;
/// let mut times = Vec::new();
/// for (m, n) in (1..6).flat_map(|m| (1..6).map(move |n| (100 * m, 50 * n))) {
///     let seconds = Seconds::new(1e-6 + 1e-9 * (m * n) as f64);
///     times.push(KernelTime { call: KernelCall::new(kernel, "n", [m, n, 1])?, seconds });
/// }
/// let model = fit(&times, 0.95)?;
/// let call = KernelCall::new(kernel, "n", [1000, 400, 1])?;
/// assert!((model.predict(&call).unwrap().value - 401e-6).abs() < 1e-9);
/// assert_eq!(model.extrapolated(&call).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(times: &[KernelTime], level: f64) -> Result<KernelModel, Fault> {
    let first = times.first().ok_or(NO_TIMES)?.call;
    let (kernel, variant) = (first.kernel(), first.variant());
    let mut readings: BTreeMap<KernelCall, Vec<f64>> = BTreeMap::new();
    for KernelTime { call, seconds } in times {
        if call.kernel() != kernel || call.variant() != variant {
            let name = |call: &KernelCall| {
                format!("{} {}", call.kernel(), call.variant()).trim_end().to_owned()
            };
            return Err(Fault::new(format!(
                "there are times of both {} and {}; fit each kernel and variant by itself",
                name(&first),
                name(call)
            )));
        }
        if seconds.get() <= 0.0 {
            let dimensions = call.dimensions();
            return Err(Fault::new(format!(
                "{kernel} of {dimensions:?} takes no time; remove this time, or measure it again"
            )));
        }
        readings.entry(*call).or_default().push(seconds.get());
    }
    let mut points: Vec<Point> = readings
        .iter()
        .map(|(call, readings)| Point {
            dimensions: call.dimensions(),
            smallest: call.smallest_dimension(),
            seconds: median(readings),
            readings: readings.len() as u64,
        })
        .collect();
    points.sort_by_key(|point| (point.smallest, point.dimensions));
    let terms = kernel.routine.terms(variant);
    let least = CALLS_PER_TERM * terms.len();
    if points.len() < least {
        return Err(Fault::new(format!(
            "there are times of only {calls} of the {least} different calls of {kernel} that its \
                {terms} terms need; measure other dimensions, too",
            calls = points.len(),
            terms = terms.len()
        )));
    }
    let pieces = pieces(&points, &terms);
    let measured = [0, 1, 2].map(|place| {
        let values = || points.iter().map(|point| point.dimensions[place]);
        [values().min().unwrap_or(1), values().max().unwrap_or(1)]
    });
    let pieces = pieces.iter().map(|piece| piece.estimated(&points, level)).collect();
    Ok(KernelModel { kernel, variant, pieces, measured, memory: Vec::new(), level })
}

/// A call with the median of its readings in seconds, its smallest dimension and their number.
struct Point {
    dimensions: [u64; 3],
    smallest: u64,
    seconds: f64,
    readings: u64,
}

/// The polynomial of a range of points, which are sorted by their smallest dimension, with the sum
/// of the squared relative errors.
struct Piece {
    range: std::ops::Range<usize>,
    terms: Vec<Term>,
    coefficients: Vec<f64>,
    squares: f64,
}

/// Divides the points into pieces, one break after the other, as long as the criterion falls by
/// more than the price of a break.
fn pieces(points: &[Point], terms: &[Term]) -> Vec<Piece> {
    let penalty = (points.len() as f64).ln();
    let mut pieces = vec![Piece::fitted(points, 0..points.len(), terms, penalty)];
    while pieces.len() < MAX_PIECES {
        let divided = pieces.iter().enumerate().filter_map(|(number, piece)| {
            let (after, halves) = piece.divided(points, terms, penalty)?;
            // A break counts as one more coefficient.
            let gain = piece.criterion(penalty) - after - penalty;
            (gain > 0.0).then_some((gain, number, halves))
        });
        let Some((_, number, halves)) = divided.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        pieces.splice(number..=number, halves);
    }
    pieces
}

impl Piece {
    /// Divides the piece at the break with the smallest criterion; returns the criterion of both
    /// halves together and the halves, and `None` if the piece is too small. `penalty` is ln N of
    /// all points.
    ///
    /// Breaks at some distance from each other are tried first, then all near the best of these.
    fn divided(&self, points: &[Point], terms: &[Term], penalty: f64) -> Option<(f64, [Self; 2])> {
        let least = CALLS_PER_TERM * terms.len();
        let (first, last) = (self.range.start + least, self.range.end.checked_sub(least)?);
        let is_break = |at: &usize| points[*at - 1].smallest < points[*at].smallest;
        let at = |at: usize| {
            let halves = [self.range.start..at, at..self.range.end];
            let halves = halves.map(|range| Self::fitted(points, range, terms, penalty));
            (halves.iter().map(|half| half.criterion(penalty)).sum::<f64>(), halves)
        };
        let best = |places: &mut dyn Iterator<Item = usize>| {
            places.filter(is_break).map(at).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let step = (last.checked_sub(first)? / CANDIDATES).max(1);
        // From each position the first place at which the smallest dimension changes.
        let next_break = |position| (position..=last).find(is_break);
        let (_, halves) = best(&mut (first..=last).step_by(step).filter_map(next_break))?;
        let middle = halves[1].range.start;
        best(&mut (first.max(middle.saturating_sub(step))..=last.min(middle + step)))
    }

    /// Fits a range of points by non-negative least squares of relative errors; terms without which
    /// the criterion is smaller are left out, except the first one. `penalty` is ln N of all
    /// points.
    fn fitted(
        points: &[Point],
        range: std::ops::Range<usize>,
        terms: &[Term],
        penalty: f64,
    ) -> Self {
        let mut piece = Self::with_terms(points, range.clone(), terms.to_vec());
        // The first term, that of the operations, stays.
        while piece.terms.len() > 1 {
            let without = |left_out: usize| {
                let mut terms = piece.terms.clone();
                terms.remove(left_out);
                Self::with_terms(points, range.clone(), terms)
            };
            let fewer = (1..piece.terms.len()).map(without);
            let Some(best) = fewer.min_by(|a, b| a.squares.total_cmp(&b.squares)) else { break };
            if best.criterion(penalty) >= piece.criterion(penalty) {
                break;
            }
            piece = best;
        }
        piece
    }

    /// Fits these terms to a range of points; those with the coefficient 0 are left out.
    fn with_terms(points: &[Point], range: std::ops::Range<usize>, terms: Vec<Term>) -> Self {
        let points = &points[range.clone()];
        let column = |term: &Term| {
            points
                .iter()
                .map(|point| term.value(point.dimensions) / point.seconds)
                .collect::<Vec<_>>()
        };
        let columns: Vec<Vec<f64>> = terms.iter().map(column).collect();
        let coefficients = nonnegative_least_squares(&columns, &vec![1.0; points.len()]);
        let explained = |place: usize| {
            columns.iter().zip(&coefficients).map(|(column, c)| column[place] * c).sum::<f64>()
        };
        let squares = (0..points.len()).map(|place| (explained(place) - 1.0).powi(2)).sum();
        let kept =
            terms.into_iter().zip(coefficients).filter(|(_, coefficient)| *coefficient > 0.0);
        let (terms, coefficients) = kept.unzip();
        Self { range, terms, coefficients, squares }
    }

    /// The Bayesian information criterion N_i·ln(S_i/N_i) + p·ln N of the piece, where `penalty` is
    /// ln N of all points.
    fn criterion(&self, penalty: f64) -> f64 {
        let count = self.range.len() as f64;
        count * (self.squares / count).max(LEAST_DEVIATION.powi(2)).ln()
            + penalty * self.terms.len() as f64
    }

    /// The piece with intervals of its coefficients at a level.
    fn estimated(&self, points: &[Point], level: f64) -> KernelPiece {
        // The first piece holds for smaller dimensions, too.
        let from = if self.range.start == 0 { 1 } else { points[self.range.start].smallest };
        let points = &points[self.range.clone()];
        let degrees = points.len().saturating_sub(self.terms.len()).max(1) as f64;
        let deviation = (self.squares / degrees).sqrt().max(LEAST_DEVIATION);
        let size = |term: &Term| {
            points
                .iter()
                .map(|point| term.value(point.dimensions) / point.seconds)
                .fold(0.0, f64::max)
        };
        let scales: Vec<f64> = self.terms.iter().map(size).collect();
        let mut problem = LeastSquares::new(self.terms.len());
        for point in points {
            let terms = self.terms.iter().zip(&scales).enumerate();
            let row = terms.map(|(k, (term, scale))| {
                (k, term.value(point.dimensions) / point.seconds / scale)
            });
            problem.push(row, 1.0, 1.0);
        }
        let covariance = problem.covariance().ok();
        let entry = |a: usize, b: usize| {
            covariance.as_ref().map_or(0.0, |covariance| covariance.entry(a, b))
        };
        let error = |k: usize| entry(k, k).max(0.0).sqrt();
        let quantile = student_quantile(degrees, level);
        let samples = points.iter().map(|point| point.readings).sum();
        let estimate = |(k, (&term, &value)): (usize, (&Term, &f64))| {
            let half_width = quantile * deviation * error(k) / scales[k];
            let coefficient = Estimate::not_negative(value, Some(half_width), level, samples);
            KernelTermEstimate { term, coefficient }
        };
        let terms: Vec<_> =
            self.terms.iter().zip(&self.coefficients).enumerate().map(estimate).collect();
        let pairs = (0..terms.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let correlation = |(a, b): (usize, usize)| {
            let product = error(a) * error(b);
            if product > 0.0 { entry(a, b) / product } else { 0.0 }
        };
        let correlations = pairs.map(correlation).collect();
        KernelPiece { from, terms, correlations, deviation, degrees }
    }
}

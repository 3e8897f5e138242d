//! The estimation of a correction from the errors of the plain schedule.

use std::collections::BTreeSet;

use crate::model::{Correction, CorrectionPiece};
use orrery_base::numeric::{Estimate, Interval, mean, robust_deviation, student_quantile};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;

/// The comparison of a measured row with the plain schedule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) size: Bytes,
    pub(super) procs: usize,
    pub(super) root: Processor,
    /// ln(measured/predicted).
    pub(super) error: f64,
    /// The variance of the error that the noise of the readings explains.
    pub(super) noise: f64,
    /// Half the width of the interval of the predicted time by the errors of parameters, relative
    /// to it; rows have these errors in common.
    pub(super) parameters: f64,
}

/// Rows whose errors count as one, because the factor varies with the size first of all: those of
/// one size.
#[derive(Debug, Clone, Copy)]
struct Unit {
    size: Bytes,
    /// The mean of the errors.
    error: f64,
    /// The variance of this mean by noise.
    noise: f64,
}

/// The smallest number of independent errors of a correction.
const MIN_UNITS: usize = 3;

/// The smallest number of sizes of a correction in two pieces, and of each piece.
const MIN_DIVIDED: (usize, usize) = (5, 2);

/// The largest left-out error of two pieces relative to that of one, so that the second one counts.
const MAX_RATIO: f64 = 0.8;

/// The probability of a correction by chance: that some interval of a factor at this level excludes 1.
const MAX_PROBABILITY: f64 = 0.05;

/// The smallest variance of errors relative to that by noise: few errors are too close to each
/// other by chance.
const MIN_VARIANCE: f64 = 0.5;

/// The smallest |ln f| of a correction: below, it changes less than the accuracy of models.
const MIN_LOGARITHM: f64 = 0.01;

/// The distance from the location, in standard deviations, from which on an error counts less.
const HUBER_BOUND: f64 = 1.5;

/// The iterations of a location.
const MAX_ITERATIONS: usize = 20;

/// Returns the correction of an algorithm; `None` for too few rows, or for absurd numbers.
///
/// The factor is 1 if the plain schedule is not significantly off, or if another factor does not
/// predict left-out rows better. It has two pieces if these have clearly smaller errors of sizes
/// that are left out of the estimation.
pub(super) fn estimate(rows: &[Row], level: f64) -> Option<Correction> {
    let units = units(rows);
    if units.len() < MIN_UNITS {
        return None;
    }
    let estimated = fitted(rows, &units, level).unwrap_or_else(|| plain(rows, &units, level));
    // Absurd numbers come from readings in another unit, for example.
    estimated.is_readable().then_some(estimated)
}

/// Returns the factor 1 with the spread of the rows about it, which contains the mean of their
/// errors.
fn plain(rows: &[Row], units: &[Unit], level: f64) -> Correction {
    correction(rows, units, &[(units, 0.0)], units.len(), level)
}

/// Returns the estimated factors; `None` if the plain schedule takes their place.
fn fitted(rows: &[Row], units: &[Unit], level: f64) -> Option<Correction> {
    let plain = mean(&units.iter().map(|unit| unit.error.abs()).collect::<Vec<_>>());
    // More factors always fit the rows better that they are estimated from: only others count.
    let whole = left_out_error(units, false);
    let divided = if is_divisible(units) { left_out_error(units, true) } else { f64::INFINITY };
    let is_divided = divided < MAX_RATIO * whole;
    if whole.min(divided) >= plain {
        return None;
    }
    let split = if is_divided { best_split(units) } else { units.len() };
    let pieces = [&units[..split], &units[split..]].into_iter().filter(|all| !all.is_empty());
    let pieces: Vec<(&[Unit], f64)> = pieces.map(|piece| (piece, location(piece))).collect();
    // The place of the division is estimated, too.
    let degrees = (units.len() + 1).saturating_sub(2 * pieces.len()).max(1);
    let correction = correction(rows, units, &pieces, degrees, level);
    // Each piece is another chance to be off without a reason.
    let test_level = 1.0 - MAX_PROBABILITY / pieces.len() as f64;
    let is_off = |((_, logarithm), piece): (&(&[Unit], f64), &CorrectionPiece)| {
        let half_width = half_width(piece.error, degrees, rows, test_level);
        logarithm.abs() > half_width.max(MIN_LOGARITHM)
    };
    let is_off = pieces.iter().zip(&correction.pieces).any(is_off);
    is_off.then_some(correction)
}

/// Half the width of the interval of a mean error with this standard deviation. The errors of
/// parameters, which all rows have in common, do not become smaller in the mean.
fn half_width(deviation: f64, degrees: usize, rows: &[Row], level: f64) -> f64 {
    let parameters = mean(&rows.iter().map(|row| row.parameters).collect::<Vec<_>>());
    (student_quantile(degrees as f64, level) * deviation).hypot(parameters)
}

/// Returns the correction of these pieces, each with the logarithm of its factor, whose errors have
/// this number of degrees of freedom.
fn correction(
    rows: &[Row],
    units: &[Unit],
    pieces: &[(&[Unit], f64)],
    degrees: usize,
    level: f64,
) -> Correction {
    let squares: f64 = pieces.iter().map(|(piece, logarithm)| squares(piece, *logarithm)).sum();
    let noise = mean(&units.iter().map(|unit| unit.noise).collect::<Vec<_>>());
    let variance = squares / degrees as f64;
    // A single prediction is off by what noise does not explain: between units, and within them.
    let spread = ((variance - noise).max(0.0) + spread_within(rows, units)).sqrt();
    let of_piece = |(piece, logarithm): &(&[Unit], f64)| {
        let error = (variance.max(MIN_VARIANCE * noise) / piece.len() as f64).sqrt();
        let half = half_width(error, degrees, rows, level);
        let interval =
            Interval { low: (logarithm - half).exp(), high: (logarithm + half).exp(), level };
        let sizes = (piece[0].size, piece[piece.len() - 1].size);
        let samples = rows.iter().filter(|row| (sizes.0..=sizes.1).contains(&row.size)).count();
        let factor = Estimate {
            value: logarithm.exp(),
            interval: Some(interval),
            samples: Some(samples as u64),
        };
        CorrectionPiece { sizes, factor, error }
    };
    let procs = rows.iter().map(|row| row.procs);
    let procs = (procs.clone().min().unwrap_or(0), procs.max().unwrap_or(0));
    let roots: BTreeSet<Processor> = rows.iter().map(|row| row.root).collect();
    Correction {
        pieces: pieces.iter().map(of_piece).collect(),
        spread,
        degrees: degrees as u64,
        procs,
        roots: roots.into_iter().collect(),
    }
}

/// Returns the independent errors by ascending size: one for each size if there are enough sizes,
/// otherwise one for each row.
fn units(rows: &[Row]) -> Vec<Unit> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.size);
    let of = |alike: &[Row]| {
        let count = alike.len() as f64;
        let error = alike.iter().map(|row| row.error).sum::<f64>() / count;
        let noise = alike.iter().map(|row| row.noise).sum::<f64>() / count.powi(2);
        Unit { size: alike[0].size, error, noise }
    };
    let by_size: Vec<Unit> = rows.chunk_by(|one, next| one.size == next.size).map(of).collect();
    if by_size.len() >= MIN_UNITS { by_size } else { rows.chunks(1).map(of).collect() }
}

/// Returns the variance of the rows about the means of their units apart from noise; 0 if each row
/// is a unit.
fn spread_within(rows: &[Row], units: &[Unit]) -> f64 {
    let degrees = rows.len() - units.len();
    if degrees == 0 {
        return 0.0;
    }
    // With fewer units than rows, each unit is a size.
    let of = |row: &Row| {
        units.iter().find(|unit| unit.size == row.size).map_or(0.0, |unit| row.error - unit.error)
    };
    let squares: f64 = rows.iter().map(|row| of(row).powi(2)).sum();
    let noise = rows.iter().map(|row| row.noise).sum::<f64>() / rows.len() as f64;
    (squares / degrees as f64 - noise).max(0.0)
}

/// Returns true if there are enough different sizes for two pieces.
fn is_divisible(units: &[Unit]) -> bool {
    units.len() >= MIN_DIVIDED.0 && units.windows(2).all(|two| two[0].size < two[1].size)
}

/// The robust mean of the errors of a piece (Huber's M-estimator).
///
/// Errors beyond [`HUBER_BOUND`] robust standard deviations count as if they were at this distance.
/// Source: Huber, "Robust estimation of a location parameter", Ann. Math. Statist. 35, 1964.
fn location(piece: &[Unit]) -> f64 {
    let errors: Vec<f64> = piece.iter().map(|unit| unit.error).collect();
    let noise = mean(&piece.iter().map(|unit| unit.noise).collect::<Vec<_>>()).sqrt();
    let bound = HUBER_BOUND * robust_deviation(&errors).unwrap_or(0.0).max(noise);
    // Errors closer to each other than noise are so by chance: the bound does not shrink with them.
    let mut location = mean(&errors);
    // The deviation of fewer errors says nothing about outliers.
    if errors.len() > MIN_UNITS && bound > 0.0 {
        for _ in 0..MAX_ITERATIONS {
            let step: f64 =
                errors.iter().map(|error| (error - location).clamp(-bound, bound)).sum();
            location += step / errors.len() as f64;
        }
    }
    location
}

/// The sum of the squared errors about a location: all of them, so that outliers widen intervals.
fn squares(piece: &[Unit], location: f64) -> f64 {
    piece.iter().map(|unit| (unit.error - location).powi(2)).sum()
}

/// Returns the number of units in the first of two pieces with the smallest sum of squares.
fn best_split(units: &[Unit]) -> usize {
    let (_, least) = MIN_DIVIDED;
    let of_piece = |piece: &[Unit]| squares(piece, location(piece));
    let of = |split: usize| of_piece(&units[..split]) + of_piece(&units[split..]);
    let splits = least..=units.len().saturating_sub(least);
    splits.min_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap_or(units.len())
}

/// Returns the mean |error| of units that are predicted from the others, by one piece or by two,
/// whose division is found again without each.
fn left_out_error(units: &[Unit], is_divided: bool) -> f64 {
    let errors = (0..units.len()).map(|one| {
        let mut others = units.to_vec();
        let left_out = others.remove(one);
        let predicted = if is_divided {
            let split = best_split(&others);
            let (below, above) = (location(&others[..split]), location(&others[split..]));
            // Between the pieces the mean of both, as in predictions.
            match one.cmp(&split) {
                std::cmp::Ordering::Less => below,
                std::cmp::Ordering::Equal => f64::midpoint(below, above),
                std::cmp::Ordering::Greater => above,
            }
        } else {
            location(&others)
        };
        (left_out.error - predicted).abs()
    });
    mean(&errors.collect::<Vec<_>>())
}

use crate::numeric::breakpoints::{OrderedSeries, Partition, Shape, breakpoints, min_segment_points, supremum_test};
use crate::numeric::{Estimate, Interval, Line};

/// Fewer points than these tell no break.
const LEAST_POINTS: usize = 10;

/// A segment has at least this part of the points, and this number of them.
const LEAST_PART: f64 = 0.1;
const LEAST_SEGMENT: usize = 3;

/// A level_shift that counts is at least this part of the time before it: smaller breaks are kinks, where another rank comes to
/// end last.
const MIN_SHIFT: f64 = 0.1;

/// The size up to which times lie on one line, before they level_shift up to another one; sizes ascend, times are above 0.
///
/// There is one if the supremum of F is significant at this level, and the line behind, drawn back, lies a tenth above the line before and its last point.
/// Deviations are taken as proportional to the time: with ŷ = a + b·x fitted to all points, y/ŷ is cut over x/ŷ. Since
/// 1/ŷ = (1 − b·x/ŷ)/a, lines of x are lines of x/ŷ, and the noise of all points is alike. A constant shape is cut as it is.
pub(super) fn level_shift(x: &[f64], y: &[f64], shape: Shape, level: f64) -> Option<Estimate> {
    let n = x.len();
    if n < LEAST_POINTS || y.iter().any(|y| *y <= 0.0) {
        return None;
    }
    let (intercept, slope) = fitted(x, y);
    let scale = |k: usize| if shape == Shape::Linear { intercept + slope * x[k] } else { 1.0 };
    let u: Vec<f64> = (0..n).map(|k| x[k] / scale(k)).collect();
    let z: Vec<f64> = (0..n).map(|k| y[k] / scale(k)).collect();
    let series = OrderedSeries::new(&u, &z, shape).ok()?;
    let least = min_segment_points(n, LEAST_PART).max(LEAST_SEGMENT);
    if supremum_test(&series, least).ok()?.p_value > 1.0 - level {
        return None;
    }
    let partition = breakpoints(&series, least, Some(1)).ok()?.by_count.pop()?;
    let segments = partition.segments(&series);
    let last = partition.breaks[0] - 1;
    // Where slopes only grow, no line behind a point lies above the point itself.
    if segments[1].at(u[last]) < (1.0 + MIN_SHIFT) * segments[0].at(u[last]).max(z[last]) {
        return None;
    }
    let places = partition.intervals(&series, level)[0].map(|places| (places.low, places.high));
    let (low, high) = places.unwrap_or_else(|| likely(&series, &partition, least, level));
    // The true place lies before the first point behind the break.
    let interval = Interval { low: x[low.min(last + 1) - 1], high: x[high.max(last + 1).min(n - 1)], level };
    Some(Estimate { value: x[last], interval: Some(interval), samples: None })
}

/// The places of a break that are about as likely as the best one, where Bai's distribution is too skewed to tell.
///
/// RSS(i) − RSS ≤ −2·ln(1 − √level)·RSS/n. Source: Hansen, "Sample splitting and threshold estimation", Econometrica 68,
/// 2000.
fn likely(series: &OrderedSeries<'_>, best: &Partition, least: usize, level: f64) -> (usize, usize) {
    let n = series.len();
    let most = best.rss * (1.0 - 2.0 * (1.0 - level.sqrt()).ln() / n as f64);
    let is_likely = |place: &usize| {
        let partition = Partition { breaks: vec![*place], ..best.clone() };
        partition.segments(series).iter().map(|segment| segment.rss).sum::<f64>() <= most
    };
    let places = || (least..=n - least).filter(is_likely);
    let found = best.breaks[0];
    (places().next().unwrap_or(found).min(found), places().next_back().unwrap_or(found).max(found))
}

/// Intercept and slope, above 0, of a line through all points, deviations being proportional to the time.
fn fitted(x: &[f64], y: &[f64]) -> (f64, f64) {
    let shortest = y.iter().copied().fold(f64::INFINITY, f64::min);
    let line = Line::through(x.iter().zip(y).map(|(&x, &y)| (x, y, 1.0 / (y * y))));
    line.map_or((shortest, 0.0), |line| (line.intercept.max(0.1 * shortest), line.slope.max(0.0)))
}

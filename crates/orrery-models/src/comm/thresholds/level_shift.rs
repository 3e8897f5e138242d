use orrery_base::numeric::breakpoints::{
    OrderedSeries, Partition, Shape, breakpoints, min_segment_points, supremum_test,
};
use orrery_base::numeric::{Estimate, Interval, Line};

/// The smallest number of points in which a break is sought.
const MIN_POINTS: usize = 10;

/// The smallest fraction of the points in a segment.
const MIN_SEGMENT_FRACTION: f64 = 0.1;
/// The smallest number of points in a segment.
const MIN_SEGMENT_POINTS: usize = 3;

/// The smallest level shift, as a fraction of the time before it. Smaller breaks are kinks: from
/// there on another rank is the last to finish.
const MIN_SHIFT: f64 = 0.1;

/// Returns the size at which times shift from one line up to another, with its interval. Sizes
/// ascend, times are above 0.
///
/// A shift is found if the supremum of F is significant at this level and the line behind the
/// break, extrapolated back, lies a tenth above the line before it and above the last point before
/// it.
///
/// Deviations are assumed proportional to the time. With ŷ = a + b·x fitted to all points, y/ŷ is
/// partitioned over x/ŷ: since 1/ŷ = (1 − b·x/ŷ)/a, lines in x are lines in x/ŷ, and all points
/// have equal noise. The shape `Constant` is partitioned without this scaling.
pub(super) fn level_shift(x: &[f64], y: &[f64], shape: Shape, level: f64) -> Option<Estimate> {
    let n = x.len();
    if n < MIN_POINTS || y.iter().any(|y| *y <= 0.0) {
        return None;
    }
    // With noise in proportion to the time, the long times would decide alone where the break is.
    let (intercept, slope) = fitted(x, y);
    let scale = |k: usize| if shape == Shape::Linear { intercept + slope * x[k] } else { 1.0 };
    let u: Vec<f64> = (0..n).map(|k| x[k] / scale(k)).collect();
    let z: Vec<f64> = (0..n).map(|k| y[k] / scale(k)).collect();
    let series = OrderedSeries::new(&u, &z, shape).ok()?;
    let least = min_segment_points(n, MIN_SEGMENT_FRACTION).max(MIN_SEGMENT_POINTS);
    // A best partition exists for any series; the test is whether noise alone has one as good.
    if supremum_test(&series, least).ok()?.p_value > 1.0 - level {
        return None;
    }
    let partition = breakpoints(&series, least, Some(1)).ok()?.by_count.pop()?;
    let segments = partition.segments(&series);
    let last = partition.breaks[0] - 1;
    // If only the slope grows, the line behind a point does not lie above the point.
    if segments[1].at(u[last]) < (1.0 + MIN_SHIFT) * segments[0].at(u[last]).max(z[last]) {
        return None;
    }
    let places = partition.intervals(&series, level)[0].map(|places| (places.low, places.high));
    let (low, high) = places.unwrap_or_else(|| likely_positions(&series, &partition, least, level));
    // The true position lies before the first point behind the break.
    let interval =
        Interval { low: x[low.min(last + 1) - 1], high: x[high.max(last + 1).min(n - 1)], level };
    Some(Estimate { value: x[last], interval: Some(interval), samples: None })
}

/// Returns the first and last position of the break that are about as likely as the best one. Used if Bai's distribution is too skewed for an interval.
///
/// RSS(i) − RSS ≤ −2·ln(1 − √level)·RSS/n. Source: Hansen, "Sample splitting and threshold
/// estimation", Econometrica 68, 2000.
fn likely_positions(
    series: &OrderedSeries<'_>,
    best: &Partition,
    least: usize,
    level: f64,
) -> (usize, usize) {
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

/// Returns intercept and slope, both at least 0, of a line through all points with deviations
/// proportional to the time.
fn fitted(x: &[f64], y: &[f64]) -> (f64, f64) {
    let shortest = y.iter().copied().fold(f64::INFINITY, f64::min);
    let line = Line::through(x.iter().zip(y).map(|(&x, &y)| (x, y, 1.0 / (y * y))));
    line.map_or((shortest, 0.0), |line| (line.intercept.max(0.1 * shortest), line.slope.max(0.0)))
}

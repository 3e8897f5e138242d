use super::Escalation;
use orrery_base::numeric::breakpoints::{
    OrderedSeries, Partition, Shape, breakpoints, min_segment_points, supremum_test,
};
use orrery_base::numeric::{Estimate, Interval, Line, binomial_proportion, mean, median_estimate};

/// The excess time of an escalated reading over the line of the other readings, with its standard
/// deviation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Excess {
    pub(super) seconds: f64,
    pub(super) deviation: f64,
}

/// The largest ratio of the variance of one level to that of readings without escalation; a larger
/// one shows several levels.
const MAX_VARIANCE_RATIO: f64 = 2.0;

/// The smallest number of readings in a level; fewer are outliers.
const MIN_READINGS: usize = 2;
/// The smallest fraction of all escalated readings in a level; less are outliers.
const MIN_FRACTION: f64 = 0.02;

/// Returns the smallest number of levels that explains the spread of escalated readings out of
/// `trials` readings. `level` is the confidence level of the intervals of their times and
/// probabilities.
///
/// Sorted readings are split in two where the sum Σ ((x − mean)/deviation)² becomes smallest, and
/// the parts are split again as long as their variance is more than twice that of readings without
/// escalation. Outliers are counted with the nearest level.
pub(super) fn levels(mut excesses: Vec<Excess>, trials: u64, level: f64) -> Vec<Escalation> {
    excesses.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let least = MIN_READINGS.max((MIN_FRACTION * excesses.len() as f64).ceil() as usize);
    let mut groups: Vec<&[Excess]> = Vec::new();
    let mut open = vec![&excesses[..]];
    while let Some(group) = open.pop() {
        match split_levels(group) {
            // Groups that are too small for a level are left out.
            Some((low, high)) => {
                open.extend([high, low].into_iter().filter(|part| part.len() >= least));
            }
            None if group.len() >= least => groups.push(group),
            None => {}
        }
    }
    // Outliers are escalations, too: without them the probabilities would be too small.
    let centres: Vec<f64> = groups.iter().map(|group| centre(group)).collect();
    let mut counts = vec![0; groups.len()];
    for excess in &excesses {
        if let Some(nearest) = nearest(&centres, excess.seconds) {
            counts[nearest] += 1;
        }
    }
    let mut escalations = Vec::with_capacity(groups.len());
    for (group, count) in groups.into_iter().zip(counts) {
        let seconds: Vec<f64> = group.iter().map(|excess| excess.seconds).collect();
        escalations.push(Escalation {
            seconds: median_estimate(&seconds, level),
            probability: binomial_proportion(count, trials, level),
        });
    }
    escalations
}

/// Returns the index of the centre nearest to an excess; `None` without centres.
fn nearest(centres: &[f64], seconds: f64) -> Option<usize> {
    let distance = |centre: usize| (seconds - centres[centre]).abs();
    (0..centres.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}

/// Splits sorted readings into two parts; `None` if they spread like one level.
fn split_levels(group: &[Excess]) -> Option<(&[Excess], &[Excess])> {
    if group.len() < 2 || weighted_squares(group) <= MAX_VARIANCE_RATIO * (group.len() - 1) as f64 {
        return None;
    }
    // Plain sums suffice to find the position: deviations hardly differ within a group.
    let sums = |excesses: &mut dyn Iterator<Item = &Excess>| {
        let shift = group[0].seconds;
        let add = |(sum, square): &mut (f64, f64), excess: &Excess| {
            let x = excess.seconds - shift;
            (*sum, *square) = (*sum + x, *square + x * x);
            Some((*sum, *square))
        };
        excesses.scan((0.0, 0.0), add).collect::<Vec<_>>()
    };
    let (below, above) = (sums(&mut group.iter()), sums(&mut group.iter().rev()));
    let left = |(sum, square): (f64, f64), count: usize| square - sum * sum / count as f64;
    let n = group.len();
    let rest = |place: usize| left(below[place - 1], place) + left(above[n - place - 1], n - place);
    let place = (1..n).min_by(|&a, &b| rest(a).total_cmp(&rest(b)))?;
    Some(group.split_at(place))
}

/// Returns the mean excess of a group.
fn centre(group: &[Excess]) -> f64 {
    mean(&group.iter().map(|excess| excess.seconds).collect::<Vec<_>>())
}

/// Returns Σ ((x − mean)/deviation)² of a group.
fn weighted_squares(group: &[Excess]) -> f64 {
    let centre = centre(group);
    group.iter().map(|excess| ((excess.seconds - centre) / excess.deviation).powi(2)).sum()
}

/// The smallest number of points in which a break is sought.
pub(super) const MIN_POINTS: usize = 10;

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

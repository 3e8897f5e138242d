use std::f64::consts::TAU;

use super::BreakpointError;
use super::residuals::{RecursiveResiduals, cumulative_rss};
use super::segment::Partition;
use super::series::OrderedSeries;

/// The optimal partitions of a series for each number of breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakpoints {
    /// The optimal partition with 0, 1, … breaks.
    pub by_count: Vec<Partition>,
    /// The minimum number of points of a segment.
    pub min_points: usize,
}

impl Breakpoints {
    /// The partition with the least BIC; ties are broken by fewer breaks.
    pub fn best_by_bic(&self) -> &Partition {
        self.by_count
            .iter()
            .fold(&self.by_count[0], |best, next| if next.bic < best.bic { next } else { best })
    }
}

/// The minimum number of points of a segment as a fraction of all points: ⌊fraction·n⌋.
pub fn min_segment_points(points: usize, fraction: f64) -> usize {
    // 0.15·100 is 15 and not 14.999….
    (points as f64 * fraction + 1e-9).floor() as usize
}

/// The default of the maximum number of breaks: ⌈n/min_points⌉ − 2, and at least 1.
fn default_breaks(points: usize, min_points: usize) -> usize {
    points.div_ceil(min_points).saturating_sub(2).max(1)
}

/// The cost of a search for breakpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchCost {
    /// The memory in bytes, (n + 1)·(m + 1)·12.
    pub memory: u64,
    /// The number of steps of about a nanosecond, n²/2·(m + 1).
    pub steps: u64,
}

/// The cost of [`breakpoints`] for n points and m breaks; `None` for the default number of breaks.
///
/// ```
/// use orrery_base::numeric::breakpoints::search_cost;
/// let cost = search_cost(1000, 150, None);
/// assert_eq!((cost.memory, cost.steps), (1001 * 6 * 12, 3_000_000));
/// ```
pub fn search_cost(points: usize, min_points: usize, max_breaks: Option<usize>) -> SearchCost {
    let counts = max_breaks.unwrap_or_else(|| default_breaks(points, min_points.max(1))) as u64 + 1;
    let (points, bytes) = (points as u64, (size_of::<f64>() + size_of::<u32>()) as u64);
    SearchCost {
        memory: (points + 1).saturating_mul(counts).saturating_mul(bytes),
        steps: (points.saturating_mul(points) / 2).saturating_mul(counts),
    }
}

/// Finds the optimal partitions of a series into segments of at least `min_points` points, with 0
/// to `max_breaks` breaks.
///
/// The default of `max_breaks` is ⌈n/min_points⌉ − 2. Ties are broken by the earlier last break,
/// then by the one before it. Takes O(n²·m) time and O(n·m) memory for n points and m breaks.
///
/// # Errors
///
/// Returns an error if two segments or the requested breaks do not fit, or if a segment has no more
/// points than coefficients.
///
/// Source: Bai, Perron, J. Applied Econometrics 18, 2003; the number of breaks by BIC as in Zeileis
/// et al., "Testing and dating of structural changes in practice", Computational Statistics & Data
/// Analysis 44, 2003.
///
/// ```
/// use orrery_base::numeric::breakpoints::{OrderedSeries, Shape, breakpoints};
/// let x: Vec<f64> = (1..=40).map(f64::from).collect();
/// let wave = |x: f64| 0.01 * (x * 2.4).sin();
/// let y: Vec<f64> = x.iter().map(|x| if *x <= 25.0 { 1.0 + 0.1 * x } else { 7.0 + 0.3 * x } + wave(*x)).collect();
/// let found = breakpoints(&OrderedSeries::new(&x, &y, Shape::Linear)?, 6, None)?;
/// assert_eq!(found.best_by_bic().breaks, [25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn breakpoints(
    series: &OrderedSeries<'_>,
    min_points: usize,
    max_breaks: Option<usize>,
) -> Result<Breakpoints, BreakpointError> {
    let (points, coefficients) = (series.len(), series.shape.coefficients());
    check_min_points(series, min_points)?;
    let possible = points / min_points - 1;
    let breaks = max_breaks.unwrap_or_else(|| default_breaks(points, min_points).min(possible));
    if breaks > possible {
        return Err(BreakpointError::TooMany { breaks, points, max_breaks: possible, min_points });
    }
    let optimum = OptimalPartitions::new(series, breaks, min_points);
    let n = points as f64;
    let bic = |squares: f64, breaks: usize| {
        n * (squares.ln() + 1.0 - n.ln() + TAU.ln())
            + ((coefficients + 1) * (breaks + 1)) as f64 * n.ln()
    };
    let by_count = (0..=breaks).map(|breaks| {
        let (squares, places) = optimum.partition(breaks);
        Partition { breaks: places, rss: squares, bic: bic(squares.max(f64::MIN_POSITIVE), breaks) }
    });
    Ok(Breakpoints { by_count: by_count.collect(), min_points })
}

/// Checks that each segment has more points than coefficients, and that two segments fit into the
/// series.
pub(super) fn check_min_points(
    series: &OrderedSeries<'_>,
    min_points: usize,
) -> Result<(), BreakpointError> {
    let (points, coefficients) = (series.len(), series.shape.coefficients());
    if min_points <= coefficients {
        return Err(BreakpointError::TooShort { min_points, coefficients });
    }
    if min_points > points / 2 {
        return Err(BreakpointError::TooFew { points, min_points });
    }
    Ok(())
}

/// The number of segment starts that are processed in one pass over the points.
const LANES: usize = 4;

/// The optimal partitions of all prefixes of a series, by dynamic programming.
///
/// With RSS(i, e) of points i to e, the least residual sum of squares of the first e points with m
/// breaks is C(m, e) = min_i C(m − 1, i) + RSS(i, e). All RSS(i, ·) are computed in one pass over
/// the points after i, when C(·, i) is known. So n·m numbers are stored instead of n² sums.
///
/// Source: Bai, Perron, "Computation and analysis of multiple structural change models", J. Applied
/// Econometrics 18, 2003.
#[derive(Debug)]
struct OptimalPartitions {
    breaks: usize,
    /// C(m, e) at index e·(breaks + 1) + m.
    min_rss: Vec<f64>,
    /// The last break of the optimal partition, at the same index.
    last_break: Vec<u32>,
}

impl OptimalPartitions {
    /// Computes the optimal partitions with up to `breaks` breaks and segments of at least `length`
    /// points.
    fn new(series: &OrderedSeries<'_>, breaks: usize, length: usize) -> Self {
        let (points, width) = (series.len(), breaks + 1);
        let least = vec![f64::INFINITY; (points + 1) * width];
        let mut all = Self { breaks, min_rss: least, last_break: vec![0; (points + 1) * width] };
        // Partitions without breaks.
        let first =
            cumulative_rss(series.shape, series.x.iter().copied().zip(series.y.iter().copied()));
        for end in length..=points {
            all.min_rss[end * width] = first[end - 1];
        }
        // A segment must fit after each break.
        let mut start = length;
        while start + length <= points {
            if length >= LANES && start + length + LANES <= points {
                all.starts::<LANES>(series, start, length);
                start += LANES;
            } else {
                all.starts::<1>(series, start, length);
                start += 1;
            }
        }
        all
    }

    /// Improves the partitions by those whose last break is after `start`, `start` + 1, …, `start`
    /// + `L` − 1 points; `length` is the minimum number of points of a segment.
    fn starts<const L: usize>(&mut self, series: &OrderedSeries<'_>, start: usize, length: usize) {
        let width = self.breaks + 1;
        let mut residuals = RecursiveResiduals::<L>::EMPTY;
        for (point, (&x, &y)) in
            series.x[start..start + L - 1].iter().zip(&series.y[start..]).enumerate()
        {
            (0..=point).for_each(|lane| residuals.push_one(lane, series.shape, x, y));
        }
        // The optimum up to each start, with one break fewer.
        let before: Vec<[f64; L]> = (0..self.breaks)
            .map(|m| std::array::from_fn(|lane| self.min_rss[(start + lane) * width + m]))
            .collect();
        let together = start + L - 1;
        for (point, (&x, &y)) in series.x[together..].iter().zip(&series.y[together..]).enumerate()
        {
            let squares = *residuals.push(series.shape, x, y);
            let end = together + point + 1;
            // Segments of the first lanes reach the minimum length first.
            if end < start + length {
                continue;
            }
            let with = (end - start - length + 1).min(L);
            let least = &mut self.min_rss[end * width + 1..][..self.breaks];
            let last = &mut self.last_break[end * width + 1..][..self.breaks];
            for ((least, last), before) in least.iter_mut().zip(last).zip(&before) {
                for lane in 0..with {
                    let sum = before[lane] + squares[lane];
                    if sum < *least {
                        *least = sum;
                        *last = (start + lane) as u32;
                    }
                }
            }
        }
    }

    /// The optimal partition of the whole series with exactly this number of breaks: its residual
    /// sum of squares and the number of points before each break.
    fn partition(&self, breaks: usize) -> (f64, Vec<usize>) {
        let width = self.breaks + 1;
        let points = self.min_rss.len() / width - 1;
        let mut found = vec![0; breaks];
        let mut end = points;
        for m in (1..=breaks).rev() {
            end = self.last_break[end * width + m] as usize;
            found[m - 1] = end;
        }
        (self.min_rss[points * width + breaks], found)
    }
}

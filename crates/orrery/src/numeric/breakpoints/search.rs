use std::f64::consts::TAU;

use super::optimum::Optimum;
use super::series::OrderedSeries;
use super::{BreakpointError, supremum};

/// A series cut at some breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The points before each break: also the place of the last point of a segment, counted from 1.
    pub breaks: Vec<usize>,
    /// The sum of squared residuals, in the unit of y squared.
    pub squares: f64,
    /// n·(ln RSS + 1 − ln n + ln 2π) + (k + 1)(m + 1)·ln n for n points, m breaks and k coefficients of a segment.
    pub bic: f64,
}

/// The best partitions of a series, by number of breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakpoints {
    /// With no break, one break, and so on.
    pub by_count: Vec<Partition>,
    /// The least points of a segment.
    pub least: usize,
}

impl Breakpoints {
    /// The partition of the least BIC, of equals the one with fewer breaks.
    pub fn chosen(&self) -> &Partition {
        self.by_count.iter().fold(&self.by_count[0], |best, next| if next.bic < best.bic { next } else { best })
    }
}

/// The least points of a segment where a part of all points is asked for: ⌊part·n⌋.
pub fn min_segment_points(points: usize, part: f64) -> usize {
    // 0.15·100 is 15 and not 14.999….
    (points as f64 * part + 1e-9).floor() as usize
}

/// The best partitions of a series into segments of at least `least` points, with up to `most` breaks: unless told, as
/// many as find room when one segment may be longer, ⌈n/least⌉ − 2.
///
/// Of partitions with equal sums the one whose last break, then the one before, comes first. O(n²·m) time, O(n·m) memory.
///
/// # Errors
///
/// When two segments find no room, when a segment has no more points than coefficients, or the breaks do not fit.
///
/// Source: Bai, Perron, J. Applied Econometrics 18, 2003; the number of breaks by BIC as in Zeileis et al., "Testing and
/// dating of structural changes in practice", Computational Statistics & Data Analysis 44, 2003.
///
/// ```
/// use orrery::numeric::breakpoints::{OrderedSeries, Shape, breakpoints};
/// let x: Vec<f64> = (1..=40).map(f64::from).collect();
/// let wave = |x: f64| 0.01 * (x * 2.4).sin();
/// let y: Vec<f64> = x.iter().map(|x| if *x <= 25.0 { 1.0 + 0.1 * x } else { 7.0 + 0.3 * x } + wave(*x)).collect();
/// let found = breakpoints(&OrderedSeries::new(&x, &y, Shape::Linear)?, 6, None)?;
/// assert_eq!(found.chosen().breaks, [25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn breakpoints(
    series: &OrderedSeries<'_>,
    least: usize,
    most: Option<usize>,
) -> Result<Breakpoints, BreakpointError> {
    let (points, coefficients) = (series.len(), series.shape.coefficients());
    supremum::room(series, least)?;
    let possible = points / least - 1;
    let usual = (points.div_ceil(least) - 2).clamp(1, possible);
    let breaks = most.unwrap_or(usual);
    if breaks > possible {
        return Err(BreakpointError::TooMany { breaks, points, most: possible, least });
    }
    let optimum = Optimum::new(series, breaks, least);
    let n = points as f64;
    let bic = |squares: f64, breaks: usize| {
        n * (squares.ln() + 1.0 - n.ln() + TAU.ln()) + ((coefficients + 1) * (breaks + 1)) as f64 * n.ln()
    };
    let by_count = (0..=breaks).map(|breaks| {
        let (squares, places) = optimum.partition(breaks);
        Partition { breaks: places, squares, bic: bic(squares.max(f64::MIN_POSITIVE), breaks) }
    });
    Ok(Breakpoints { by_count: by_count.collect(), least })
}

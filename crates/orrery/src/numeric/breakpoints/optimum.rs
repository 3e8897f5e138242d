use super::residuals::Residuals;
use super::series::OrderedSeries;

/// Starts of segments that go through the points together.
const LANES: usize = 4;

/// The best partitions of every beginning of a series.
///
/// With RSS(i, e) of the points from i up to e, the first e points have with m breaks at best
/// C(m, e) = min_i C(m − 1, i) + RSS(i, e). All sums with one start i are found in one pass over the points behind it, and
/// C(·, i) is known by then, since a segment that ends at i started before: n·m numbers are kept, not n² sums.
///
/// Source: Bai, Perron, "Computation and analysis of multiple structural change models", J. Applied Econometrics 18, 2003.
#[derive(Debug)]
pub(super) struct Optimum {
    breaks: usize,
    /// C(m, e), m ≤ breaks together for each e.
    least: Vec<f64>,
    /// The last break of it.
    last: Vec<u32>,
}

impl Optimum {
    /// Up to so many breaks, segments of at least `length` points.
    pub(super) fn new(series: &OrderedSeries<'_>, breaks: usize, length: usize) -> Self {
        let (points, width) = (series.len(), breaks + 1);
        let least = vec![f64::INFINITY; (points + 1) * width];
        let mut all = Self { breaks, least, last: vec![0; (points + 1) * width] };
        // The first segment starts at the beginning, whatever follows.
        let first = super::residuals::growing(series.shape, series.x.iter().copied().zip(series.y.iter().copied()));
        for end in length..=points {
            all.least[end * width] = first[end - 1];
        }
        // Behind a break there has to be room for a segment.
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

    /// Tries `L` starts one behind the other as the last break.
    fn starts<const L: usize>(&mut self, series: &OrderedSeries<'_>, start: usize, length: usize) {
        let width = self.breaks + 1;
        let mut residuals = Residuals::<L>::EMPTY;
        for (point, (&x, &y)) in series.x[start..start + L - 1].iter().zip(&series.y[start..]).enumerate() {
            (0..=point).for_each(|lane| residuals.push_one(lane, series.shape, x, y));
        }
        // The way up to each start, with one break fewer.
        let before: Vec<[f64; L]> =
            (0..self.breaks).map(|m| std::array::from_fn(|lane| self.least[(start + lane) * width + m])).collect();
        let together = start + L - 1;
        for (point, (&x, &y)) in series.x[together..].iter().zip(&series.y[together..]).enumerate() {
            let squares = *residuals.push(series.shape, x, y);
            let end = together + point + 1;
            // The last of the starts has its segment, then all have.
            if end < start + length {
                continue;
            }
            let with = (end - start - length + 1).min(L);
            let least = &mut self.least[end * width + 1..][..self.breaks];
            let last = &mut self.last[end * width + 1..][..self.breaks];
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

    /// The least sum of squares of all points with so many breaks, and the breaks: how many points stand before each.
    pub(super) fn partition(&self, breaks: usize) -> (f64, Vec<usize>) {
        let width = self.breaks + 1;
        let points = self.least.len() / width - 1;
        let mut found = vec![0; breaks];
        let mut end = points;
        for m in (1..=breaks).rev() {
            end = self.last[end * width + m] as usize;
            found[m - 1] = end;
        }
        (self.least[points * width + breaks], found)
    }
}

use std::fmt;
use std::str::FromStr;

use crate::sample::SizeReadings;
use crate::units::Bytes;

/// Sizes that are placed where times turn: an even grid first, then the middle of each gap in which a break may lie.
///
/// A break may lie between two neighbours if neither can be told from its own side: the line through a point and one
/// before it misses the neighbour by more than a tenth, and the line from behind misses as well. The gap before the first
/// size that escalates is halved too, until gaps are no wider than the least stride, and so are gaps below it as long as
/// there are few sizes. At most 100 sizes in all, the worst
/// misses first. Source: the adaptive message sizes of MPIBlib.
///
/// ```
/// use orrery::measure::AdaptiveSizes;
/// let sizes: AdaptiveSizes = "adaptive:0..64K:2K".parse().unwrap();
/// let grid = sizes.next(&[]);
/// assert_eq!((grid.len(), grid[1].get()), (33, 2048));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveSizes {
    from: Bytes,
    to: Bytes,
    least: Bytes,
}

/// An extrapolation misses when it is off by more than this part.
const MISS: f64 = 0.1;

/// The grid has at most so many gaps.
const GRID: u64 = 32;

/// At most so many sizes.
const MOST: usize = 100;

/// So many sizes below the first that escalates are enough for a slope.
const SMALL: usize = 8;

/// The word before the range.
const WORD: &str = "adaptive:";

/// The least stride unless told.
const LEAST: Bytes = Bytes::new(1024);

impl AdaptiveSizes {
    /// Sizes between two that are, where it matters, no more than `least` apart.
    ///
    /// # Errors
    ///
    /// When the range is empty or narrower than the least stride, or the stride is 0.
    pub fn new(from: Bytes, to: Bytes, least: Bytes) -> Result<Self, String> {
        if least == Bytes::ZERO {
            return Err("the least stride must be above 0".into());
        }
        if to.get().saturating_sub(from.get()) < least.get() {
            return Err(format!("from {from} to {to} there is no room for two sizes that are {least} apart"));
        }
        Ok(Self { from, to, least })
    }

    /// Whether a word on the command line speaks of adaptive sizes.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("adaptive")
    }

    /// Whether a size lies between the two ends.
    pub fn contains(&self, size: Bytes) -> bool {
        (self.from..=self.to).contains(&size)
    }

    /// The sizes to measure next, given those that have been, ascending; none when all is pinned.
    pub fn next(&self, measured: &[SizeReadings]) -> Vec<Bytes> {
        let inside: Vec<&SizeReadings> = measured.iter().filter(|point| self.contains(point.size)).collect();
        let known = |size: &Bytes| inside.iter().any(|point| point.size == *size);
        let grid: Vec<Bytes> = self.grid().into_iter().filter(|size| !known(size)).collect();
        if !grid.is_empty() {
            return grid;
        }
        let mut gaps = self.gaps(&inside);
        gaps.sort_by(|a, b| b.miss.total_cmp(&a.miss));
        gaps.truncate(MOST.saturating_sub(inside.len()));
        let mut sizes: Vec<Bytes> = gaps.into_iter().map(|gap| self.middle(gap)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    fn grid(&self) -> Vec<Bytes> {
        let (from, width) = (self.from.get(), self.to.get() - self.from.get());
        let mut stride = self.least.get();
        while width / stride > GRID {
            stride *= 2;
        }
        (0..=width / stride)
            .map(|k| Bytes::new(from + k * stride))
            .chain((width % stride > 0).then_some(self.to))
            .collect()
    }

    /// The gaps that are wide enough to be halved and in which a break may lie.
    fn gaps(&self, points: &[&SizeReadings]) -> Vec<Gap> {
        let kept: Vec<(f64, f64)> =
            points.iter().filter(|p| !p.all_escalated()).map(|p| (p.size.get() as f64, p.seconds)).collect();
        let mirrored: Vec<(f64, f64)> = kept.iter().rev().map(|(x, y)| (-x, *y)).collect();
        let mut gaps = Vec::new();
        for place in 1..kept.len() {
            let misses = [miss(&kept, place), miss(&mirrored, kept.len() - place)];
            let least = misses.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            if least.is_finite() && least > MISS {
                gaps.extend(self.widest(points, kept[place - 1].0, kept[place].0, least));
            }
        }
        if let Some(first) = (1..points.len()).find(|&place| points[place].escalates_repeatedly()) {
            let size = |place: usize| points[place].size.get() as f64;
            gaps.extend(self.widest(points, size(first - 1), size(first), f64::INFINITY));
            if first < SMALL {
                gaps.extend(self.widest(points, size(0), size(first - 1), f64::INFINITY));
            }
        }
        gaps
    }

    /// The widest gap between two sizes, unless it is narrow enough; sizes that are lost may lie between.
    fn widest(&self, points: &[&SizeReadings], from: f64, to: f64, miss: f64) -> Option<Gap> {
        let within = |size: Bytes| (from..=to).contains(&(size.get() as f64));
        let inside: Vec<Bytes> = points.iter().map(|point| point.size).filter(|size| within(*size)).collect();
        let gaps = inside.windows(2).map(|pair| Gap { from: pair[0], to: pair[1], miss });
        gaps.max_by_key(Gap::width).filter(|gap| gap.width() > self.least.get())
    }

    /// The middle of a gap, a whole number of least strides from its start.
    fn middle(&self, gap: Gap) -> Bytes {
        let strides = (gap.width() / 2 / self.least.get()).max(1);
        Bytes::new(gap.from.get() + strides * self.least.get())
    }
}

#[derive(Debug, Clone, Copy)]
struct Gap {
    from: Bytes,
    to: Bytes,
    miss: f64,
}

impl Gap {
    fn width(&self) -> u64 {
        self.to.get() - self.from.get()
    }
}

/// By which part the point at `place` is missed by the line through the one before it and the nearest that lies at least as
/// far before that one; `None` where there is none.
fn miss(points: &[(f64, f64)], place: usize) -> Option<f64> {
    let ((x, y), (x1, y1)) = (points[place], points[place - 1]);
    let (x0, y0) = points[..place - 1].iter().rev().find(|(x0, _)| x1 - x0 >= x - x1)?;
    let told = y1 + (y1 - y0) / (x1 - x0) * (x - x1);
    (y > 0.0).then(|| (told / y - 1.0).abs())
}

impl FromStr for AdaptiveSizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shape = || format!("{text:?} is not of the form adaptive:0..200K or adaptive:0..200K:1K (least stride)");
        let (range, least) = match text.strip_prefix(WORD).ok_or_else(shape)?.split_once(':') {
            Some((range, least)) => (range, least.parse::<Bytes>().map_err(|error| error.to_string())?),
            None => (text.strip_prefix(WORD).unwrap_or_default(), LEAST),
        };
        let (from, to) = range.split_once("..").ok_or_else(shape)?;
        let size = |text: &str| text.parse::<Bytes>().map_err(|error| error.to_string());
        Self::new(size(from)?, size(to)?, least)
    }
}

impl fmt::Display for AdaptiveSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{WORD}{}..{}:{}", self.from, self.to, self.least)
    }
}

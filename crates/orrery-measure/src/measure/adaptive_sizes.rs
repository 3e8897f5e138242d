use std::fmt;
use std::str::FromStr;

use crate::sample::SizeReadings;
use orrery_base::units::{Bytes, UnitError};

/// Message sizes that are refined where measured times change their slope.
///
/// The first sizes form an even grid. Then gaps that may hold a break are halved. A gap may hold a
/// break if neither of its ends can be extrapolated from its own side: the line through a point and
/// one before it misses the neighbour by more than 10 %, and so does the line from the other side.
/// The gap before the first size with escalated readings is halved too, and so are gaps below it
/// while there are few sizes. No gap becomes narrower than the least stride, and there are at most
/// 100 sizes; the worst misses are refined first.
///
/// Source: the adaptive message sizes of MPIBlib.
///
/// ```
/// use orrery_measure::measure::AdaptiveSizes;
/// let sizes: AdaptiveSizes = "adaptive:0..64K:2K".parse().unwrap();
/// let grid = sizes.next_sizes(&[]);
/// assert_eq!((grid.len(), grid[1].get()), (33, 2048));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveSizes {
    from: Bytes,
    to: Bytes,
    stride: Bytes,
}

impl Default for AdaptiveSizes {
    /// `adaptive:0..200K:1K`, where thresholds of switched clusters lie.
    fn default() -> Self {
        Self { from: Bytes::ZERO, to: Bytes::new(200 * 1024), stride: DEFAULT_STRIDE }
    }
}

/// The reason why values or a text are no [`AdaptiveSizes`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdaptiveSizesError {
    /// The least stride is 0.
    #[error("the least stride must be above 0")]
    NoStride,
    /// The range is empty or narrower than the least stride.
    #[error("the range {from}..{to} is narrower than the least stride, {stride}; widen it")]
    Narrow {
        /// The beginning of the range.
        from: Bytes,
        /// The end of the range.
        to: Bytes,
        /// The least stride.
        stride: Bytes,
    },
    /// A text of another form.
    #[error("{0:?} is not of the form adaptive:0..200K or adaptive:0..200K:1K (least stride)")]
    Form(String),
    /// An invalid size.
    #[error(transparent)]
    Size(#[from] UnitError),
}

/// An extrapolation misses a point if the relative error exceeds this.
const MAX_RELATIVE_MISS: f64 = 0.1;

/// The grid has at most this number of gaps.
const MAX_GRID_GAPS: u64 = 32;

/// There are at most this number of sizes.
const MAX_SIZES: usize = 100;

/// This number of sizes below the first with escalated readings suffices for a slope.
const MIN_SIZES_BELOW_ESCALATION: usize = 8;

/// The keyword before the range.
const PREFIX: &str = "adaptive:";

/// The smallest stride if the text contains none.
const DEFAULT_STRIDE: Bytes = Bytes::new(1024);

impl AdaptiveSizes {
    /// Sizes from `from` to `to` that are refined down to gaps of `stride`.
    ///
    /// # Errors
    ///
    /// When the range is empty or narrower than the stride, or the stride is 0.
    pub fn new(from: Bytes, to: Bytes, stride: Bytes) -> Result<Self, AdaptiveSizesError> {
        if stride == Bytes::ZERO {
            return Err(AdaptiveSizesError::NoStride);
        }
        if to.get().saturating_sub(from.get()) < stride.get() {
            return Err(AdaptiveSizesError::Narrow { from, to, stride });
        }
        Ok(Self { from, to, stride })
    }

    /// Returns true if a text begins like adaptive sizes, well-formed or not.
    pub fn has_prefix(text: &str) -> bool {
        text.starts_with("adaptive")
    }

    /// Returns true if a size lies in the range.
    pub fn contains(&self, size: Bytes) -> bool {
        (self.from..=self.to).contains(&size)
    }

    /// Returns the sizes to measure next, given the measured ones in ascending order; empty if no
    /// gap is left to halve.
    pub fn next_sizes(&self, measured: &[SizeReadings]) -> Vec<Bytes> {
        self.next_sizes_among(measured, |_| true)
    }

    /// As [`Self::next_sizes`], but leaves out sizes that cannot be measured.
    pub fn next_sizes_among(
        &self,
        measured: &[SizeReadings],
        is_measurable: impl Fn(Bytes) -> bool,
    ) -> Vec<Bytes> {
        let inside: Vec<&SizeReadings> =
            measured.iter().filter(|point| self.contains(point.size)).collect();
        let known = |size: &Bytes| inside.iter().any(|point| point.size == *size);
        let grid: Vec<Bytes> =
            self.grid().into_iter().filter(|size| !known(size) && is_measurable(*size)).collect();
        if !grid.is_empty() {
            return grid;
        }
        let mut gaps = self.gaps(&inside);
        gaps.sort_by(|a, b| b.miss.total_cmp(&a.miss));
        gaps.truncate(MAX_SIZES.saturating_sub(inside.len()));
        let mut sizes: Vec<Bytes> = gaps
            .into_iter()
            .map(|gap| self.middle(gap))
            .filter(|size| is_measurable(*size))
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The even grid that is measured first.
    fn grid(&self) -> Vec<Bytes> {
        let (from, width) = (self.from.get(), self.to.get() - self.from.get());
        let mut stride = self.stride.get();
        while width / stride > MAX_GRID_GAPS {
            stride *= 2;
        }
        (0..=width / stride)
            .map(|k| Bytes::new(from + k * stride))
            .chain((width % stride > 0).then_some(self.to))
            .collect()
    }

    /// The gaps that may hold a break and are wide enough to be halved.
    fn gaps(&self, points: &[&SizeReadings]) -> Vec<Gap> {
        let kept: Vec<(f64, f64)> = points
            .iter()
            .filter(|p| !p.all_escalated())
            .map(|p| (p.size.get() as f64, p.seconds))
            .collect();
        let mirrored: Vec<(f64, f64)> = kept.iter().rev().map(|(x, y)| (-x, *y)).collect();
        let mut gaps = Vec::new();
        for place in 1..kept.len() {
            let misses = [miss(&kept, place), miss(&mirrored, kept.len() - place)];
            let least = misses.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            if least.is_finite() && least > MAX_RELATIVE_MISS {
                gaps.extend(self.widest(points, kept[place - 1].0, kept[place].0, least));
            }
        }
        if let Some(first) = (1..points.len()).find(|&place| points[place].escalates_repeatedly()) {
            let size = |place: usize| points[place].size.get() as f64;
            gaps.extend(self.widest(points, size(first - 1), size(first), f64::INFINITY));
            if first < MIN_SIZES_BELOW_ESCALATION {
                gaps.extend(self.widest(points, size(0), size(first - 1), f64::INFINITY));
            }
        }
        gaps
    }

    /// The widest gap between neighbouring measured sizes from `from` to `to`, those whose readings
    /// all escalated included; it gets the relative error `miss`. `None` if no gap is wider than
    /// the stride.
    fn widest(&self, points: &[&SizeReadings], from: f64, to: f64, miss: f64) -> Option<Gap> {
        let within = |size: Bytes| (from..=to).contains(&(size.get() as f64));
        let inside: Vec<Bytes> =
            points.iter().map(|point| point.size).filter(|size| within(*size)).collect();
        let gaps = inside.windows(2).map(|pair| Gap { from: pair[0], to: pair[1], miss });
        gaps.max_by_key(Gap::width).filter(|gap| gap.width() > self.stride.get())
    }

    /// The middle of a gap, a whole number of strides from its start.
    fn middle(&self, gap: Gap) -> Bytes {
        let strides = (gap.width() / 2 / self.stride.get()).max(1);
        Bytes::new(gap.from.get() + strides * self.stride.get())
    }
}

/// Two neighbouring sizes.
#[derive(Debug, Clone, Copy)]
struct Gap {
    from: Bytes,
    to: Bytes,
    /// The relative error of the better extrapolation across the gap; infinite for a gap that is
    /// halved in any case.
    miss: f64,
}

impl Gap {
    /// Returns the difference of the two sizes in bytes.
    fn width(&self) -> u64 {
        self.to.get() - self.from.get()
    }
}

/// Returns the relative error of extrapolating to the point at `place`, at least 1, on the line
/// through its predecessor and the nearest point at least as far before that; `None` if there is no
/// such point.
fn miss(points: &[(f64, f64)], place: usize) -> Option<f64> {
    let ((x, y), (x1, y1)) = (points[place], points[place - 1]);
    let (x0, y0) = points[..place - 1].iter().rev().find(|(x0, _)| x1 - x0 >= x - x1)?;
    let extrapolated = y1 + (y1 - y0) / (x1 - x0) * (x - x1);
    (y > 0.0).then(|| (extrapolated / y - 1.0).abs())
}

impl FromStr for AdaptiveSizes {
    type Err = AdaptiveSizesError;

    fn from_str(text: &str) -> Result<Self, AdaptiveSizesError> {
        let form = || AdaptiveSizesError::Form(text.to_owned());
        let (range, stride) = match text.strip_prefix(PREFIX).ok_or_else(form)?.split_once(':') {
            Some((range, stride)) => (range, stride.parse()?),
            None => (text.strip_prefix(PREFIX).unwrap_or_default(), DEFAULT_STRIDE),
        };
        let (from, to) = range.split_once("..").ok_or_else(form)?;
        Self::new(from.parse()?, to.parse()?, stride)
    }
}

impl fmt::Display for AdaptiveSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}..{}:{}", self.from, self.to, self.stride)
    }
}

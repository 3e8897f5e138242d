use super::series::Shape;

/// Residual sums of squares of growing segments, for several segments in parallel lanes.
///
/// A point (x, y) after k others increases the residual sum of squares by w²/f with the recursive
/// residual w = (y − ȳ) − b·(x − x̄) and f = 1 + 1/k + (x − x̄)²/S_xx. Means and central sums are
/// updated instead of raw sums, which avoids cancellation. As long as all x are equal, the slope b
/// is 0.
///
/// Source: Brown, Durbin, Evans, "Techniques for testing the constancy of regression relationships
/// over time", JRSS B 37, 1975; the means as in Welford, Technometrics 4, 1962.
#[derive(Debug, Clone)]
pub(super) struct RecursiveResiduals<const LANES: usize> {
    count: [f64; LANES],
    x: [f64; LANES],
    y: [f64; LANES],
    xx: [f64; LANES],
    xy: [f64; LANES],
    squares: [f64; LANES],
}

impl<const LANES: usize> RecursiveResiduals<LANES> {
    /// Segments without points.
    pub(super) const EMPTY: Self = Self {
        count: [0.0; LANES],
        x: [0.0; LANES],
        y: [0.0; LANES],
        xx: [0.0; LANES],
        xy: [0.0; LANES],
        squares: [0.0; LANES],
    };

    /// Adds a point to every segment; returns their residual sums of squares.
    #[inline]
    pub(super) fn push(&mut self, shape: Shape, x: f64, y: f64) -> &[f64; LANES] {
        match shape {
            Shape::Linear => (0..LANES).for_each(|lane| self.linear(lane, x, y)),
            Shape::Constant => (0..LANES).for_each(|lane| self.constant(lane, y)),
        }
        &self.squares
    }

    /// Adds a point to the segment of one lane.
    pub(super) fn push_one(&mut self, lane: usize, shape: Shape, x: f64, y: f64) {
        match shape {
            Shape::Linear => self.linear(lane, x, y),
            Shape::Constant => self.constant(lane, y),
        }
    }

    /// Adds a point to a segment with a regression line.
    #[inline]
    fn linear(&mut self, lane: usize, x: f64, y: f64) {
        let (count, dx, dy) = (self.count[lane], x - self.x[lane], y - self.y[lane]);
        let xx = self.xx[lane];
        let all = 1.0 / (count + 1.0);
        let share = count * all;
        // The first point with another x determines the slope and leaves no residual.
        let is_sloped = xx > 0.0;
        let divisor = if is_sloped { xx } else { 1.0 };
        let w = dy - self.xy[lane] * dx / divisor;
        let fits = count == 0.0 || (!is_sloped && dx != 0.0);
        // w²/f, both times k·S_xx/(k + 1).
        let change = share * w * w * divisor / (divisor + share * dx * dx);
        self.squares[lane] += if fits { 0.0 } else { change };
        self.count[lane] = count + 1.0;
        self.x[lane] += dx * all;
        self.y[lane] += dy * all;
        self.xx[lane] = xx + share * dx * dx;
        self.xy[lane] += share * dx * dy;
    }

    /// Adds a point to a constant segment.
    #[inline]
    fn constant(&mut self, lane: usize, y: f64) {
        let (count, dy) = (self.count[lane], y - self.y[lane]);
        let all = 1.0 / (count + 1.0);
        self.squares[lane] += count * all * dy * dy;
        self.count[lane] = count + 1.0;
        self.y[lane] += dy * all;
    }
}

/// The residual sums of squares of the first 1, 2, … points.
pub(super) fn cumulative_rss(shape: Shape, points: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut residuals = RecursiveResiduals::<1>::EMPTY;
    points.map(|(x, y)| residuals.push(shape, x, y)[0]).collect()
}

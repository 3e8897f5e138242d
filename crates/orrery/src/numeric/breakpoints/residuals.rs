use super::series::Shape;

/// Sums of squared residuals of growing segments, several of them in lockstep.
///
/// A point (x, y) after k others changes the least sum of squares by w²/f with its recursive residual
/// w = (y − ȳ) − b·(x − x̄) and f = 1 + 1/k + (x − x̄)²/S_xx. Means and sums about them are carried on, never differences
/// of large sums, so the digits are kept. As long as all x are equal there is no slope to speak of.
///
/// Source: Brown, Durbin, Evans, "Techniques for testing the constancy of regression relationships over time", JRSS B 37,
/// 1975; the means as in Welford, Technometrics 4, 1962.
#[derive(Debug, Clone)]
pub(super) struct Residuals<const LANES: usize> {
    count: [f64; LANES],
    x: [f64; LANES],
    y: [f64; LANES],
    xx: [f64; LANES],
    xy: [f64; LANES],
    squares: [f64; LANES],
}

impl<const LANES: usize> Residuals<LANES> {
    pub(super) const EMPTY: Self = Self {
        count: [0.0; LANES],
        x: [0.0; LANES],
        y: [0.0; LANES],
        xx: [0.0; LANES],
        xy: [0.0; LANES],
        squares: [0.0; LANES],
    };

    /// A point is added to every segment; gives their sums of squares.
    #[inline]
    pub(super) fn push(&mut self, shape: Shape, x: f64, y: f64) -> &[f64; LANES] {
        match shape {
            Shape::Linear => (0..LANES).for_each(|lane| self.linear(lane, x, y)),
            Shape::Constant => (0..LANES).for_each(|lane| self.constant(lane, y)),
        }
        &self.squares
    }

    /// A point is added to one segment.
    pub(super) fn push_one(&mut self, lane: usize, shape: Shape, x: f64, y: f64) {
        match shape {
            Shape::Linear => self.linear(lane, x, y),
            Shape::Constant => self.constant(lane, y),
        }
    }

    #[inline]
    fn linear(&mut self, lane: usize, x: f64, y: f64) {
        let (count, dx, dy) = (self.count[lane], x - self.x[lane], y - self.y[lane]);
        let xx = self.xx[lane];
        let all = 1.0 / (count + 1.0);
        let share = count * all;
        // Of a point that is the first with another x the slope is free: nothing is left of it.
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

    #[inline]
    fn constant(&mut self, lane: usize, y: f64) {
        let (count, dy) = (self.count[lane], y - self.y[lane]);
        let all = 1.0 / (count + 1.0);
        self.squares[lane] += count * all * dy * dy;
        self.count[lane] = count + 1.0;
        self.y[lane] += dy * all;
    }
}

/// The sums of squares of the first 1, 2, … points.
pub(super) fn growing(shape: Shape, points: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut residuals = Residuals::<1>::EMPTY;
    points.map(|(x, y)| residuals.push(shape, x, y)[0]).collect()
}

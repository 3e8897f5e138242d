use super::Offset;
use crate::numeric::Line;

/// A remote clock as a linear function of the own one: what it shows when the own one shows t.
///
/// offset(t) = offset + drift·(t − origin), all in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearClock {
    /// The own time at the centre of the points behind it.
    pub origin: f64,
    /// By how much the remote clock is ahead at the origin, in seconds.
    pub offset: f64,
    /// By how much more it is ahead after each second.
    pub drift: f64,
    /// The offset at the origin is wrong by no more than this, in seconds: the mean half width of the points.
    pub half_width: f64,
    /// How far the points lie from the line: the root of the mean square, in seconds.
    pub residual: f64,
}

/// Clocks of computers do not drift faster: what a fit finds beyond is noise.
const FASTEST: f64 = 500e-6;

/// Clocks do not tell less than this, in seconds.
const TICK: f64 = 1e-9;

impl LinearClock {
    /// The own clock.
    pub const IDENTITY: Self = Self { origin: 0.0, offset: 0.0, drift: 0.0, half_width: 0.0, residual: 0.0 };

    /// The line of least squares through offsets, weighted by 1/half width²; `None` of none.
    ///
    /// Times and offsets are taken from their centre, so that no digits are lost where clocks have been running for long.
    /// A drift beyond 500 ppm is cut off.
    pub fn fit(offsets: &[Offset]) -> Option<Self> {
        let first = offsets.first()?;
        let weight = |point: &Offset| point.half_width.max(TICK).powi(-2);
        let points = || offsets.iter().map(|p| (p.time - first.time, p.offset - first.offset, weight(p)));
        let total: f64 = points().map(|(.., w)| w).sum();
        let mean = |of: &dyn Fn(&Offset) -> f64| offsets.iter().map(|p| weight(p) * of(p)).sum::<f64>() / total;
        let (x, y) = (mean(&|p| p.time - first.time), mean(&|p| p.offset - first.offset));
        let drift = Line::through(points()).map_or(0.0, |line| line.slope.clamp(-FASTEST, FASTEST));
        let (origin, offset) = (first.time + x, first.offset + y);
        let square = mean(&|p| (p.offset - offset - drift * (p.time - origin)).powi(2));
        Some(Self { origin, offset, drift, half_width: mean(&|p| p.half_width), residual: square.sqrt() })
    }

    /// What the remote clock shows when the own one shows `own`.
    pub fn at(&self, own: f64) -> f64 {
        own + (self.offset + self.drift * (own - self.origin))
    }
}

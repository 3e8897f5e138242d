use super::search::Partition;
use super::series::{OrderedSeries, Shape};

/// A piece of a series and its line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Its first point, counted from 0.
    pub start: usize,
    /// The point behind its last one.
    pub end: usize,
    /// y at x = 0.
    pub intercept: f64,
    /// What y grows by with x; 0 for a constant segment, and where all its x are equal.
    pub slope: f64,
    /// The sum of squared residuals.
    pub squares: f64,
}

impl Segment {
    /// The least squares line through points `start..end`.
    pub(super) fn of(series: &OrderedSeries<'_>, start: usize, end: usize) -> Self {
        let (x, y) = (&series.x[start..end], &series.y[start..end]);
        let n = x.len() as f64;
        let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let xx: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
        let xy: f64 = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let slope = if series.shape == Shape::Linear && xx > 0.0 { xy / xx } else { 0.0 };
        let squares = x.iter().zip(y).map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        Self { start, end, intercept: mean_y - slope * mean_x, slope, squares }
    }

    /// How many points it has.
    pub const fn points(&self) -> usize {
        self.end - self.start
    }

    /// intercept + slope·x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

impl Partition {
    /// The pieces between the breaks, each with its line.
    pub fn segments(&self, series: &OrderedSeries<'_>) -> Vec<Segment> {
        let starts = [0].into_iter().chain(self.breaks.iter().copied());
        let ends = self.breaks.iter().copied().chain([series.len()]);
        starts.zip(ends).map(|(start, end)| Segment::of(series, start, end)).collect()
    }
}

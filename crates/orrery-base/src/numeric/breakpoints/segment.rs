use super::series::{OrderedSeries, Shape};

/// A segment of a series with its regression line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// The index of the first point.
    pub start: usize,
    /// The index after the last point.
    pub end: usize,
    /// The value of the line at x = 0.
    pub intercept: f64,
    /// The slope; 0 for a constant segment, or if all x of the segment are equal.
    pub slope: f64,
    /// The residual sum of squares.
    pub rss: f64,
}

impl Segment {
    /// Fits the points `start..end` by least squares.
    pub(super) fn of(series: &OrderedSeries<'_>, start: usize, end: usize) -> Self {
        let (x, y) = (&series.x[start..end], &series.y[start..end]);
        let n = x.len() as f64;
        let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let xx: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
        let xy: f64 = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let slope = if series.shape == Shape::Linear && xx > 0.0 { xy / xx } else { 0.0 };
        let rss = x.iter().zip(y).map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        Self { start, end, intercept: mean_y - slope * mean_x, slope, rss }
    }

    /// The number of points.
    pub const fn points(&self) -> usize {
        self.end - self.start
    }

    /// The value of the line at x: intercept + slope·x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// A division of a series into segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The number of points before each break, which is the number (from 1) of the last point of a
    /// segment.
    pub breaks: Vec<usize>,
    /// The residual sum of squares, in the unit of y squared.
    pub rss: f64,
    /// The Bayesian information criterion: n·(ln RSS + 1 − ln n + ln 2π) + (k + 1)(m + 1)·ln n for
    /// n points, m breaks and k coefficients per segment.
    pub bic: f64,
}

impl Partition {
    /// The segments between the breaks, each with its regression line.
    pub fn segments(&self, series: &OrderedSeries<'_>) -> Vec<Segment> {
        let starts = [0].into_iter().chain(self.breaks.iter().copied());
        let ends = self.breaks.iter().copied().chain([series.len()]);
        starts.zip(ends).map(|(start, end)| Segment::of(series, start, end)).collect()
    }
}

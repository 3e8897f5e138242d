use super::{Estimate, Interval, student_quantile};

/// A weighted linear regression y = intercept + slope·x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// The increase of y per unit of x.
    pub slope: f64,
    /// The standard error of the slope; `None` for two points.
    pub slope_deviation: Option<f64>,
    points: usize,
}

impl Line {
    /// Fits points (x, y, w) with weights w > 0 by minimising Σ w·(y − intercept − slope·x)²;
    /// `None` without two different x.
    ///
    /// With S = Σ w·(x − x̄)² and s² = Σ w·residual²/(n − 2), the slope has the standard error s/√S
    /// for weights in any unit.
    ///
    /// ```
    /// use orrery_base::numeric::Line;
    /// let line = Line::through([(0.0, 1.0, 1.0), (1.0, 3.0, 0.5), (2.0, 5.0, 2.0)]).unwrap();
    /// assert!((line.slope - 2.0).abs() < 1e-12 && (line.at(10.0) - 21.0).abs() < 1e-12);
    /// ```
    pub fn through(points: impl IntoIterator<Item = (f64, f64, f64)>) -> Option<Self> {
        let points: Vec<(f64, f64, f64)> = points.into_iter().collect();
        let sum = |of: &dyn Fn(&(f64, f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
        let weight = sum(&|(_, _, w)| *w);
        let (mean_x, mean_y) = (sum(&|(x, _, w)| w * x) / weight, sum(&|(_, y, w)| w * y) / weight);
        let xx = sum(&|(x, _, w)| w * (x - mean_x).powi(2));
        if xx.is_nan() || xx <= 0.0 {
            return None;
        }
        let slope = sum(&|(x, y, w)| w * (x - mean_x) * (y - mean_y)) / xx;
        let squares = sum(&|(x, y, w)| w * (y - mean_y - slope * (x - mean_x)).powi(2));
        let n = points.len();
        let slope_deviation = (n > 2).then(|| (squares / (n - 2) as f64 / xx).sqrt());
        Some(Self { intercept: mean_y - slope * mean_x, slope, slope_deviation, points: n })
    }

    /// The value of the line at x: intercept + slope·x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }

    /// The slope with its confidence interval by Student's t, which two points do not have;
    /// `samples` is the number of readings behind all points.
    pub fn slope_estimate(&self, level: f64, samples: u64) -> Estimate {
        let half = |deviation| student_quantile((self.points - 2) as f64, level) * deviation;
        let interval = self.slope_deviation.map(half);
        let interval = interval.map(|half| Interval {
            low: self.slope - half,
            high: self.slope + half,
            level,
        });
        Estimate { value: self.slope, interval, samples: Some(samples) }
    }
}

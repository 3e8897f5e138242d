use crate::numeric::{mean, median, robust_deviation};
use crate::scaling::observations::Observations;

/// A run further from the median of its point than so many robust standard deviations is left out of the centre.
const FAR: f64 = 4.0;

/// What is fitted: for each point its variables, the centre of its runs, and how sure that is.
pub(super) struct Centres {
    /// The variables of each point.
    pub(super) points: Vec<Vec<f64>>,
    /// What a row is multiplied with: the root of its runs over the centre, so that errors are relative and alike.
    pub(super) weights: Vec<f64>,
    /// The relative variance of a row of weight one run, pooled over the points; 0 without repetitions.
    pub(super) variance: f64,
    /// The degrees of freedom behind it.
    pub(super) degrees: f64,
    /// The rows' right-hand side: weight × centre.
    pub(super) target: Vec<f64>,
}

impl Centres {
    pub(super) fn of(observations: &Observations, names: &[String]) -> Self {
        let groups = &observations.groups;
        let (mut squares, mut degrees) = (0.0, 0.0);
        let (mut weights, mut target) = (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
        for group in groups {
            let kept = without_outliers(&group.seconds);
            let centre = mean(&kept);
            squares += kept.iter().map(|seconds| (seconds / centre - 1.0).powi(2)).sum::<f64>();
            degrees += (kept.len() - 1) as f64;
            let root = (kept.len() as f64).sqrt();
            weights.push(root / centre);
            target.push(root);
        }
        let numbers = |group: &crate::scaling::observations::Group| {
            let view = &group.views[0].1;
            names.iter().map(|name| view.get(name).unwrap_or(1.0)).collect()
        };
        let points = groups.iter().map(numbers).collect();
        let variance = if degrees > 0.0 { squares / degrees } else { 0.0 };
        Self { points, weights, variance, degrees, target }
    }

    /// One variable at all points.
    pub(super) fn column(&self, variable: usize) -> Vec<f64> {
        self.points.iter().map(|point| point[variable]).collect()
    }
}

fn without_outliers(seconds: &[f64]) -> Vec<f64> {
    let deviation = (seconds.len() >= 5).then(|| robust_deviation(seconds)).flatten().unwrap_or(0.0);
    if deviation <= 0.0 {
        return if seconds.len() > 2 && deviation <= 0.0 && seconds.len() < 5 {
            vec![median(seconds)]
        } else {
            seconds.to_vec()
        };
    }
    let middle = median(seconds);
    seconds.iter().copied().filter(|seconds| (seconds - middle).abs() <= FAR * deviation).collect()
}

use super::distribution::fair_binomial_cumulative;
use super::{Estimate, Interval, student_quantile};

/// The arithmetic mean; 0 for an empty slice.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The median, or the mean of the two middle values of an even number; 0 for an empty slice.
pub fn median(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp);
    lower.filter(|_| even).map_or(upper, |lower| f64::midpoint(lower, upper))
}

/// The median with a distribution-free confidence interval between two order statistics.
///
/// P(x₍ₖ₎ ≤ median ≤ x₍ₙ₊₁₋ₖ₎) = 1 − 2·P(Binomial(n, ½) ≤ k − 1); k is the largest that reaches
/// `level`. Fewer than six values cannot reach 95 % (five: 93.75 %): the interval is then from
/// minimum to maximum and carries its actual level. Source: Hollander, Wolfe, "Nonparametric
/// statistical methods", section 3.6.
///
/// ```
/// use orrery_base::numeric::median_estimate;
/// let estimate = median_estimate(&[5.0, 1.0, 4.0, 2.0, 3.0], 0.95);
/// let interval = estimate.interval.unwrap();
/// assert_eq!((estimate.value, interval.low, interval.high), (3.0, 1.0, 5.0));
/// assert!((interval.level - 0.9375).abs() < 1e-12);
/// ```
pub fn median_estimate(values: &[f64], level: f64) -> Estimate {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let coverage = |k: usize| 1.0 - 2.0 * fair_binomial_cumulative(k as u64, n as u64);
    // k is the number of values outside the interval at each end; the coverage decreases with k.
    let (mut k, mut most) = (0, n.div_ceil(2).saturating_sub(1));
    while k < most {
        let middle = (k + most).div_ceil(2);
        if coverage(middle) >= level { k = middle } else { most = middle - 1 }
    }
    let interval = (n >= 2).then(|| Interval {
        low: sorted[k],
        high: sorted[n - 1 - k],
        level: if coverage(k) >= level { level } else { coverage(k) },
    });
    Estimate { value: median(values), interval, samples: Some(n as u64) }
}

/// The half-width of Student's confidence interval of the mean at a level, relative to the absolute
/// value of the mean: t·s/(√n·|mean|).
///
/// Infinite for fewer than two values.
///
/// Source: the stopping rule of MPIBlib.
pub fn relative_half_width(values: &[f64], level: f64) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return f64::INFINITY;
    }
    let centre = mean(values);
    let variance = values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (n - 1.0);
    if variance == 0.0 {
        return 0.0;
    }
    student_quantile(n - 1.0, level) * (variance / n).sqrt() / centre.abs()
}

/// The half-width of the confidence interval of [`median_estimate`], relative to the median.
///
/// Infinite if there are too few values for the level (six reach 95 %). A few outliers on either
/// side do not widen it.
///
/// ```
/// use orrery_base::numeric::{relative_half_width, relative_half_width_of_median};
/// let late = [1.0, 1.01, 0.99, 1.0, 1.0, 7.0, 1.0, 0.99, 1.01];
/// assert!((relative_half_width_of_median(&late, 0.95) - 0.01).abs() < 1e-12);
/// assert!(relative_half_width(&late, 0.95) > 0.9);
/// ```
pub fn relative_half_width_of_median(values: &[f64], level: f64) -> f64 {
    let estimate = median_estimate(values, level);
    let interval = estimate.interval.filter(|interval| interval.level >= level);
    interval.map_or(f64::INFINITY, |interval| {
        let width = interval.high - interval.low;
        if width > 0.0 { width / 2.0 / estimate.value.abs() } else { 0.0 }
    })
}

use super::{Estimate, Interval, normal_quantile};

/// A probability from so many hits among so many trials, with Wilson's interval.
///
/// With p = hits/n and z the normal quantile of `level`: (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n). Source:
/// Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
///
/// ```
/// use orrery::numeric::binomial_proportion;
/// let interval = binomial_proportion(3, 10, 0.95).interval.unwrap();
/// assert!((interval.low - 0.1078).abs() < 1e-4 && (interval.high - 0.6032).abs() < 1e-4);
/// ```
pub fn binomial_proportion(hits: u64, trials: u64, level: f64) -> Estimate {
    if trials == 0 {
        return Estimate { value: 0.0, interval: None, samples: Some(0) };
    }
    let (n, z) = (trials as f64, normal_quantile(level));
    let p = hits as f64 / n;
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let end = |at: f64| (at / (1.0 + z * z / n)).clamp(0.0, 1.0);
    let interval = Interval { low: end(centre - half).min(p), high: end(centre + half).max(p), level };
    Estimate { value: p, interval: Some(interval), samples: Some(trials) }
}

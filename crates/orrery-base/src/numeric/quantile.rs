use super::distribution::{
    normal_density, normal_quantile_of_tail, normal_tail, student_quantile_of_level, student_tail,
};

/// The quantile z of the standard normal distribution with P(|Z| ≤ z) = `level`; infinite for a
/// level that is not below 1.
pub fn normal_quantile(level: f64) -> f64 {
    normal_quantile_of_tail(f64::midpoint(1.0, -level))
}

/// The two-sided p-value P(|Z| ≥ |z|) of the standard normal distribution.
pub fn normal_p_value(z: f64) -> f64 {
    (2.0 * normal_tail(z.abs())).min(1.0)
}

/// The expected excess E max(0, s·Z − d) of a normal variable with mean 0 and standard deviation s
/// over a threshold d.
///
/// It is s·(φ(z) − z·Φ(−z)) with z = d/s, or max(0, −d) for s = 0.
///
/// ```
/// use orrery_base::numeric::expected_excess;
/// assert!((expected_excess(0.0, 2.0) - 0.797_885).abs() < 1e-6);
/// assert_eq!(expected_excess(-3.0, 0.0), 3.0);
/// ```
pub fn expected_excess(d: f64, s: f64) -> f64 {
    if s <= 0.0 {
        return (-d).max(0.0);
    }
    let z = d / s;
    (s * (normal_density(z) - z * normal_tail(z))).max(0.0)
}

/// The probability P(T ≤ t) of Student's distribution; with less than one degree of freedom that of
/// one.
///
/// ```
/// use orrery_base::numeric::student_cumulative;
/// assert!((student_cumulative(4.0, 2.776_445) - 0.975).abs() < 1e-6);
/// ```
pub fn student_cumulative(degrees_of_freedom: f64, t: f64) -> f64 {
    student_tail(degrees_of_freedom.max(1.0), -t)
}

/// The quantile t of Student's distribution with P(|T| ≤ t) = `level`; infinite for less than a
/// tenth of a degree of freedom, and for a level that is not below 1.
///
/// ```
/// use orrery_base::numeric::student_quantile;
/// assert!((student_quantile(4.0, 0.95) - 2.776_445).abs() < 1e-6);
/// ```
pub fn student_quantile(degrees_of_freedom: f64, level: f64) -> f64 {
    student_quantile_of_level(degrees_of_freedom, level)
}

/// The normal variable z ≥ 0 with the probability of a variable t ≥ 0 of Student's distribution:
/// P(|Z| > z) = P(|T| > t). Not a number if t is none.
pub fn normal_score(t: f64, degrees_of_freedom: f64) -> f64 {
    let beyond = student_tail(degrees_of_freedom, t);
    let score = normal_quantile_of_tail(beyond.clamp(f64::MIN_POSITIVE, 0.5));
    if t.is_nan() { t } else { score }
}

/// Adjusts the p-values of a family of tests for their number, in their order (Benjamini and
/// Hochberg).
///
/// With n sorted p-values, the adjusted k-th is min over j ≥ k of min(1, n·p_j / j). Of the tests
/// whose adjusted value is at most q, an expected fraction of at most q is wrong. If nothing
/// differs, any test is at most q with probability q. Source: Benjamini and Hochberg, "Controlling
/// the false discovery rate", J. R. Stat. Soc. B 57, 1995.
///
/// ```
/// use orrery_base::numeric::false_discovery_rates;
/// assert_eq!(false_discovery_rates(&[0.5, 0.01, 0.02]), [0.5, 0.03, 0.03]);
/// ```
pub fn false_discovery_rates(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 1.0_f64;
    for (larger, &place) in order.iter().enumerate() {
        let rank = p_values.len() - larger;
        least = least.min(p_values[place] * p_values.len() as f64 / rank as f64);
        adjusted[place] = least;
    }
    adjusted
}

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

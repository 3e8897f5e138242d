use super::distribution::{chi_squared_p_value, fair_binomial_tail};
use super::student_cumulative;

/// The p-value of the Kruskal–Wallis test that values of several groups have one distribution; 1 if
/// there are fewer than two groups, or if all values are equal.
///
/// H = (12/(n(n+1))·Σ R_g²/n_g − 3(n+1))/(1 − Σ(t³−t)/(n³−n)), where R_g is the sum of the ranks of
/// group g and t the numbers of equal values. H has a χ² distribution with one degree of freedom
/// less than groups. Source: Kruskal, Wallis, "Use of ranks in one-criterion variance analysis",
/// JASA 47 (1952).
///
/// ```
/// use orrery_base::numeric::kruskal_wallis;
/// let p_value = kruskal_wallis(&[vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0], vec![7.0, 8.0, 9.0]]);
/// assert!((p_value - (-3.6_f64).exp()).abs() < 1e-12); // H = 7.2
/// ```
pub fn kruskal_wallis(groups: &[Vec<f64>]) -> f64 {
    let values = groups.concat();
    let n = values.len() as f64;
    let used = groups.iter().filter(|group| !group.is_empty()).count();
    let (ranks, ties) = average_ranks(&values);
    let correction = 1.0 - ties / (n.powi(3) - n);
    if used < 2 || correction <= 0.0 {
        return 1.0;
    }
    let mut next = ranks.as_slice();
    let mut squares = 0.0;
    for group in groups.iter().filter(|group| !group.is_empty()) {
        let (own, rest) = next.split_at(group.len());
        squares += own.iter().sum::<f64>().powi(2) / own.len() as f64;
        next = rest;
    }
    let h = (12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0)) / correction;
    chi_squared_p_value(h.max(0.0), (used - 1) as f64)
}

/// Spearman's rank correlation of two equally long slices with its two-sided p-value; (0, 1) for
/// fewer than three values, or if one of them is constant.
///
/// ρ·√((n−2)/(1−ρ²)) has a Student distribution with n − 2 degrees of freedom; the p-value is at
/// least 2/n!, that of one order and its reverse.
///
/// ```
/// use orrery_base::numeric::rank_correlation;
/// let (rho, p_value) = rank_correlation(&[1.0, 2.0, 3.0, 4.0], &[1.0, 4.0, 9.0, 16.0]);
/// assert_eq!((rho, p_value), (1.0, 2.0 / 24.0));
/// ```
pub fn rank_correlation(x: &[f64], y: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let centre = f64::midpoint(1.0, n);
    let centred = |values: &[f64]| {
        average_ranks(values).0.iter().map(|rank| rank - centre).collect::<Vec<f64>>()
    };
    let (x, y) = (centred(x), centred(y));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = (product(&x, &x) * product(&y, &y)).sqrt();
    if x.len() < 3 || scale <= 0.0 {
        return (0.0, 1.0);
    }
    let rho = (product(&x, &y) / scale).clamp(-1.0, 1.0);
    let orders = (2..=x.len()).map(|k| k as f64).product::<f64>();
    let t = rho.abs() * ((n - 2.0) / (1.0 - rho * rho)).sqrt();
    let tail = if t.is_finite() { 2.0 * student_cumulative(n - 2.0, -t) } else { 0.0 };
    (rho, tail.max(2.0 / orders))
}

/// P(X ≥ k) for a binomial X of n trials with probability ½: the p-value of k equal signs in n
/// independent pairs.
pub fn sign_test(k: usize, n: usize) -> f64 {
    let Some(below) = k.checked_sub(1) else { return 1.0 };
    fair_binomial_tail(below as u64, n as u64)
}

/// The ranks of values from 1, equal values with their mean rank; and Σ(t³ − t) over the numbers t
/// of equal values.
pub(super) fn average_ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut ranks, mut ties, mut before) = (vec![0.0; values.len()], 0.0, 0);
    for equal in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let count = equal.len() as f64;
        let rank = before as f64 + f64::midpoint(1.0, count);
        equal.iter().for_each(|&index| ranks[index] = rank);
        ties += count.powi(3) - count;
        before += equal.len();
    }
    (ranks, ties)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-6
    }

    #[test]
    fn ties_have_their_mean_rank() {
        assert_eq!(average_ranks(&[3.0, 1.0, 3.0, 2.0]), (vec![3.5, 1.0, 3.5, 2.0], 6.0));
    }

    #[test]
    fn the_tests_agree_with_scipy_1_17() {
        // scipy.stats.kruskal([6.4, 6.8, 7.2, 8.3], [2.5, 3.7, 4.9, 5.4], [1.3, 4.1, 4.9, 5.2,
        // 8.2])
        let groups =
            [vec![6.4, 6.8, 7.2, 8.3], vec![2.5, 3.7, 4.9, 5.4], vec![1.3, 4.1, 4.9, 5.2, 8.2]];
        let p_value = kruskal_wallis(&groups);
        assert!(near(p_value, 0.060_484_272_838), "{p_value}");
        // scipy.stats.spearmanr([1, 2, 3, 4, 5, 6, 7], [2.1, 1.0, 4.0, 3.0, 6.5, 6.5, 5.0])
        let (rho, p_value) = rank_correlation(
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
            &[2.1, 1.0, 4.0, 3.0, 6.5, 6.5, 5.0],
        );
        assert!(
            near(rho, 0.810_843_716_426) && near(p_value, 0.026_916_328_843),
            "{rho} {p_value}"
        );
        // scipy.stats.binom.sf(15, 20, 0.5)
        assert!(near(sign_test(16, 20), 0.005_908_966_064), "{}", sign_test(16, 20));
        assert!(near(sign_test(0, 20), 1.0));
    }

    #[test]
    fn constant_values_show_no_difference() {
        assert!(near(kruskal_wallis(&[vec![1.0, 1.0], vec![1.0]]), 1.0));
        assert!(near(kruskal_wallis(&[vec![1.0, 2.0], vec![]]), 1.0));
        assert_eq!(rank_correlation(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), (0.0, 1.0));
    }
}

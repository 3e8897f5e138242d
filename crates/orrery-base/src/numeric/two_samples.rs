//! Two independent samples: are their values alike, and by how much do they differ?

use super::ranks::average_ranks;

/// The two-sided p-value of the Wilcoxon–Mann–Whitney test that two samples have one distribution;
/// 1 if one of them is empty.
///
/// With W the sum of the ranks of the first sample and W₀ its mean, p = P(|W − W₀| ≥ observed) over
/// all divisions of the values into two samples of these sizes, which is exact also where values
/// are equal.
///
/// ```
/// use orrery_base::numeric::rank_sum_test;
/// let p_value = rank_sum_test(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]);
/// assert!((p_value - 2.0 / 252.0).abs() < 1e-12);
/// ```
///
/// Source: Mann, Whitney, "On a test of whether one of two random variables is stochastically
/// larger than the other", Annals of Mathematical Statistics 18 (1947).
pub fn rank_sum_test(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let values: Vec<f64> = a.iter().chain(b).copied().collect();
    // Twice the ranks, which are whole numbers with equal values, too.
    let ranks: Vec<usize> =
        average_ranks(&values).0.iter().map(|rank| (2.0 * rank) as usize).collect();
    let (own, total) = (ranks[..a.len()].iter().sum::<usize>(), ranks.iter().sum::<usize>());
    // The numbers of choices of k values with a sum of ranks.
    let mut ways = vec![vec![0.0_f64; total + 1]; a.len() + 1];
    ways[0][0] = 1.0;
    for &rank in &ranks {
        for k in (1..=a.len()).rev() {
            for sum in (rank..=total).rev() {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    let distance = |sum: usize| (2 * sum * values.len()).abs_diff(2 * total * a.len());
    let all: f64 = ways[a.len()].iter().sum();
    let as_far =
        ways[a.len()].iter().enumerate().filter(|(sum, _)| distance(*sum) >= distance(own));
    (as_far.map(|(_, ways)| ways).sum::<f64>() / all).min(1.0)
}

/// The difference of two samples, b minus a: the median of all differences, and its confidence
/// interval of a level, `None` if there are too few values for it. `None` as a whole if a sample is
/// empty.
///
/// The interval goes from the k-th smallest difference to the k-th largest, with the largest k for
/// which the Mann–Whitney statistic is below k with a probability of at most (1 − level)/2. Source:
/// Hodges, Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics
/// 34 (1963).
///
/// ```
/// use orrery_base::numeric::shift;
/// let (median, interval) = shift(&[1.0, 2.0, 3.0, 4.0, 5.0], &[11.0, 12.0, 13.0, 14.0, 15.0], 0.95).unwrap();
/// assert_eq!((median, interval), (10.0, Some((7.0, 13.0))));
/// assert_eq!(shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95).unwrap().1, None);
/// ```
pub fn shift(a: &[f64], b: &[f64], level: f64) -> Option<(f64, Option<(f64, f64)>)> {
    let mut differences: Vec<f64> = a.iter().flat_map(|a| b.iter().map(move |b| b - a)).collect();
    differences.sort_by(f64::total_cmp);
    let last = differences.len().checked_sub(1)?;
    let median = super::median(&differences);
    // The numbers of orders by the statistic: ways[i][j][u] of i and j values.
    let mut ways = vec![vec![Vec::<f64>::new(); b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            let mut counts = vec![0.0; i * j + 1];
            if i == 0 || j == 0 {
                counts[0] = 1.0;
            } else {
                // The largest value is of the first sample, above all j others, or of the second.
                for (u, count) in ways[i - 1][j].iter().enumerate() {
                    counts[u + j] += count;
                }
                for (u, count) in ways[i][j - 1].iter().enumerate() {
                    counts[u] += count;
                }
            }
            ways[i][j] = counts;
        }
    }
    let counts = &ways[a.len()][b.len()];
    let all: f64 = counts.iter().sum();
    let mut below = 0.0;
    let mut k = 0;
    for count in counts {
        below += count;
        if below / all > (1.0 - level) / 2.0 {
            break;
        }
        k += 1;
    }
    Some((median, (k > 0).then(|| (differences[k - 1], differences[last + 1 - k]))))
}

/// Returns true if [`shift`] has an interval of this level for samples of m and n values: if 1/C(m +
/// n, m), the probability that all values of one sample are below those of the other, is at most (1
/// − level)/2.
pub fn shift_has_interval(m: usize, n: usize, level: f64) -> bool {
    // The divisions of the values into the samples: the product of (n + i)/i for i = 1, …, m.
    let divisions = (1..=m).fold(1.0, |product, i| product * (n + i) as f64 / i as f64);
    m > 0 && n > 0 && 1.0 / divisions <= (1.0 - level) / 2.0
}

/// The smallest number of values of each of two samples for which [`shift`] has an interval of this
/// level; the level must be below 1.
///
/// ```
/// use orrery_base::numeric::shift_sample_size;
/// assert_eq!(shift_sample_size(0.95), 4);
/// assert_eq!(shift_sample_size(1.0 - 0.05 / 10.0), 6, "ten intervals of 95 % together");
/// ```
pub fn shift_sample_size(level: f64) -> usize {
    /// The largest number of values: more are not needed for any level that a number can express.
    const MOST: usize = 64;
    (1..MOST).find(|n| shift_has_interval(*n, *n, level)).unwrap_or(MOST)
}

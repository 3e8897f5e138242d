use std::cmp::Ordering;

use super::{median, normal_p_value};

/// The monotonic trend of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// The Theil–Sen slope: the median change per step over all pairs of values.
    pub slope: f64,
    /// The two-sided p-value of the Mann–Kendall test for a trend.
    pub p_value: f64,
}

/// The maximum number of values of a series; longer ones are reduced to evenly spaced values.
const MAX_VALUES: usize = 500;

/// The maximum total number of values for the exact null distribution; above it, the normal
/// approximation is used.
const MAX_EXACT_VALUES: usize = 40;

/// The common trend of several series, each in its own order; `None` if no series has two values.
///
/// Slope: the median of (x_b − x_a)/(b − a) over all pairs a < b within one series (Sen, "Estimates
/// of the regression coefficient based on Kendall's tau", JASA 63, 1968), which tolerates up to 29
/// % of outliers. Significance: S = Σ sign(x_b − x_a) over the same pairs. Without a trend, all
/// orders are equally probable; the null distribution of S is exact for few values without ties,
/// otherwise normal with variance Σ [n(n−1)(2n+5) − Σ t(t−1)(2t+5) over groups of t equal values] /
/// 18 and a correction of 1 for continuity (Kendall, "Rank correlation methods"; summed over series
/// as in Hirsch, Slack, Smith, "Techniques of trend analysis for monthly water quality data",
/// 1982). The test is distribution-free and assumes independent values.
///
/// ```
/// use orrery_base::numeric::trend;
/// let rising = trend([&[1.0, 2.1, 2.9, 4.2, 5.0][..]]).unwrap();
/// assert!((rising.slope - 1.0).abs() < 0.1);
/// assert!((rising.p_value - 2.0 / 120.0).abs() < 1e-12); // one of 120 orders is increasing, one decreasing
/// ```
pub fn trend<'a>(series: impl IntoIterator<Item = &'a [f64]>) -> Option<Trend> {
    let series: Vec<(Vec<f64>, f64)> =
        series.into_iter().map(thinned).filter(|(values, _)| values.len() > 1).collect();
    let mut slopes = Vec::new();
    let (mut sum, mut variance, mut ties) = (0_i64, 0.0, false);
    for (values, step) in &series {
        for (a, first) in values.iter().enumerate() {
            for (b, second) in values.iter().enumerate().skip(a + 1) {
                slopes.push((second - first) / ((b - a) as f64 * step));
                sum += match second.total_cmp(first) {
                    Ordering::Greater => 1,
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                };
            }
        }
        let spread = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
        let groups = tie_sizes(values);
        ties |= !groups.is_empty();
        variance +=
            (spread(values.len() as f64) - groups.into_iter().map(spread).sum::<f64>()) / 18.0;
    }
    if slopes.is_empty() {
        return None;
    }
    let lengths: Vec<usize> = series.iter().map(|(values, _)| values.len()).collect();
    let p_value = if !ties && lengths.iter().sum::<usize>() <= MAX_EXACT_VALUES {
        exact(&lengths, sum)
    } else {
        as_normal(sum, variance)
    };
    Some(Trend { slope: median(&slopes), p_value })
}

/// P(|S| ≥ |sum|) for a normal S with mean 0 and this variance, with continuity correction; 1 if
/// the variance is 0.
fn as_normal(sum: i64, variance: f64) -> f64 {
    if variance > 0.0 {
        normal_p_value((sum.unsigned_abs() as f64 - 1.0).max(0.0) / variance.sqrt())
    } else {
        1.0
    }
}

/// At most [`MAX_VALUES`] evenly spaced values, and the number of steps of the original series from
/// one to the next.
fn thinned(values: &[f64]) -> (Vec<f64>, f64) {
    let step = values.len().div_ceil(MAX_VALUES).max(1);
    (values.iter().step_by(step).copied().collect(), step as f64)
}

/// The sizes of the groups of two or more equal values.
fn tie_sizes(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .map(|group| group.len() as f64)
        .filter(|&size| size > 1.0)
        .collect()
}

/// The exact P(|S| ≥ |sum|) for series of these lengths: the number of orders with k decreasing
/// pairs has the generating function Π_n Π_{i<n} (1 + x + … + x^i).
fn exact(lengths: &[usize], sum: i64) -> f64 {
    let mut shares = vec![1.0];
    for &length in lengths {
        for i in 1..length {
            let mut longer = vec![0.0; shares.len() + i];
            for (k, share) in shares.iter().enumerate() {
                longer[k..=k + i].iter_mut().for_each(|place| *place += share / (i + 1) as f64);
            }
            shares = longer;
        }
    }
    let pairs = shares.len() as i64 - 1;
    let as_far = |(falling, _): &(usize, &f64)| (pairs - 2 * *falling as i64).abs() >= sum.abs();
    shares.iter().enumerate().filter(as_far).map(|(_, share)| share).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_distribution_of_four_values_is_that_of_the_tables() {
        // Kendall's tables: P(S ≥ 6) = 1/24, P(S ≥ 4) = 4/24, P(S ≥ 2) = 9/24 for n = 4.
        for (sum, p) in [(6, 1.0 / 24.0), (4, 4.0 / 24.0), (2, 9.0 / 24.0)] {
            assert!((exact(&[4], sum) - 2.0 * p).abs() < 1e-12);
            assert!((exact(&[4], sum) - exact(&[4], -sum)).abs() < 1e-15);
        }
        assert!((exact(&[4], 0) - 1.0).abs() < 1e-12);
        assert!((exact(&[2, 2], 2) - 0.5).abs() < 1e-12, "both rise, or both fall");
    }

    #[test]
    fn the_normal_distribution_takes_over_smoothly() {
        let n = MAX_EXACT_VALUES as f64;
        for sum in [20, 100, 200] {
            let (counted, normal) = (
                exact(&[MAX_EXACT_VALUES], sum),
                as_normal(sum, n * (n - 1.0) * (2.0 * n + 5.0) / 18.0),
            );
            assert!((normal / counted).ln().abs() < 0.2, "{sum}: {counted} {normal}");
        }
    }

    #[test]
    fn without_trend_each_level_is_kept() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for lengths in [&[5][..], &[12], &[50], &[5, 5, 5], &[30, 30]] {
            let trials = 4000;
            let below = (0..trials).filter(|_| {
                let series: Vec<Vec<f64>> = lengths
                    .iter()
                    .map(|&n| (0..n).map(|_| StandardNormal.sample(&mut rng)).collect())
                    .collect();
                trend(series.iter().map(Vec::as_slice)).unwrap().p_value <= 0.05
            });
            let share = below.count() as f64 / f64::from(trials);
            assert!(share < 0.062 && share > 0.01, "{lengths:?}: {share}");
        }
    }

    #[test]
    fn wild_values_and_other_levels_do_not_carry_the_slope_away() {
        let mut values: Vec<f64> = (0..30).map(|k| 10.0 + 0.5 * f64::from(k)).collect();
        values[3] = 1e6;
        values[20] = 0.0;
        let higher: Vec<f64> = (0..30).map(|k| 100.0 + 0.5 * f64::from(k)).collect();
        let found = trend([&values[..], &higher]).unwrap();
        assert!((found.slope - 0.5).abs() < 1e-9 && found.p_value < 1e-6, "{found:?}");
        let long: Vec<f64> = (0..20_000).map(|k| 2.0 * f64::from(k)).collect();
        assert!((trend([&long[..]]).unwrap().slope - 2.0).abs() < 1e-9);
    }

    #[test]
    fn equal_values_have_no_trend() {
        assert_eq!(trend([&[2.0; 8][..]]), Some(Trend { slope: 0.0, p_value: 1.0 }));
        assert_eq!(trend([&[2.0][..], &[]]), None);
    }
}

use std::f64::consts::{PI, SQRT_2};

use super::segment::{Partition, Segment};
use super::series::{OrderedSeries, Shape};
use crate::numeric::distribution::erfc;

/// The confidence interval of a break, as numbers (from 1) of the last point before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakInterval {
    /// The lower end.
    pub low: usize,
    /// The upper end.
    pub high: usize,
}

impl Partition {
    /// The confidence intervals of the breaks; `None` for a break that the data do not determine at
    /// this level.
    ///
    /// Let δ be the change of the coefficients, Q_k = Σ z·zᵀ/n_k over the regressors z of the
    /// segments before (1) and after (2) the break, and σ_k² = RSS_k/n_k. The error of an estimated
    /// break is σ₁²/(δᵀQ₁δ)·s points, where s is the argmax of a random walk with ξ = δᵀQ₂δ/δᵀQ₁δ
    /// and φ = ξ·σ₂²/σ₁². Ends are rounded outwards and clamped to the series. Noise and regressors
    /// may differ between segments; the noise must be independent.
    ///
    /// Source: Bai, "Estimation of a change point in multiple regression models", Review of
    /// Economics and Statistics 79, 1997.
    pub fn intervals(&self, series: &OrderedSeries<'_>, level: f64) -> Vec<Option<BreakInterval>> {
        let segments = self.segments(series);
        let of = |pair: &[Segment]| {
            let (before, behind) = (pair[0], pair[1]);
            let change = (behind.intercept - before.intercept, behind.slope - before.slope);
            let (q1, q2) = (
                mean_square_change(series, &before, change),
                mean_square_change(series, &behind, change),
            );
            let (v1, v2) = (variance(&before), variance(&behind));
            if q1 <= 0.0 || q2 <= 0.0 {
                return None;
            }
            let place = before.end as f64;
            if v1 <= 0.0 || v2 <= 0.0 {
                // Without noise, the break is exact.
                let here = BreakInterval { low: before.end, high: before.end };
                return (v1 <= 0.0 && v2 <= 0.0).then_some(here);
            }
            let xi = q2 / q1;
            let phi = xi * v2 / v1;
            let tail = f64::midpoint(1.0, -level);
            let at = distribution(0.0, xi, phi);
            if !(tail..=1.0 - tail).contains(&at) {
                return None;
            }
            let scale = v1 / q1;
            let (low, high) =
                (quantile(tail, xi, phi) * scale, quantile(1.0 - tail, xi, phi) * scale);
            let inside = |place: f64| place.clamp(1.0, series.len() as f64) as usize;
            Some(BreakInterval {
                low: inside(place - high.ceil()),
                high: inside(place - low.floor()),
            })
        };
        segments.windows(2).map(of).collect()
    }
}

/// δᵀQδ: the mean square, over the points of a segment, of the change δ = (intercept, slope) of the
/// regression line.
fn mean_square_change(
    series: &OrderedSeries<'_>,
    segment: &Segment,
    (intercept, slope): (f64, f64),
) -> f64 {
    let slope = if series.shape == Shape::Linear { slope } else { 0.0 };
    let x = &series.x[segment.start..segment.end];
    x.iter().map(|x| (intercept + slope * x).powi(2)).sum::<f64>() / x.len() as f64
}

/// The variance of the residuals of a segment, RSS/n.
fn variance(segment: &Segment) -> f64 {
    segment.rss / segment.points() as f64
}

/// The distribution function P(argmax V ≤ s) of V(s) = W₁(−s) − |s|/2 for s ≤ 0 and √φ·W₂(s) −
/// ξ·s/2 for s > 0, W₁ and W₂ Brownian motions.
///
/// The argmax of a two-sided random walk with drift is the error of an estimated break. With r =
/// ξ/φ, the left side is
///
/// ```text
/// H(x, r) = e^(−x/8)·[ −√(x/2π) − (1+2r)/(r(1+r))·½·erfcx((½+r)·√(x/2)) + (x/2 − 2 + (1+2r)²/(r(1+r)))·½·erfcx(√(x/8)) ]
/// ```
///
/// at x = |s|, where erfcx(z) = e^(z²)·erfc(z) avoids overflow. In units of φ/ξ and of time φ/ξ²
/// the right side is the left one: P = 1 − H(s·ξ²/φ, 1/r).
///
/// Source: Bai, "Estimation of a change point in multiple regression models", Review of Economics
/// and Statistics 79, 1997, appendix B.
fn distribution(s: f64, xi: f64, phi: f64) -> f64 {
    if s <= 0.0 { left(-s, xi / phi) } else { 1.0 - left(s * xi * xi / phi, phi / xi) }
}

/// The left side H(x, r) of [`distribution`].
fn left(x: f64, r: f64) -> f64 {
    let rate = r * (1.0 + r);
    let far = (1.0 + 2.0 * r) / rate * 0.5 * erfcx((0.5 + r) * (x / 2.0).sqrt());
    let near =
        (x / 2.0 - 2.0 + (1.0 + 2.0 * r).powi(2) / rate) * 0.5 * erfcx(x.sqrt() / 8f64.sqrt());
    (-x / 8.0).exp() * (near - far - (x / (2.0 * PI)).sqrt())
}

/// The scaled complementary error function e^(z²)·erfc(z) for z ≥ 0.
fn erfcx(z: f64) -> f64 {
    if z < 20.0 {
        return (z * z).exp() * erfc(z);
    }
    let square = 1.0 / (z * z);
    (1.0 - square * (0.5 - square * (0.75 - square * 1.875))) / (z * PI.sqrt())
}

/// The quantile s of [`distribution`] for a probability between 0 and 1, by bisection.
fn quantile(probability: f64, xi: f64, phi: f64) -> f64 {
    let sign = if probability < distribution(0.0, xi, phi) { -1.0 } else { 1.0 };
    let is_inside =
        |distance: f64| (distribution(sign * distance, xi, phi) - probability) * sign < 0.0;
    let mut far = SQRT_2;
    while is_inside(far) && far < 1e12 {
        far *= 2.0;
    }
    let (mut low, mut high) = (0.0, far);
    while high - low > 1e-12 * high {
        let middle = f64::midpoint(low, high);
        if is_inside(middle) { low = middle } else { high = middle }
    }
    sign * high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_symmetric_walk_match_the_tables() {
        // Bai 1997: 95 % of the even case lie within 11, 90 % within 7, 99 % within 22 (rounded
        // up).
        assert!((quantile(0.975, 1.0, 1.0) - 11.0).abs() < 0.1, "{}", quantile(0.975, 1.0, 1.0));
        assert!((quantile(0.95, 1.0, 1.0) - 7.7).abs() < 0.1, "{}", quantile(0.95, 1.0, 1.0));
        assert!((quantile(0.025, 1.0, 1.0) + quantile(0.975, 1.0, 1.0)).abs() < 1e-9);
    }

    #[test]
    fn the_distribution_function_is_monotonic() {
        for (xi, phi) in [(1.0, 1.0), (0.2, 3.0), (7.0, 0.4)] {
            assert!((distribution(0.0, xi, phi) - xi / (xi + phi)).abs() < 1e-12);
            let mut before = 0.0;
            for step in -4000..4000 {
                let value = distribution(f64::from(step) * 0.05, xi, phi);
                assert!(
                    (-1e-9..=1.0 + 1e-9).contains(&value) && value >= before - 1e-9,
                    "{step}: {value} {before}"
                );
                before = value;
            }
        }
        assert!((erfcx(19.999_999) - erfcx(20.000_001)).abs() < 1e-8);
    }

    /// Simulated random walks have their argmax below the quantile with its probability.
    #[test]
    fn the_quantile_matches_simulated_walks() {
        use rand::SeedableRng;
        use rand_distr::{Distribution, StandardNormal};
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(8);
        let (xi, phi, step, walks) = (1.6, 0.7, 0.02_f64, 4000);
        let quartile = quantile(0.8, xi, phi);
        let below = (0..walks).filter(|_| {
            let mut best = (0.0, 0.0);
            for side in [-1.0, 1.0] {
                let (spread, drift) =
                    if side < 0.0 { (1.0, 0.5) } else { (f64::sqrt(phi), xi / 2.0) };
                let mut value = 0.0;
                for k in 1..1500 {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    value += spread * step.sqrt() * z - drift * step;
                    if value > best.0 {
                        best = (value, side * f64::from(k) * step);
                    }
                }
            }
            best.1 <= quartile
        });
        let share = below.count() as f64 / f64::from(walks);
        assert!((share - 0.8).abs() < 0.025, "{share}");
    }
}

//! Where a two-sided random walk with drift has its greatest value: how far an estimated break lies from the true one.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::erfc;

/// P(argmax V ≤ s) of V(s) = W₁(−s) − |s|/2 for s ≤ 0 and √φ·W₂(s) − ξ·s/2 for s > 0, W₁ and W₂ Brownian motions.
///
/// With r = ξ/φ, the rate of the greatest value on the right, the left side is
///
/// ```text
/// H(x, r) = e^(−x/8)·[ −√(x/2π) − (1+2r)/(r(1+r))·½·erfcx((½+r)·√(x/2)) + (x/2 − 2 + (1+2r)²/(r(1+r)))·½·erfcx(√(x/8)) ]
/// ```
///
/// at x = |s|, where erfcx(z) = e^(z²)·erfc(z) keeps all factors finite. In units of φ/ξ and of time φ/ξ² the right side is
/// the left one: P = 1 − H(s·ξ²/φ, 1/r).
///
/// Source: Bai, "Estimation of a change point in multiple regression models", Review of Economics and Statistics 79, 1997,
/// appendix B.
pub(super) fn distribution(s: f64, xi: f64, phi: f64) -> f64 {
    if s <= 0.0 { left(-s, xi / phi) } else { 1.0 - left(s * xi * xi / phi, phi / xi) }
}

fn left(x: f64, r: f64) -> f64 {
    let rate = r * (1.0 + r);
    let far = (1.0 + 2.0 * r) / rate * 0.5 * erfcx((0.5 + r) * (x / 2.0).sqrt());
    let near = (x / 2.0 - 2.0 + (1.0 + 2.0 * r).powi(2) / rate) * 0.5 * erfcx(x.sqrt() / 8f64.sqrt());
    (-x / 8.0).exp() * (near - far - (x / (2.0 * PI)).sqrt())
}

/// e^(z²)·erfc(z) for z ≥ 0.
fn erfcx(z: f64) -> f64 {
    if z < 20.0 {
        return (z * z).exp() * erfc(z);
    }
    let square = 1.0 / (z * z);
    (1.0 - square * (0.5 - square * (0.75 - square * 1.875))) / (z * PI.sqrt())
}

/// The s with this probability.
pub(super) fn quantile(probability: f64, xi: f64, phi: f64) -> f64 {
    let sign = if probability < distribution(0.0, xi, phi) { -1.0 } else { 1.0 };
    let is_inside = |distance: f64| (distribution(sign * distance, xi, phi) - probability) * sign < 0.0;
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
    fn quantiles_of_the_even_walk_are_those_of_the_tables() {
        // Bai 1997: 95 % of the even case lie within 11, 90 % within 7, 99 % within 22 (rounded up).
        assert!((quantile(0.975, 1.0, 1.0) - 11.0).abs() < 0.1, "{}", quantile(0.975, 1.0, 1.0));
        assert!((quantile(0.95, 1.0, 1.0) - 7.7).abs() < 0.1, "{}", quantile(0.95, 1.0, 1.0));
        assert!((quantile(0.025, 1.0, 1.0) + quantile(0.975, 1.0, 1.0)).abs() < 1e-9);
    }

    #[test]
    fn it_is_a_distribution() {
        for (xi, phi) in [(1.0, 1.0), (0.2, 3.0), (7.0, 0.4)] {
            assert!((distribution(0.0, xi, phi) - xi / (xi + phi)).abs() < 1e-12);
            let mut before = 0.0;
            for step in -4000..4000 {
                let value = distribution(f64::from(step) * 0.05, xi, phi);
                assert!((-1e-9..=1.0 + 1e-9).contains(&value) && value >= before - 1e-9, "{step}: {value} {before}");
                before = value;
            }
        }
        assert!((erfcx(19.999_999) - erfcx(20.000_001)).abs() < 1e-8);
    }

    /// A walk in small steps has its greatest value where the distribution says.
    #[test]
    fn walks_agree() {
        use rand::SeedableRng;
        use rand_distr::{Distribution, StandardNormal};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(8);
        let (xi, phi, step, walks) = (1.6, 0.7, 0.02_f64, 4000);
        let quartile = quantile(0.8, xi, phi);
        let below = (0..walks).filter(|_| {
            let mut best = (0.0, 0.0);
            for side in [-1.0, 1.0] {
                let (spread, drift) = if side < 0.0 { (1.0, 0.5) } else { (f64::sqrt(phi), xi / 2.0) };
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

//! Probability distributions and special functions for all arguments.
//!
//! This is the only use of `statrs`, whose functions panic, or do not end, outside of their domains.
//! Arguments that are not numbers, or that no distribution has, are no evidence: then a p-value is
//! 1, a cumulative probability ½, and a quantile infinite.

use statrs::distribution::{
    Binomial, ChiSquared, Continuous, ContinuousCDF, DiscreteCDF, FisherSnedecor, Normal, StudentsT,
};
use statrs::function::{erf, gamma};

/// The degrees of freedom from which Student's t is approximated by the normal distribution, to
/// 1e-4.
const MIN_NORMAL_DEGREES: f64 = 1e4;

/// The degrees of freedom of Student's t below which quantiles are infinite: a level of ½ is
/// exceeded at 10⁵ already.
const MIN_STUDENT_DEGREES: f64 = 0.1;

/// The degrees of freedom from which χ² is approximated by a normal variable (Wilson and Hilferty),
/// to 1e-7. The series of the exact probability has as many terms as √degrees.
const MIN_CUBE_ROOT_DEGREES: f64 = 1e6;

/// A probability that was computed with rounding errors; `unknown` if it is not a number.
fn probability(computed: f64, unknown: f64) -> f64 {
    if computed.is_nan() { unknown } else { computed.clamp(0.0, 1.0) }
}

/// The density of the standard normal distribution.
pub(super) fn normal_density(z: f64) -> f64 {
    if z.is_nan() { 0.0 } else { Normal::standard().pdf(z) }
}

/// The probability P(Z > z) of the standard normal distribution; ½ if z is not a number.
pub(super) fn normal_tail(z: f64) -> f64 {
    if z.is_nan() { 0.5 } else { probability(Normal::standard().sf(z), 0.5) }
}

/// The z with P(Z > z) = `tail` of the standard normal distribution; infinite for 0, and for what is
/// no probability.
pub(super) fn normal_quantile_of_tail(tail: f64) -> f64 {
    if tail > 0.0 && tail < 1.0 { -Normal::standard().inverse_cdf(tail) } else { f64::INFINITY }
}

/// The probability P(T > t) of Student's distribution; with degrees of freedom below
/// [`MIN_STUDENT_DEGREES`] that of this many. ½ if t is not a number.
pub(super) fn student_tail(degrees_of_freedom: f64, t: f64) -> f64 {
    if degrees_of_freedom >= MIN_NORMAL_DEGREES {
        return normal_tail(t);
    }
    // The square of t would be infinite.
    if t.is_nan() || t.abs() > 1e150 {
        return if t.is_nan() { 0.5 } else { f64::from(t < 0.0) };
    }
    let student = StudentsT::new(0.0, 1.0, degrees_of_freedom.max(MIN_STUDENT_DEGREES));
    student.map_or(0.5, |student| probability(student.sf(t), 0.5))
}

/// The t with P(|T| ≤ t) = `level` of Student's distribution; infinite for degrees of freedom below
/// [`MIN_STUDENT_DEGREES`], and for a level that is not below 1.
pub(super) fn student_quantile_of_level(degrees_of_freedom: f64, level: f64) -> f64 {
    if level <= 0.0 {
        return 0.0;
    }
    if degrees_of_freedom >= MIN_NORMAL_DEGREES {
        return normal_quantile_of_tail(f64::midpoint(1.0, -level));
    }
    let upper = f64::midpoint(1.0, level);
    if !(degrees_of_freedom >= MIN_STUDENT_DEGREES && (0.5..1.0).contains(&upper)) {
        return f64::INFINITY;
    }
    StudentsT::new(0.0, 1.0, degrees_of_freedom)
        .map_or(f64::INFINITY, |student| student.inverse_cdf(upper))
}

/// The probability P(X > x) of a χ² variable: the p-value of a sum of squares.
///
/// ```
/// use orrery_base::numeric::chi_squared_p_value;
/// assert!((chi_squared_p_value(3.841_459, 1.0) - 0.05).abs() < 1e-6);
/// assert_eq!(chi_squared_p_value(f64::NAN, 1.0), 1.0);
/// ```
pub fn chi_squared_p_value(x: f64, degrees_of_freedom: f64) -> f64 {
    // Half of x must be above 0.
    if x.is_nan() || x < 2.0 * f64::MIN_POSITIVE || degrees_of_freedom.is_nan() {
        return 1.0;
    }
    if degrees_of_freedom >= MIN_CUBE_ROOT_DEGREES {
        let variance = 2.0 / (9.0 * degrees_of_freedom);
        let z = ((x / degrees_of_freedom).cbrt() - (1.0 - variance)) / variance.sqrt();
        return normal_tail(z);
    }
    ChiSquared::new(degrees_of_freedom).map_or(1.0, |chi| probability(chi.sf(x), 1.0))
}

/// The probability P(F > x) of the F distribution of a ratio of variances; 1 for less than one
/// degree of freedom.
///
/// ```
/// use orrery_base::numeric::variance_ratio_p_value;
/// assert!((variance_ratio_p_value(2.977_8, 10.0, 10.0) - 0.05).abs() < 1e-3);
/// assert!((variance_ratio_p_value(2.320_9, 10.0, 1e9) - 0.01).abs() < 1e-3);
/// ```
pub fn variance_ratio_p_value(ratio: f64, numerator_degrees: f64, denominator_degrees: f64) -> f64 {
    if !(numerator_degrees >= 1.0 && denominator_degrees >= 1.0) || ratio.is_nan() {
        return 1.0;
    }
    if denominator_degrees >= MIN_NORMAL_DEGREES {
        return chi_squared_p_value(ratio * numerator_degrees, numerator_degrees);
    }
    if (ratio * numerator_degrees).is_infinite() {
        return f64::from(ratio < 0.0);
    }
    FisherSnedecor::new(numerator_degrees, denominator_degrees)
        .map_or(1.0, |f| probability(f.sf(ratio), 1.0))
}

/// The probability P(X ≤ k) of a binomial X of n trials with probability ½.
pub(super) fn fair_binomial_cumulative(k: u64, n: u64) -> f64 {
    Binomial::new(0.5, n).map_or(0.5, |binomial| probability(binomial.cdf(k), 0.5))
}

/// The probability P(X > k) of a binomial X of n trials with probability ½.
pub(super) fn fair_binomial_tail(k: u64, n: u64) -> f64 {
    Binomial::new(0.5, n).map_or(0.5, |binomial| probability(binomial.sf(k), 0.5))
}

/// The complementary error function, 1 − erf(z); 1 if z is not a number.
pub(super) fn erfc(z: f64) -> f64 {
    if z.is_nan() { 1.0 } else { erf::erfc(z) }
}

/// The logarithm of the gamma function; not a number unless x is above 0.
///
/// ```
/// use orrery_base::numeric::ln_gamma;
/// assert!((ln_gamma(5.0) - 24_f64.ln()).abs() < 1e-9);
/// assert!(ln_gamma(-1.0).is_nan());
/// ```
pub fn ln_gamma(x: f64) -> f64 {
    if x > 0.0 { gamma::ln_gamma(x) } else { f64::NAN }
}

/// The logarithmic derivative of the gamma function, ψ(x); not a number for x ≤ 0.
///
/// ```
/// use orrery_base::numeric::digamma;
/// assert!((digamma(1.0) + 0.577_215_664_9).abs() < 1e-9);
/// assert!(digamma(0.0).is_nan());
/// ```
pub fn digamma(x: f64) -> f64 {
    if x > 0.0 { gamma::digamma(x) } else { f64::NAN }
}

/// The derivative of [`digamma`], ψ′(x); not a number for x ≤ 0.
///
/// ψ′(x) = ψ′(x + 1) + 1/x² up to x ≥ 10, then the asymptotic series. Source: Abramowitz, Stegun,
/// "Handbook of mathematical functions" (1964), 6.4.6 and 6.4.12.
///
/// ```
/// use orrery_base::numeric::trigamma;
/// assert!((trigamma(1.0) - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-10);
/// assert!(trigamma(-1.0).is_nan());
/// ```
pub fn trigamma(mut x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = 1.0 / 6.0 - inverse * (1.0 / 30.0 - inverse * (1.0 / 42.0 - inverse / 30.0));
    sum + 1.0 / x + 0.5 * inverse + inverse / x * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any number, often an extreme or a usual one.
    fn number() -> impl Strategy<Value = f64> {
        const EXTREMES: [f64; 16] = [
            0.0,
            -0.0,
            5e-324,
            f64::MIN_POSITIVE,
            1e-160,
            f64::EPSILON,
            0.5,
            1.0,
            1.0 - f64::EPSILON / 2.0,
            1e4,
            1e9,
            1e155,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        prop_oneof![
            prop::sample::select(&EXTREMES[..]),
            any::<f64>(),
            -10.0_f64..10.0,
            0.0_f64..1.0,
            0.0_f64..1e6
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn all_arguments_have_a_result(x in number(), a in number(), b in number()) {
            let probabilities = [
                normal_tail(x),
                student_tail(a, x),
                chi_squared_p_value(x, a),
                variance_ratio_p_value(x, a, b),
                fair_binomial_cumulative(x as u64, a as u64),
                fair_binomial_tail(x as u64, a as u64),
            ];
            for probability in probabilities {
                prop_assert!((0.0..=1.0).contains(&probability), "{probabilities:?}");
            }
            prop_assert!((0.0..=2.0).contains(&erfc(x)) && normal_density(x) >= 0.0);
            let quantiles = [normal_quantile_of_tail(x / 2.0), student_quantile_of_level(a, x)];
            prop_assert!(quantiles.iter().all(|quantile| *quantile >= 0.0) || x > 1.0, "{quantiles:?}");
            prop_assert!(ln_gamma(x).is_nan() != (x > 0.0));
        }

        /// Approximations do not jump where they begin.
        #[test]
        fn tails_fall(a in 0.2_f64..1e7, x in 0.0_f64..1e3, step in 0.0_f64..10.0) {
            prop_assert!(student_tail(a, x + step) <= student_tail(a, x) + 1e-9);
            prop_assert!(chi_squared_p_value(a + x + step, a) <= chi_squared_p_value(a + x, a) + 1e-6);
        }
    }

    #[test]
    fn approximations_continue_what_they_replace() {
        let (below, above) = (MIN_CUBE_ROOT_DEGREES * (1.0 - 1e-12), MIN_CUBE_ROOT_DEGREES);
        for z in [-3.0, -1.0, 0.0, 1.0, 3.0] {
            let x = above + z * (2.0 * above).sqrt();
            let both = [below, above].map(|degrees| chi_squared_p_value(x, degrees));
            assert!((both[0] - both[1]).abs() < 1e-6, "{z}: {both:?}");
        }
    }
}

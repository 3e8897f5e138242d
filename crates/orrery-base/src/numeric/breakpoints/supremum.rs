use super::BreakpointError;
use super::residuals::cumulative_rss;
use super::search::check_min_points;
use super::series::OrderedSeries;
use crate::numeric::chi_squared_p_value;

/// The result of the supremum F test for a break.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupremumTest {
    /// The supremum over i of F(i) = (RSS − RSS(1..i) − RSS(i+1..n)) / ((RSS(1..i) +
    /// RSS(i+1..n))/(n − 2k)); infinite without noise.
    pub statistic: f64,
    /// The i of the supremum.
    pub place: usize,
    /// The p-value: the probability of a statistic at least as large without a break.
    pub p_value: f64,
}

/// Tests for a break with at least `min_points` points on each side by the supremum F test.
///
/// Without a break, the statistic tends to sup B_k(t)²/(t(1 − t)) over t from π to 1 − π, where B_k
/// is a vector of k Brownian bridges and π = min_points/n.
///
/// # Errors
///
/// Returns an error if two segments do not fit, or if a segment has no more points than
/// coefficients.
///
/// Source: Andrews, "Tests for parameter instability and structural change with unknown change
/// point", Econometrica 61, 1993.
pub fn supremum_test(
    series: &OrderedSeries<'_>,
    min_points: usize,
) -> Result<SupremumTest, BreakpointError> {
    check_min_points(series, min_points)?;
    let points = series.len();
    let pairs = || series.x.iter().copied().zip(series.y.iter().copied());
    let (before, behind) =
        (cumulative_rss(series.shape, pairs()), cumulative_rss(series.shape, pairs().rev()));
    let whole = before[points - 1];
    let k = series.shape.coefficients();
    let freedom = points.saturating_sub(2 * k).max(1) as f64;
    let statistic = |place: usize| {
        let left = before[place - 1] + behind[points - place - 1];
        let gain = (whole - left).max(0.0);
        if gain <= f64::EPSILON * whole {
            0.0
        } else if left <= f64::EPSILON * whole {
            f64::INFINITY
        } else {
            gain / (left / freedom)
        }
    };
    let (mut place, mut greatest) = (min_points, 0.0);
    for i in min_points..=points - min_points {
        let value = statistic(i);
        if value > greatest {
            (place, greatest) = (i, value);
        }
    }
    let part = min_points as f64 / points as f64;
    Ok(SupremumTest { statistic: greatest, place, p_value: p_value(greatest, k, part) })
}

/// The largest statistic that is distinguished; p-values are below 10⁻⁶⁰ from there on.
const MAX_STATISTIC: f64 = 300.0;

/// The number of time steps of the solution of the diffusion equation.
const TIME_STEPS: u32 = 400;

/// P(sup B_k(t)²/(t(1 − t)) ≥ c) over t from `part` to 1 − `part`.
///
/// In the time s = ½·ln(t/(1 − t)), B_k/√(t(1 − t)) is k Ornstein–Uhlenbeck processes with
/// correlation e^(−|s|). The norm r of the vector has the initial density ∝ w(r) =
/// r^(k−1)·e^(−r²/2); v(r, s), the probability of having reached √c by time s, solves ∂v/∂s =
/// (w·v′)′/w with v = 1 at √c. The equation is solved by finite volumes and implicit steps up to s =
/// ln((1 − part)/part); the probability of starting beyond √c is added.
fn p_value(statistic: f64, k: usize, part: f64) -> f64 {
    if statistic <= 0.0 {
        return 1.0;
    }
    let border = statistic.min(MAX_STATISTIC).sqrt();
    let start_beyond = chi_squared_p_value(border * border, k as f64);
    let time = ((1.0 - part) / part).ln();
    if time <= 0.0 {
        return start_beyond;
    }
    let cells = 400.max((40.0 * border) as usize);
    let width = border / cells as f64;
    let weight = |r: f64| r.powi(k as i32 - 1) * (-r * r / 2.0).exp();
    // The flux between cells over their width; the distance to the border is half a cell.
    let between: Vec<f64> =
        (0..=cells).map(|cell| weight(cell as f64 * width) / (width * width)).collect();
    let mass: Vec<f64> = (0..cells).map(|cell| weight((cell as f64 + 0.5) * width)).collect();
    let mut reached = vec![0.0; cells];
    // Time steps grow geometrically, since the solution changes fastest at the start.
    let growth: f64 = 1.02;
    let first = time * (growth - 1.0) / (growth.powi(TIME_STEPS as i32) - 1.0);
    let mut factors = vec![0.0; cells];
    for step in 0..TIME_STEPS {
        let dt = first * growth.powi(step as i32);
        // (mass + dt·flows)·v' = mass·v, tridiagonal, from the centre outwards.
        for cell in 0..cells {
            let inner = if cell == 0 { 0.0 } else { dt * between[cell] };
            let outer =
                if cell + 1 == cells { 2.0 * dt * between[cells] } else { dt * between[cell + 1] };
            let from_border = if cell + 1 == cells { outer } else { 0.0 };
            let (factor, value) =
                if cell == 0 { (0.0, 0.0) } else { (factors[cell - 1], reached[cell - 1]) };
            let divisor = mass[cell] + inner + outer - inner * factor;
            factors[cell] = if cell + 1 == cells { 0.0 } else { outer / divisor };
            reached[cell] = (mass[cell] * reached[cell] + from_border + inner * value) / divisor;
        }
        for cell in (0..cells - 1).rev() {
            reached[cell] += factors[cell] * reached[cell + 1];
        }
    }
    let inside: f64 = mass.iter().sum();
    let share =
        mass.iter().zip(&reached).map(|(mass, reached)| mass * reached).sum::<f64>() / inside;
    (start_beyond + (1.0 - start_beyond) * share).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For large c, P = c^(k/2)·e^(−c/2)/(2^(k/2)·Γ(k/2))·((1 − k/c)·2s + 2/c + O(1/c²)) with s =
    /// ln((1 − π)/π).
    ///
    /// Source: DeLong, "Crossing probabilities for a square root boundary by a Bessel process",
    /// Communications in Statistics 10, 1981.
    #[test]
    fn large_statistics_match_the_asymptotic_expansion() {
        for k in [1, 2] {
            let gamma = if k == 1 { std::f64::consts::PI.sqrt() } else { 1.0 };
            for (c, part) in [(30.0_f64, 0.15_f64), (60.0, 0.15), (60.0, 0.05), (200.0, 0.3)] {
                let half = k as f64 / 2.0;
                let density = (half * (c / 2.0).ln() - c / 2.0).exp() / gamma;
                let expected =
                    density * ((1.0 - k as f64 / c) * 2.0 * ((1.0 - part) / part).ln() + 2.0 / c);
                let found = p_value(c, k, part);
                assert!(
                    (found / expected - 1.0).abs() < 0.02,
                    "k {k}, {c}: {found} is not {expected}"
                );
            }
        }
    }

    /// Critical values at 5 % for π = 0.15 (Andrews, Econometrica 61, 1993, table I), found there
    /// by simulation.
    #[test]
    fn critical_values_match_the_tables() {
        for (k, critical) in [(1, 8.85), (2, 11.79)] {
            let found = p_value(critical, k, 0.15);
            assert!((found - 0.05).abs() < 0.002, "k {k}, {critical}: {found}");
        }
    }

    #[test]
    fn the_p_value_decreases_with_the_statistic() {
        let mut before = 1.0;
        for statistic in [0.0, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 250.0] {
            let p = p_value(statistic, 2, 0.15);
            assert!(p <= before && p > 0.0, "{statistic}: {p}");
            before = p;
        }
        assert!(p_value(f64::INFINITY, 2, 0.15) < 1e-50);
    }
}

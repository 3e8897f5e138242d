use super::median;
use super::nonnegative::{nonnegative_from, nonnegative_least_squares};

/// Huber's constant: 95 % efficient where errors are normal.
const TURN: f64 = 1.345;

/// A robust fit with non-negative unknowns.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustFit {
    /// The unknowns, none negative.
    pub values: Vec<f64>,
    /// The weight of each observation, 1 of an ordinary one, less of one that lies far off.
    pub weights: Vec<f64>,
    /// The standard deviation of the residuals, 1.4826 times the median of their sizes.
    pub deviation: f64,
}

/// Non-negative least squares that single wild observations do not move: minimise Σ_e ρ(y_e − Σ_k a_ek·x_k) over x ≥ 0.
///
/// ρ grows as a square up to 1.345 standard deviations and linearly beyond. Solved by weighting again and again; the
/// deviation is that of the present residuals. Source: Huber, "Robust estimation of a location parameter" (1964).
///
/// ```
/// use orrery::numeric::robust_nonnegative;
/// let ones = [1.0; 6];
/// let fit = robust_nonnegative(&[&ones], &[1.0, 1.1, 0.9, 1.05, 0.95, 50.0]);
/// assert!((fit.values[0] - 1.0).abs() < 0.1 && fit.weights[5] < 0.01);
/// ```
pub fn robust_nonnegative<C: AsRef<[f64]>>(columns: &[C], target: &[f64]) -> RobustFit {
    let whole = target.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let mut weights = vec![1.0; target.len()];
    let mut values = nonnegative_least_squares(columns, target);
    let mut deviation = 0.0;
    for _ in 0..MOST_ROUNDS {
        let sizes: Vec<f64> = (0..target.len())
            .map(|e| {
                let fitted: f64 = columns.iter().zip(&values).map(|(column, x)| column.as_ref()[e] * x).sum();
                (target[e] - fitted).abs()
            })
            .collect();
        deviation = 1.4826 * median(&sizes);
        if deviation <= 1e-13 * whole
            || sizes.iter().all(|&size| size <= TURN * deviation) && weights.iter().all(|&w| w >= 1.0)
        {
            break;
        }
        weights.iter_mut().zip(&sizes).for_each(|(w, &size)| *w = (TURN * deviation / size).min(1.0));
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let weighted = |column: &[f64]| column.iter().zip(&roots).map(|(a, w)| a * w).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = columns.iter().map(|column| weighted(column.as_ref())).collect();
        let next = nonnegative_from(&columns, &weighted(target), &values);
        let settled =
            values.iter().zip(&next).all(|(old, new)| (old - new).abs() <= SETTLED * old.abs().max(new.abs()));
        values = next;
        if settled {
            break;
        }
    }
    RobustFit { values, weights, deviation }
}

/// Unknowns that change by less than this part of them are settled.
const SETTLED: f64 = 1e-7;

/// Weighting converges in some ten rounds; where it does not, a hundredth changes nothing that matters.
const MOST_ROUNDS: usize = 50;

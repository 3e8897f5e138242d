use super::dense::{dot, least_squares, length};
use crate::numeric::median;

/// A unit column whose component orthogonal to the free columns is shorter than this depends on
/// them linearly.
const MIN_ORTHOGONAL_LENGTH: f64 = 1e-9;

/// A gradient below this, for columns and a target of unit length, is rounding error.
const GRADIENT_TOLERANCE: f64 = 1e-12;

/// Dense non-negative least squares for few unknowns: minimises ‖Σ_k x_k·a_k − y‖² over x ≥ 0.
///
/// `columns` are the a_k; they have the length of `target`, y. If columns are linearly dependent,
/// the coefficients of later ones are zero, so that the order of columns is an order of preference.
/// Source: Lawson, Hanson, "Solving least squares problems" (1974), chapter 23 (active set method),
/// with an orthogonal basis of the free columns.
///
/// ```
/// use orrery_base::numeric::nonnegative_least_squares;
/// let (ones, rising) = ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]);
/// let x = nonnegative_least_squares(&[&ones, &rising], &[3.0, 5.0, 7.0]);
/// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
/// let falling = nonnegative_least_squares(&[&ones, &rising], &[3.0, 2.0, 1.0]);
/// assert!((falling[0] - 2.0).abs() < 1e-12 && falling[1] == 0.0);
/// ```
pub fn nonnegative_least_squares<C: AsRef<[f64]>>(columns: &[C], target: &[f64]) -> Vec<f64> {
    nonnegative_from(columns, target, &[])
}

/// As [`nonnegative_least_squares`], started with the positive entries of `similar`, the solution
/// of a similar problem, as the free set; `similar` may be empty.
pub fn nonnegative_from<C: AsRef<[f64]>>(
    columns: &[C],
    target: &[f64],
    similar: &[f64],
) -> Vec<f64> {
    let unconstrained = |free: &[usize]| {
        let columns: Vec<&[f64]> = free.iter().map(|&k| columns[k].as_ref()).collect();
        least_squares(&columns, target, MIN_ORTHOGONAL_LENGTH)
    };
    let scales: Vec<f64> = columns.iter().map(|column| length(column.as_ref())).collect();
    let whole = length(target);
    let mut free: Vec<usize> = Vec::new();
    let mut rejected = vec![false; columns.len()];
    let mut x = vec![0.0; columns.len()];
    let begin: Vec<usize> = (0..similar.len()).filter(|&k| similar[k] > 0.0).collect();
    if let Some(start) = unconstrained(&begin).filter(|x| x.iter().all(|&x| x > 0.0)) {
        begin.iter().zip(start).for_each(|(&k, value)| x[k] = value);
        free = begin;
    }
    let mut residual = residual_of(columns, &x, target);
    // Each iteration frees one unknown or rejects it; Lawson and Hanson bound the number by a
    // multiple of the unknowns.
    for _ in 0..(10 * columns.len()) {
        let gradient = |k: usize| dot(columns[k].as_ref(), &residual) / scales[k];
        let open =
            (0..columns.len()).filter(|k| !free.contains(k) && !rejected[*k] && scales[*k] > 0.0);
        let steepest = open.map(|k| (k, gradient(k))).fold(
            None,
            |best: Option<(usize, f64)>, next| match best {
                Some(best) if best.1 >= next.1 => Some(best),
                _ => Some(next),
            },
        );
        let Some((entering, _)) =
            steepest.filter(|(_, gradient)| *gradient > GRADIENT_TOLERANCE * whole)
        else {
            break;
        };
        free.push(entering);
        free.sort_unstable();
        let mut first = true;
        loop {
            let Some(candidate) = unconstrained(&free) else {
                free.retain(|&k| k != entering);
                rejected[entering] = true;
                break;
            };
            let value =
                |k: usize| free.iter().position(|&f| f == k).map_or(0.0, |place| candidate[place]);
            if first && value(entering) <= 0.0 {
                free.retain(|&k| k != entering);
                rejected[entering] = true;
                break;
            }
            first = false;
            if candidate.iter().all(|&value| value > 0.0) {
                x.fill(0.0);
                free.iter().zip(&candidate).for_each(|(&k, &value)| x[k] = value);
                rejected.fill(false);
                break;
            }
            // Step towards the candidate until the first unknown reaches zero, which leaves the
            // free set.
            let step = free.iter().zip(&candidate).filter(|(_, new)| **new <= 0.0);
            let step = step.map(|(&k, &new)| x[k] / (x[k] - new)).fold(1.0, f64::min);
            for (&k, &new) in free.iter().zip(&candidate) {
                x[k] += step * (new - x[k]);
            }
            free.retain(|&k| x[k] > 1e-15 * whole / scales[k]);
        }
        residual = residual_of(columns, &x, target);
    }
    x
}

/// The residual y − Σ_k x_k·a_k.
fn residual_of<C: AsRef<[f64]>>(columns: &[C], x: &[f64], target: &[f64]) -> Vec<f64> {
    let mut residual = target.to_vec();
    for (column, &value) in columns.iter().zip(x).filter(|(_, value)| **value > 0.0) {
        residual.iter_mut().zip(column.as_ref()).for_each(|(r, a)| *r -= a * value);
    }
    residual
}

/// Huber's tuning constant k in standard deviations: 95 % efficiency for normal errors.
const HUBER_CONSTANT: f64 = 1.345;

/// The result of a robust fit with non-negative unknowns.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustFit {
    /// The unknowns, none negative.
    pub values: Vec<f64>,
    /// The weight of each observation: 1 for ordinary ones, less for outliers.
    pub weights: Vec<f64>,
    /// The standard deviation of the residuals, 1.4826 times their median absolute value.
    pub deviation: f64,
}

/// Non-negative least squares that is robust against outliers: minimises Σ_e ρ(y_e − Σ_k a_ek·x_k)
/// over x ≥ 0.
///
/// ρ is Huber's function: quadratic up to 1.345 standard deviations, linear beyond. The solution is
/// found by iteratively reweighted least squares; each iteration estimates the standard deviation
/// from the current residuals. Source: Huber, "Robust estimation of a location parameter" (1964).
///
/// ```
/// use orrery_base::numeric::robust_nonnegative;
/// let ones = [1.0; 6];
/// let fit = robust_nonnegative(&[&ones], &[1.0, 1.1, 0.9, 1.05, 0.95, 50.0]);
/// assert!((fit.values[0] - 1.0).abs() < 0.1 && fit.weights[5] < 0.01);
/// ```
pub fn robust_nonnegative<C: AsRef<[f64]>>(columns: &[C], target: &[f64]) -> RobustFit {
    let whole = target.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let mut weights = vec![1.0; target.len()];
    let mut values = nonnegative_least_squares(columns, target);
    let mut deviation = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let sizes: Vec<f64> = (0..target.len())
            .map(|e| {
                let fitted: f64 =
                    columns.iter().zip(&values).map(|(column, x)| column.as_ref()[e] * x).sum();
                (target[e] - fitted).abs()
            })
            .collect();
        deviation = 1.4826 * median(&sizes);
        if deviation <= 1e-13 * whole
            || sizes.iter().all(|&size| size <= HUBER_CONSTANT * deviation)
                && weights.iter().all(|&w| w >= 1.0)
        {
            break;
        }
        weights
            .iter_mut()
            .zip(&sizes)
            .for_each(|(w, &size)| *w = (HUBER_CONSTANT * deviation / size).min(1.0));
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let weighted =
            |column: &[f64]| column.iter().zip(&roots).map(|(a, w)| a * w).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> =
            columns.iter().map(|column| weighted(column.as_ref())).collect();
        let next = nonnegative_from(&columns, &weighted(target), &values);
        let converged = values.iter().zip(&next).all(|(old, new)| {
            (old - new).abs() <= CONVERGENCE_TOLERANCE * old.abs().max(new.abs())
        });
        values = next;
        if converged {
            break;
        }
    }
    RobustFit { values, weights, deviation }
}

/// The relative change of an unknown below which it has converged.
const CONVERGENCE_TOLERANCE: f64 = 1e-7;

/// The maximum number of reweighting iterations; ten are usual.
const MAX_ITERATIONS: usize = 50;

use nalgebra::{DMatrix, DVector};

use super::parallel::parallel_map;

/// More digits than these, in the norm of the matrix, a solution cannot be asked for.
const ENOUGH: f64 = 1e-10;

/// So many columns are multiplied at once, whatever the number of threads.
const PIECE: usize = 256;

/// Solves A·x = b by conjugate gradients from a guess, until its error has become so small a part of what it was;
/// `None` when so many steps do not suffice.
///
/// `product` multiplies by A, `precondition` by the inverse of something like A, both symmetric and positive definite.
/// Source: Hestenes, Stiefel, "Methods of conjugate gradients for solving linear systems" (1952).
pub(super) fn conjugate(
    product: impl Fn(&DVector<f64>) -> DVector<f64>,
    precondition: impl Fn(DVector<f64>) -> DVector<f64>,
    target: &DVector<f64>,
    guess: DVector<f64>,
    steps: usize,
    accuracy: f64,
) -> Option<DVector<f64>> {
    let mut solution = guess;
    let mut residual = target - product(&solution);
    let mut towards = precondition(residual.clone());
    let mut direction = towards.clone();
    let mut left = residual.dot(&towards);
    let enough = (accuracy.powi(2) * left).max(ENOUGH.powi(2) * target.dot(&precondition(target.clone())));
    for _ in 0..steps {
        if left <= enough {
            return Some(solution);
        }
        let image = product(&direction);
        let length = left / direction.dot(&image);
        solution.axpy(length, &direction, 1.0);
        residual.axpy(-length, &image, 1.0);
        towards = precondition(residual.clone());
        let before = std::mem::replace(&mut left, residual.dot(&towards));
        direction.axpy(1.0, &towards, left / before);
    }
    (left <= enough).then_some(solution)
}

/// The product of the symmetric matrix whose lower triangle this is with a vector.
pub(super) fn symmetric_product(lower: &DMatrix<f64>, vector: &DVector<f64>) -> DVector<f64> {
    let n = vector.len();
    let strips = parallel_map(n.div_ceil(PIECE), |piece| {
        let (begin, end) = (piece * PIECE, n.min((piece + 1) * PIECE));
        let width = end - begin;
        let below = lower.view((end, begin), (n - end, width));
        let mut product = DVector::zeros(n);
        product.rows_mut(end, n - end).gemv(1.0, &below, &vector.rows(begin, width), 0.0);
        let mut own = DVector::zeros(width);
        own.sygemv(1.0, &lower.view((begin, begin), (width, width)), &vector.rows(begin, width), 0.0);
        own.gemv_tr(1.0, &below, &vector.rows(end, n - end), 1.0);
        product.rows_mut(begin, width).copy_from(&own);
        product
    });
    strips.into_iter().fold(DVector::zeros(n), |sum, strip| sum + strip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_with_the_inverse_of_one_like_it() {
        let n = 2 * PIECE + 7;
        let weight = |k: usize| 1.0 + (k % 13) as f64;
        let full =
            DMatrix::from_fn(
                n,
                n,
                |i, j| {
                    if i == j { 40.0 * weight(i) } else { ((i * j + i + j) % 7) as f64 / n as f64 }
                },
            );
        let lower = full.lower_triangle();
        let truth = DVector::from_fn(n, |k, _| weight(k * 5));
        assert!((symmetric_product(&lower, &truth) - &full * &truth).amax() < 1e-9);
        let precondition = |vector: DVector<f64>| vector.map_with_location(|k, _, value| value / weight(k));
        let product = |vector: &DVector<f64>| symmetric_product(&lower, vector);
        let solve = |steps| conjugate(product, precondition, &(&full * &truth), DVector::zeros(n), steps, 0.0);
        let solution = solve(20).unwrap();
        assert!((solution - &truth).amax() < 1e-8);
        assert!(solve(1).is_none());
    }
}

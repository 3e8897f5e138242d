use nalgebra::{DMatrix, DVector};

use crate::numeric::parallel_map;

/// The number of columns of a block: it fits into the cache and is large enough for fast matrix
/// products.
const BLOCK_COLUMNS: usize = 96;

/// The number of rows or columns of a parallel task, independent of the number of threads.
const TASK_SIZE: usize = 256;

/// The lower Cholesky factor L of a symmetric positive definite matrix A = L·Lᵀ, computed by
/// blocks.
///
/// Most operations are matrix products, which for thousands of unknowns are many times faster than
/// column operations. Source: Golub, Van Loan, "Matrix computations", section 4.2 (block
/// algorithm).
#[derive(Debug, Clone)]
pub(super) struct Cholesky {
    lower: DMatrix<f64>,
}

impl Cholesky {
    /// Factors the matrix with the lower triangle `a`; returns `None` if it is not positive
    /// definite. The upper triangle of `a` is not read.
    pub(super) fn of(mut a: DMatrix<f64>) -> Option<Self> {
        let n = a.nrows();
        for begin in (0..n).step_by(BLOCK_COLUMNS) {
            let width = BLOCK_COLUMNS.min(n - begin);
            let end = begin + width;
            // These columns after elimination of the previous ones: A1 − L0·L0ᵀ.
            let before = a.view((begin, 0), (width, begin)).transpose();
            let rest = |first: usize, rows: usize| {
                let mut rest = a.view((first, begin), (rows, width)).clone_owned();
                rest.gemm(-1.0, &a.view((first, 0), (rows, begin)), &before, 1.0);
                rest
            };
            let corner = rest(begin, width).cholesky()?.unpack();
            // L21 = A21·L11⁻ᵀ.
            let to_panel =
                corner.solve_lower_triangular(&DMatrix::identity(width, width))?.transpose();
            let panels = parallel_map((n - end).div_ceil(TASK_SIZE), |task| {
                let first = end + task * TASK_SIZE;
                rest(first, TASK_SIZE.min(n - first)) * &to_panel
            });
            a.view_mut((begin, begin), (width, width)).copy_from(&corner);
            for (first, panel) in (end..).step_by(TASK_SIZE).zip(&panels) {
                a.view_mut((first, begin), panel.shape()).copy_from(panel);
            }
        }
        Some(Self { lower: a })
    }

    /// The pivots: the squared diagonal entries of L.
    pub(super) fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.lower.nrows()).map(|k| self.lower[(k, k)].powi(2))
    }

    /// Solves A·x = b by forward and back substitution.
    pub(super) fn solve(&self, mut b: DVector<f64>) -> DVector<f64> {
        self.lower.solve_lower_triangular_mut(&mut b);
        self.lower.tr_solve_lower_triangular_mut(&mut b);
        b
    }

    /// The lower triangle of the inverse A⁻¹ = L⁻ᵀ·L⁻¹; the upper triangle is undefined.
    pub(super) fn inverse(&self) -> DMatrix<f64> {
        let n = self.lower.nrows();
        let mut x = DMatrix::<f64>::zeros(n, n);
        // Columns of L⁻¹ by forward substitution in blocks of rows.
        let strips = parallel_map(n.div_ceil(BLOCK_COLUMNS), |task| {
            let first = task * BLOCK_COLUMNS;
            let width = BLOCK_COLUMNS.min(n - first);
            let mut strip = DMatrix::<f64>::identity(n - first, width);
            for begin in (0..n - first).step_by(BLOCK_COLUMNS) {
                let height = BLOCK_COLUMNS.min(n - first - begin);
                let left = self.lower.view((first + begin, first), (height, begin));
                let mut rows = strip.view((begin, 0), (height, width)).clone_owned();
                rows.gemm(-1.0, &left, &strip.rows(0, begin), 1.0);
                let corner = self.lower.view((first + begin, first + begin), (height, height));
                corner.solve_lower_triangular_mut(&mut rows);
                strip.view_mut((begin, 0), (height, width)).copy_from(&rows);
            }
            strip
        });
        for (first, strip) in (0..).step_by(BLOCK_COLUMNS).zip(&strips) {
            x.view_mut((first, first), strip.shape()).copy_from(strip);
        }
        // L⁻¹ is lower triangular: the product of two columns starts at the row of the later one.
        let strips = parallel_map(n.div_ceil(TASK_SIZE), |task| {
            let first = task * TASK_SIZE;
            let width = TASK_SIZE.min(n - first);
            let mut strip = DMatrix::zeros(n - first, width);
            for begin in (first..n).step_by(TASK_SIZE) {
                let height = TASK_SIZE.min(n - begin);
                let (rows, columns) = (
                    x.view((begin, begin), (n - begin, height)),
                    x.view((begin, first), (n - begin, width)),
                );
                strip
                    .view_mut((begin - first, 0), (height, width))
                    .copy_from(&(rows.transpose() * columns));
            }
            strip
        });
        for (first, strip) in (0..).step_by(TASK_SIZE).zip(&strips) {
            x.view_mut((first, first), strip.shape()).copy_from(strip);
        }
        x
    }
}

/// The smallest error that can be reached, relative to the solution, in the norm of the
/// preconditioner.
const MIN_RELATIVE_ERROR: f64 = 1e-10;

/// Solves A·x = b by preconditioned conjugate gradients; returns `None` if it does not converge
/// within `max_iterations`.
///
/// Starts from `guess` and ends when the error has been reduced by the factor `tolerance`.
/// `product` multiplies by A, `precondition` by an approximation of A⁻¹, both symmetric and
/// positive definite. Source: Hestenes, Stiefel, "Methods of conjugate gradients for solving linear
/// systems" (1952).
pub(super) fn conjugate_gradients(
    product: impl Fn(&DVector<f64>) -> DVector<f64>,
    precondition: impl Fn(DVector<f64>) -> DVector<f64>,
    target: &DVector<f64>,
    guess: DVector<f64>,
    max_iterations: usize,
    tolerance: f64,
) -> Option<DVector<f64>> {
    let mut solution = guess;
    let mut residual = target - product(&solution);
    let mut preconditioned = precondition(residual.clone());
    let mut direction = preconditioned.clone();
    let mut residual_norm = residual.dot(&preconditioned);
    let target_norm = (tolerance.powi(2) * residual_norm)
        .max(MIN_RELATIVE_ERROR.powi(2) * target.dot(&precondition(target.clone())));
    for _ in 0..max_iterations {
        if residual_norm <= target_norm {
            return Some(solution);
        }
        let product_of_direction = product(&direction);
        let step = residual_norm / direction.dot(&product_of_direction);
        solution.axpy(step, &direction, 1.0);
        residual.axpy(-step, &product_of_direction, 1.0);
        preconditioned = precondition(residual.clone());
        let previous_norm = std::mem::replace(&mut residual_norm, residual.dot(&preconditioned));
        direction.axpy(1.0, &preconditioned, residual_norm / previous_norm);
    }
    (residual_norm <= target_norm).then_some(solution)
}

/// Multiplies the symmetric matrix with the lower triangle `lower` by a vector.
pub(super) fn symmetric_product(lower: &DMatrix<f64>, vector: &DVector<f64>) -> DVector<f64> {
    let n = vector.len();
    let strips = parallel_map(n.div_ceil(TASK_SIZE), |task| {
        let (begin, end) = (task * TASK_SIZE, n.min((task + 1) * TASK_SIZE));
        let width = end - begin;
        let below = lower.view((end, begin), (n - end, width));
        let mut product = DVector::zeros(n);
        product.rows_mut(end, n - end).gemv(1.0, &below, &vector.rows(begin, width), 0.0);
        let mut own = DVector::zeros(width);
        own.sygemv(
            1.0,
            &lower.view((begin, begin), (width, width)),
            &vector.rows(begin, width),
            0.0,
        );
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
    fn factor_solution_and_inverse_are_correct_across_blocks() {
        for n in [1, 5, BLOCK_COLUMNS, BLOCK_COLUMNS + 1, 2 * TASK_SIZE + BLOCK_COLUMNS + 7] {
            let root = DMatrix::from_fn(n, n, |i, j| {
                ((i * 31 + j * 17) % 23) as f64 / 23.0 + f64::from(u8::from(i == j)) * 9.0
            });
            let a = &root * root.transpose();
            let factor = Cholesky::of(a.clone()).unwrap();
            let x = DVector::from_fn(n, |i, _| 1.0 + i as f64);
            let solved = factor.solve(&a * &x);
            assert!((solved - &x).amax() < 1e-8 * x.amax());
            let mut inverse = factor.inverse();
            inverse.fill_upper_triangle_with_lower_triangle();
            assert!((inverse * &a - DMatrix::identity(n, n)).amax() < 1e-8);
        }
        assert!(Cholesky::of(DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0])).is_none());
    }

    #[test]
    fn conjugate_gradients_converge_with_a_diagonal_preconditioner() {
        let n = 2 * TASK_SIZE + 7;
        let weight = |k: usize| 1.0 + (k % 13) as f64;
        let full = DMatrix::from_fn(n, n, |i, j| {
            if i == j { 40.0 * weight(i) } else { ((i * j + i + j) % 7) as f64 / n as f64 }
        });
        let lower = full.lower_triangle();
        let truth = DVector::from_fn(n, |k, _| weight(k * 5));
        assert!((symmetric_product(&lower, &truth) - &full * &truth).amax() < 1e-9);
        let precondition =
            |vector: DVector<f64>| vector.map_with_location(|k, _, value| value / weight(k));
        let product = |vector: &DVector<f64>| symmetric_product(&lower, vector);
        let solve = |steps| {
            conjugate_gradients(
                product,
                precondition,
                &(&full * &truth),
                DVector::zeros(n),
                steps,
                0.0,
            )
        };
        let solution = solve(20).unwrap();
        assert!((solution - &truth).amax() < 1e-8);
        assert!(solve(1).is_none());
    }
}

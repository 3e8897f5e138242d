use nalgebra::{DMatrix, DVector};

use super::parallel::parallel_map;

/// Columns that are factored together: small enough for the cache, large enough for matrix products to be fast.
const BLOCK: usize = 96;

/// So many rows or columns are worked on at once, whatever the number of threads.
const PIECE: usize = 256;

/// The lower Cholesky factor of a symmetric positive definite matrix, by blocks.
///
/// Its work is done in matrix products, which for some thousand unknowns are many times faster than column operations.
#[derive(Debug, Clone)]
pub(super) struct Cholesky {
    lower: DMatrix<f64>,
}

impl Cholesky {
    /// The factor of the matrix whose lower triangle this is; `None` when it is not positive definite.
    pub(super) fn of(mut a: DMatrix<f64>) -> Option<Self> {
        let n = a.nrows();
        for begin in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - begin);
            let end = begin + width;
            // The rows of these columns without what the columns before them have in them: A1 − L0·L0ᵀ.
            let before = a.view((begin, 0), (width, begin)).transpose();
            let rest = |first: usize, rows: usize| {
                let mut rest = a.view((first, begin), (rows, width)).clone_owned();
                rest.gemm(-1.0, &a.view((first, 0), (rows, begin)), &before, 1.0);
                rest
            };
            let corner = rest(begin, width).cholesky()?.unpack();
            // L21 = A21·L11⁻ᵀ.
            let to_panel = corner.solve_lower_triangular(&DMatrix::identity(width, width))?.transpose();
            let panels = parallel_map((n - end).div_ceil(PIECE), |piece| {
                let first = end + piece * PIECE;
                rest(first, PIECE.min(n - first)) * &to_panel
            });
            a.view_mut((begin, begin), (width, width)).copy_from(&corner);
            for (first, panel) in (end..).step_by(PIECE).zip(&panels) {
                a.view_mut((first, begin), panel.shape()).copy_from(panel);
            }
        }
        Some(Self { lower: a })
    }

    /// The pivots: the squares of the factor's diagonal.
    pub(super) fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.lower.nrows()).map(|k| self.lower[(k, k)].powi(2))
    }

    /// Solves A·x = b.
    pub(super) fn solve(&self, mut b: DVector<f64>) -> DVector<f64> {
        self.lower.solve_lower_triangular_mut(&mut b);
        self.lower.tr_solve_lower_triangular_mut(&mut b);
        b
    }

    /// The lower triangle of the inverse A⁻¹ = L⁻ᵀ·L⁻¹, the upper one of no meaning.
    pub(super) fn inverse(&self) -> DMatrix<f64> {
        let n = self.lower.nrows();
        let mut x = DMatrix::<f64>::zeros(n, n);
        // Columns of L⁻¹: those of the identity, with what the rows above have in each block of rows taken away.
        let strips = parallel_map(n.div_ceil(BLOCK), |piece| {
            let first = piece * BLOCK;
            let width = BLOCK.min(n - first);
            let mut strip = DMatrix::<f64>::identity(n - first, width);
            for begin in (0..n - first).step_by(BLOCK) {
                let height = BLOCK.min(n - first - begin);
                let left = self.lower.view((first + begin, first), (height, begin));
                let mut rows = strip.view((begin, 0), (height, width)).clone_owned();
                rows.gemm(-1.0, &left, &strip.rows(0, begin), 1.0);
                let corner = self.lower.view((first + begin, first + begin), (height, height));
                corner.solve_lower_triangular_mut(&mut rows);
                strip.view_mut((begin, 0), (height, width)).copy_from(&rows);
            }
            strip
        });
        for (first, strip) in (0..).step_by(BLOCK).zip(&strips) {
            x.view_mut((first, first), strip.shape()).copy_from(strip);
        }
        // A row of L⁻¹ has nothing above its diagonal: of two columns only what is below the later one counts.
        let strips = parallel_map(n.div_ceil(PIECE), |piece| {
            let first = piece * PIECE;
            let width = PIECE.min(n - first);
            let mut strip = DMatrix::zeros(n - first, width);
            for begin in (first..n).step_by(PIECE) {
                let height = PIECE.min(n - begin);
                let (rows, columns) =
                    (x.view((begin, begin), (n - begin, height)), x.view((begin, first), (n - begin, width)));
                strip.view_mut((begin - first, 0), (height, width)).copy_from(&(rows.transpose() * columns));
            }
            strip
        });
        for (first, strip) in (0..).step_by(PIECE).zip(&strips) {
            x.view_mut((first, first), strip.shape()).copy_from(strip);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_solution_and_inverse_are_right_across_blocks() {
        for n in [1, 5, BLOCK, BLOCK + 1, 2 * PIECE + BLOCK + 7] {
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
}

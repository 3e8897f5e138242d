//! Products of matrices.

use super::view::{Matrix, View, ViewMut};
use crate::element::Element;

/// The order of the blocks of A that are copied; a block of `f64` has 32 KiB.
const BLOCK: usize = 64;

/// The order of the blocks on the diagonal of a triangle.
const DIAGONAL_BLOCK: usize = 32;

/// C += αAB.
pub fn multiply_add<E: Element>(alpha: E, a: View<E>, b: View<E>, c: &mut ViewMut<E>) {
    if !c.is_by_columns() {
        // Cᵀ += αBᵀAᵀ is stored by columns.
        return multiply_add(alpha, b.transposed(), a.transposed(), &mut c.transposed());
    }
    let [m, n, k] = [c.rows, c.columns, a.columns];
    for inner in (0..k).step_by(BLOCK) {
        let inner = inner..k.min(inner + BLOCK);
        for rows in (0..m).step_by(BLOCK) {
            let rows = rows..m.min(rows + BLOCK);
            let block = Matrix::map(a.part(rows.clone(), inner.clone()), |element| alpha * element);
            let factors = b.part(inner.clone(), 0..n);
            for column in 0..n {
                add_product(block.view(), factors, column, c.column(rows.clone(), column));
            }
        }
    }
}

/// Adds to `sum` the product of a block that is stored by columns and the column `column` of
/// `factors`.
fn add_product<E: Element>(block: View<E>, factors: View<E>, column: usize, sum: &mut [E]) {
    let mut at = 0;
    while at + 4 <= block.columns {
        let [a0, a1, a2, a3] = [0, 1, 2, 3].map(|next| block.column(at + next));
        let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|next| factors.at(at + next, column));
        for ((((sum, a0), a1), a2), a3) in sum.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
            *sum += *a0 * b0 + *a1 * b1 + (*a2 * b2 + *a3 * b3);
        }
        at += 4;
    }
    for at in at..block.columns {
        let factor = factors.at(at, column);
        for (sum, a) in sum.iter_mut().zip(block.column(at)) {
            *sum += *a * factor;
        }
    }
}

/// Adds the lower triangle of αAB to that of a square C.
pub fn multiply_add_lower<E: Element>(alpha: E, a: View<E>, b: View<E>, c: &mut ViewMut<E>) {
    let [n, k] = [c.rows, a.columns];
    for begin in (0..n).step_by(DIAGONAL_BLOCK) {
        let end = n.min(begin + DIAGONAL_BLOCK);
        let factors = b.part(0..k, begin..end);
        let mut square = Matrix::zero(end - begin, end - begin);
        multiply_add(alpha, a.part(begin..end, 0..k), factors, &mut square.view_mut());
        for column in begin..end {
            for row in column..end {
                *c.at(row, column) += square.view().at(row - begin, column - begin);
            }
        }
        multiply_add(alpha, a.part(end..n, 0..k), factors, &mut c.part(end..n, begin..end));
    }
}

/// y += Ax, with A stored by columns.
pub fn multiply_add_vector<E: Element>(a: View<E>, x: &[E], y: &mut [E]) {
    for (column, factor) in x.iter().enumerate() {
        add_scaled(*factor, a.column(column), y);
    }
}

/// y += Aᵀx, with A stored by columns.
pub fn multiply_add_transposed<E: Element>(a: View<E>, x: &[E], y: &mut [E]) {
    for (column, sum) in y.iter_mut().enumerate() {
        *sum += dot_product(a.column(column), x);
    }
}

/// y += αx.
pub fn add_scaled<E: Element>(alpha: E, x: &[E], y: &mut [E]) {
    for (x, y) in x.iter().zip(y) {
        *y += alpha * *x;
    }
}

/// The sum of the products of two vectors, in eight sums that do not depend on each other.
fn dot_product<E: Element>(x: &[E], y: &[E]) -> E {
    let mut sums = [E::default(); 8];
    let (x, x_rest) = x.as_chunks::<8>();
    let (y, y_rest) = y.as_chunks::<8>();
    for (x, y) in x.iter().zip(y) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += *x * *y;
        }
    }
    for (sum, (x, y)) in sums.iter_mut().zip(x_rest.iter().zip(y_rest)) {
        *sum += *x * *y;
    }
    sums.into_iter().fold(E::default(), |sum, part| sum + part)
}

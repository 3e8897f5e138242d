//! Triangular systems and factorisations, in blocks that leave the work to products of matrices.

use super::product::{multiply_add, multiply_add_lower};
use super::view::{Matrix, View, ViewMut};
use crate::element::Element;

/// The number of columns of a panel, which is factorised or solved element by element.
const PANEL: usize = 32;

/// A triangular matrix as one side of a system.
#[derive(Debug, Clone, Copy)]
pub struct Triangle<'a, E> {
    pub matrix: View<'a, E>,
    pub is_lower: bool,
    /// True if the diagonal is 1 and is not read.
    pub has_unit_diagonal: bool,
}

impl<E: Element> Triangle<'_, E> {
    /// Replaces B by the solution X of TX = B.
    pub fn solve(self, b: &mut ViewMut<E>) {
        let [m, n] = [b.rows, b.columns];
        let mut panels: Vec<usize> = (0..m).step_by(PANEL).collect();
        if !self.is_lower {
            panels.reverse();
        }
        for begin in panels {
            let end = m.min(begin + PANEL);
            let mut x = Matrix::copy(b.view().part(begin..end, 0..n));
            let square = Matrix::copy(self.matrix.part(begin..end, begin..end));
            for column in 0..n {
                self.solve_column(square.view(), x.view_mut().column(0..end - begin, column));
            }
            b.part(begin..end, 0..n).write(&x);
            let rest = if self.is_lower { end..m } else { 0..begin };
            let factors = self.matrix.part(rest.clone(), begin..end);
            multiply_add(-E::ONE, factors, x.view(), &mut b.part(rest, 0..n));
        }
    }

    /// Replaces B by the product TB.
    pub fn multiply(self, b: &mut ViewMut<E>) {
        let [m, n] = [b.rows, b.columns];
        let mut panels: Vec<usize> = (0..m).step_by(PANEL).collect();
        // A panel of the product depends on this one of B and on those that are replaced after it.
        if self.is_lower {
            panels.reverse();
        }
        for begin in panels {
            let end = m.min(begin + PANEL);
            let square =
                Matrix::map_at(self.matrix.part(begin..end, begin..end), |row, column, element| {
                    let is_in = if self.is_lower { row >= column } else { row <= column };
                    if is_in { element } else { E::default() }
                });
            let rest = if self.is_lower { 0..begin } else { end..m };
            let (own, others) = (
                Matrix::copy(b.view().part(begin..end, 0..n)),
                Matrix::copy(b.view().part(rest.clone(), 0..n)),
            );
            let mut product = Matrix::zero(end - begin, n);
            multiply_add(E::ONE, square.view(), own.view(), &mut product.view_mut());
            multiply_add(
                E::ONE,
                self.matrix.part(begin..end, rest),
                others.view(),
                &mut product.view_mut(),
            );
            b.part(begin..end, 0..n).write(&product);
        }
    }

    /// Solves a system with a small matrix on the diagonal of the triangle and one right-hand side,
    /// which the solution replaces.
    fn solve_column(self, square: View<E>, x: &mut [E]) {
        for step in 0..x.len() {
            let at = if self.is_lower { step } else { x.len() - 1 - step };
            if !self.has_unit_diagonal {
                x[at] = x[at] / square.at(at, at);
            }
            let rest = if self.is_lower { at + 1..x.len() } else { 0..at };
            let known = x[at];
            for (x, factor) in x[rest.clone()].iter_mut().zip(&square.column(at)[rest]) {
                *x -= *factor * known;
            }
        }
    }
}

/// Replaces the lower triangle of a Hermitian matrix by L with A = LLᴴ.
///
/// Returns 0, or the number of the first row, from 1, without a positive pivot.
pub fn factorise_cholesky<E: Element>(a: &mut ViewMut<E>) -> i32 {
    let n = a.rows;
    for begin in (0..n).step_by(PANEL) {
        let end = n.min(begin + PANEL);
        let mut square = Matrix::copy(a.view().part(begin..end, begin..end));
        if let Some(at) = factorise_square(&mut square.view_mut()) {
            return (begin + at + 1) as i32;
        }
        for column in 0..end - begin {
            for row in column..end - begin {
                *a.at(begin + row, begin + column) = square.view().at(row, column);
            }
        }
        // L₂₁L₁₁ᴴ = A₂₁ transposed: conj(L₁₁)L₂₁ᵀ = A₂₁ᵀ.
        let conjugated = Matrix::map(square.view(), E::conjugate);
        let triangle =
            Triangle { matrix: conjugated.view(), is_lower: true, has_unit_diagonal: false };
        triangle.solve(&mut a.part(end..n, begin..end).transposed());
        let panel = Matrix::copy(a.view().part(end..n, begin..end));
        let conjugated = Matrix::map(panel.view(), E::conjugate);
        multiply_add_lower(
            -E::ONE,
            panel.view(),
            conjugated.view().transposed(),
            &mut a.part(end..n, end..n),
        );
    }
    0
}

/// Replaces the lower triangle of a small Hermitian matrix by its Cholesky factor; returns the
/// first row, from 0, without a positive pivot, `None` if all have one.
fn factorise_square<E: Element>(a: &mut ViewMut<E>) -> Option<usize> {
    for at in 0..a.rows {
        let [pivot, _] = a.at(at, at).parts();
        if pivot.is_nan() || pivot <= 0.0 {
            return Some(at);
        }
        let root = E::from_parts(pivot.sqrt(), 0.0);
        *a.at(at, at) = root;
        for row in at + 1..a.rows {
            *a.at(row, at) = *a.at(row, at) / root;
        }
        for column in at + 1..a.rows {
            let factor = a.at(column, at).conjugate();
            for row in column..a.rows {
                let product = *a.at(row, at) * factor;
                *a.at(row, column) -= product;
            }
        }
    }
    None
}

/// Replaces A by L and U with PA = LU, by rows with the largest pivots.
///
/// Returns 0, or the number of the first column, from 1, whose pivot is 0.
pub fn factorise_lu<E: Element>(a: &mut ViewMut<E>) -> i32 {
    let [m, n] = [a.rows, a.columns];
    let mut singular = 0;
    for begin in (0..m.min(n)).step_by(PANEL) {
        let end = m.min(n).min(begin + PANEL);
        let mut panel = Matrix::copy(a.view().part(begin..m, begin..end));
        for at in 0..end - begin {
            let pivot = begin + choose_pivot(&mut panel.view_mut(), at);
            // Rows of the panel are exchanged in it.
            for column in (0..begin).chain(end..n).filter(|_| pivot != begin + at) {
                exchange(a, [begin + at, pivot], column);
            }
            if panel.view().at(at, at).magnitude() == 0.0 {
                singular = if singular == 0 { (begin + at + 1) as i32 } else { singular };
            } else {
                eliminate(&mut panel.view_mut(), at);
            }
        }
        a.part(begin..m, begin..end).write(&panel);
        let width = end - begin;
        let matrix = panel.view().part(0..width, 0..width);
        Triangle { matrix, is_lower: true, has_unit_diagonal: true }
            .solve(&mut a.part(begin..end, end..n));
        let upper = Matrix::copy(a.view().part(begin..end, end..n));
        let lower = panel.view().part(width..m - begin, 0..width);
        multiply_add(-E::ONE, lower, upper.view(), &mut a.part(end..m, end..n));
    }
    singular
}

/// Exchanges the elements of two rows in a column.
fn exchange<E: Element>(a: &mut ViewMut<E>, [one, other]: [usize; 2], column: usize) {
    let kept = *a.at(one, column);
    *a.at(one, column) = *a.at(other, column);
    *a.at(other, column) = kept;
}

/// Moves the row with the largest element of a column, from the diagonal on, to the diagonal;
/// returns its row before.
fn choose_pivot<E: Element>(panel: &mut ViewMut<E>, at: usize) -> usize {
    let mut pivot = at;
    for row in at + 1..panel.rows {
        if panel.at(row, at).magnitude() > panel.at(pivot, at).magnitude() {
            pivot = row;
        }
    }
    for column in 0..panel.columns {
        exchange(panel, [at, pivot], column);
    }
    pivot
}

/// Divides the elements of a column below the diagonal by the pivot on it, which is not 0, and
/// subtracts their products from the columns after it.
fn eliminate<E: Element>(panel: &mut ViewMut<E>, at: usize) {
    let rows = at + 1..panel.rows;
    let inverse = E::ONE / *panel.at(at, at);
    let mut column = Vec::with_capacity(rows.len());
    for element in panel.column(rows.clone(), at) {
        *element = *element * inverse;
        column.push(*element);
    }
    for other in at + 1..panel.columns {
        let factor = *panel.at(at, other);
        for (element, known) in panel.column(rows.clone(), other).iter_mut().zip(&column) {
            *element -= *known * factor;
        }
    }
}

//! Plain least squares with few columns.

use nalgebra::{DMatrix, DVector};

/// Solves a least-squares problem: returns the x that minimize Σ_e (Σ_k a_ek·x_k − y_e)², without
/// constraints or weights.
///
/// Columns are scaled to unit length because N³ and 1 differ by up to 10¹⁸. The solver is
/// Householder QR with column pivoting and one step of iterative refinement. A zero column has the
/// coefficient 0; `None` if the other coefficients are not determined. The problem is that of
/// `gsl_multifit_linear` in the GNU Scientific Library.
pub(super) fn least_squares<const K: usize>(
    rows: &[[f64; K]],
    observed: &[f64],
) -> Option<[f64; K]> {
    let length = |k: usize| rows.iter().map(|row| row[k] * row[k]).sum::<f64>().sqrt();
    let lengths: [f64; K] = std::array::from_fn(length);
    let kept: Vec<usize> = (0..K).filter(|&k| lengths[k] > 0.0).collect();
    let mut values = [0.0; K];
    if rows.is_empty() || rows.len() < kept.len() {
        return None;
    }
    if kept.is_empty() {
        return Some(values);
    }
    let matrix =
        DMatrix::from_fn(rows.len(), kept.len(), |e, k| rows[e][kept[k]] / lengths[kept[k]]);
    let factors = matrix.clone().col_piv_qr();
    let triangle = factors.r();
    let least = f64::EPSILON * rows.len() as f64 * triangle[(0, 0)].abs();
    if triangle.diagonal().iter().any(|entry| entry.abs() <= least) {
        return None;
    }
    let solve = |mut right: DVector<f64>| {
        factors.q_tr_mul(&mut right);
        let mut head = right.rows(0, kept.len()).into_owned();
        triangle.solve_upper_triangular_mut(&mut head).then(|| {
            factors.p().inv_permute_rows(&mut head);
            head
        })
    };
    let observed = DVector::from_column_slice(observed);
    let first = solve(observed.clone())?;
    let solution = &first + solve(&observed - &matrix * &first)?;
    kept.iter().zip(solution.iter()).for_each(|(&k, value)| values[k] = value / lengths[k]);
    values.iter().all(|value| value.is_finite()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::least_squares;

    fn cubic(sizes: &[f64]) -> Vec<[f64; 4]> {
        sizes.iter().map(|n| [n * n * n, n * n, *n, 1.0]).collect()
    }

    /// The closed solution of a line through (0, 1), (1, 3), (2, 4), (3, 4): slope 1, intercept
    /// 1.5.
    #[test]
    fn line_fit_matches_closed_form() {
        let rows: Vec<[f64; 2]> = (0..4).map(|x| [f64::from(x), 1.0]).collect();
        let [slope, intercept] = least_squares(&rows, &[1.0, 3.0, 4.0, 4.0]).unwrap();
        assert!((slope - 1.0).abs() < 1e-14 && (intercept - 1.5).abs() < 1e-14);
    }

    #[test]
    fn sizes_up_to_a_million_keep_ten_digits() {
        for sizes in [[400.0, 1600.0, 3200.0, 6400.0, 9600.0], [1e4, 1e5, 2e5, 5e5, 1e6]] {
            let largest: f64 = sizes[4];
            // The terms of the largest time: 100 s, −20 s, 5 s, 1 s.
            let truth = [100.0 / largest.powi(3), -20.0 / largest.powi(2), 5.0 / largest, 1.0];
            let rows = cubic(&sizes);
            let times: Vec<f64> =
                rows.iter().map(|row| row.iter().zip(truth).map(|(a, x)| a * x).sum()).collect();
            let found = least_squares(&rows, &times).unwrap();
            assert!(found.iter().zip(truth).all(|(a, b)| (a / b - 1.0).abs() < 1e-10), "{found:?}");
        }
    }

    #[test]
    fn undetermined_coefficients_are_none() {
        assert_eq!(least_squares(&cubic(&[400.0, 800.0, 1600.0]), &[1.0, 2.0, 3.0]), None);
        assert_eq!(least_squares(&cubic(&[400.0; 6]), &[1.0; 6]), None);
        assert_eq!(least_squares::<2>(&[], &[]), None);
        assert_eq!(least_squares(&[[0.0, 1.0], [0.0, 1.0]], &[1.0, 3.0]), Some([0.0, 2.0]));
    }
}

//! Plain least squares with few columns.

use orrery_base::numeric;

/// Solves a least-squares problem: returns the x that minimize Σ_e (Σ_k a_ek·x_k − y_e)², without
/// constraints or weights.
///
/// A zero column has the coefficient 0; `None` if the other coefficients are not determined. The
/// problem is that of `gsl_multifit_linear` in the GNU Scientific Library.
pub(super) fn least_squares<const K: usize>(
    rows: &[[f64; K]],
    observed: &[f64],
) -> Option<[f64; K]> {
    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
    let kept: Vec<(usize, Vec<f64>)> = (0..K)
        .map(|k| (k, column(k)))
        .filter(|(_, column)| column.iter().any(|&a| a * a > 0.0))
        .collect();
    if rows.is_empty() || rows.len() < kept.len() {
        return None;
    }
    let columns: Vec<&[f64]> = kept.iter().map(|(_, column)| column.as_slice()).collect();
    // Components that rounding errors alone can cause count as zero.
    let solve =
        |right: &[f64]| numeric::least_squares(&columns, right, f64::EPSILON * rows.len() as f64);
    let mut values = [0.0; K];
    kept.iter().zip(solve(observed)?).for_each(|((k, _), value)| values[*k] = value);
    // One step of iterative refinement recovers digits where columns are nearly dependent.
    let residuals: Vec<f64> = rows
        .iter()
        .zip(observed)
        .map(|(row, y)| y - row.iter().zip(values).map(|(a, x)| a * x).sum::<f64>())
        .collect();
    kept.iter().zip(solve(&residuals)?).for_each(|((k, _), step)| values[*k] += step);
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

//! Least squares with few columns, for the many candidate formulas.

/// The largest number of columns: four products and the constant.
pub(super) const MAX_COLUMNS: usize = 5;

/// The squared residual of least squares on these columns, the last of which is the constant.
///
/// It is infinite if a coefficient other than the constant is not positive. A negative constant is set to 0.
pub(super) fn residual(columns: &[&[f64]], target: &[f64]) -> f64 {
    if let [column, constant] = columns {
        return residual_of_two(column, constant, target);
    }
    let count = columns.len();
    let mut matrix = [[0.0; MAX_COLUMNS + 1]; MAX_COLUMNS];
    for (k, column) in columns.iter().enumerate() {
        for (l, other) in columns.iter().enumerate().take(k + 1) {
            let product = dot(column, other);
            (matrix[k][l], matrix[l][k]) = (product, product);
        }
        matrix[k][MAX_COLUMNS] = dot(column, target);
    }
    let solved = solve(&matrix, count);
    let positive = |x: &[f64; MAX_COLUMNS], count: usize| x[..count].iter().all(|&x| x > 0.0);
    let squared_residual = |x: &[f64; MAX_COLUMNS], count: usize| {
        // The residual is summed over the rows, because a difference of nearly equal sums of squares is inaccurate.
        let row = |e: usize| (0..count).map(|k| columns[k][e] * x[k]).sum::<f64>() - target[e];
        (0..target.len()).map(|e| row(e).powi(2)).sum()
    };
    match solved {
        Some(x) if positive(&x, count) => squared_residual(&x, count),
        Some(x) if x[count - 1] <= 0.0 && count > 1 => match solve(&matrix, count - 1) {
            Some(x) if positive(&x, count - 1) => squared_residual(&x, count - 1),
            _ => f64::INFINITY,
        },
        _ => f64::INFINITY,
    }
}

/// The squared residual for one column and the constant, the most frequent case; see [`residual`].
fn residual_of_two(column: &[f64], constant: &[f64], target: &[f64]) -> f64 {
    let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ((a, b), y) in column.iter().zip(constant).zip(target) {
        (aa, ab, bb, ay, by) = (aa + a * a, ab + a * b, bb + b * b, ay + a * y, by + b * y);
    }
    let determinant = aa * bb - ab * ab;
    if determinant.is_nan() || determinant <= 1e-12 * aa * bb {
        return f64::INFINITY;
    }
    let (mut x, mut rest) = ((ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant);
    if rest <= 0.0 {
        (x, rest) = (ay / aa, 0.0);
    }
    if x <= 0.0 {
        return f64::INFINITY;
    }
    column.iter().zip(constant).zip(target).map(|((a, b), y)| (a * x + b * rest - y).powi(2)).sum()
}

/// Solves the scaled normal equations by Gaussian elimination; `None` if they are singular.
fn solve(matrix: &[[f64; MAX_COLUMNS + 1]; MAX_COLUMNS], count: usize) -> Option<[f64; MAX_COLUMNS]> {
    let mut a = *matrix;
    let mut scales = [0.0; MAX_COLUMNS];
    for k in 0..count {
        scales[k] = a[k][k].sqrt();
    }
    for k in 0..count {
        for l in 0..count {
            a[k][l] /= scales[k] * scales[l];
        }
        a[k][MAX_COLUMNS] /= scales[k];
    }
    for k in 0..count {
        if a[k][k].is_nan() || a[k][k] < 1e-12 {
            return None;
        }
        for row in k + 1..count {
            let share = a[row][k] / a[k][k];
            let pivot = a[k];
            a[row].iter_mut().zip(pivot).skip(k).for_each(|(entry, above)| *entry -= share * above);
        }
    }
    let mut x = [0.0; MAX_COLUMNS];
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|l| a[k][l] * x[l]).sum();
        x[k] = (a[k][MAX_COLUMNS] - known) / a[k][k];
    }
    (0..count).for_each(|k| x[k] /= scales[k]);
    Some(x)
}

/// The scalar product.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

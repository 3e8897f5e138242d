/// Least squares with few dense columns: returns the x that minimise ‖Σ_k x_k·a_k − y‖², where y is
/// `target`; `None` if a column depends on those before it.
///
/// A unit column depends on others if its component orthogonal to them is shorter than
/// `min_orthogonal_length`. The solver is Gram–Schmidt orthogonalisation with a second pass, which
/// is as accurate as Householder QR. Source: Björck, "Numerical methods for least squares problems"
/// (1996), section 2.4.
pub fn least_squares(
    columns: &[&[f64]],
    target: &[f64],
    min_orthogonal_length: f64,
) -> Option<Vec<f64>> {
    let count = columns.len();
    // Columns have unit length, because powers of a size differ by many orders of magnitude.
    let scales: Vec<f64> = columns.iter().map(|column| length(column)).collect();
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(count);
    let mut upper = vec![vec![0.0; count]; count];
    for (place, column) in columns.iter().enumerate() {
        let mut column: Vec<f64> = column.iter().map(|a| a / scales[place]).collect();
        // The second pass removes the rounding errors of the first.
        for _ in 0..2 {
            for (row, direction) in basis.iter().enumerate() {
                let share = dot(direction, &column);
                upper[row][place] += share;
                column.iter_mut().zip(direction).for_each(|(c, d)| *c -= share * d);
            }
        }
        let rest = length(&column);
        if rest < min_orthogonal_length {
            return None;
        }
        upper[place][place] = rest;
        column.iter_mut().for_each(|c| *c /= rest);
        basis.push(column);
    }
    // Each component is taken from the residual of those before, which loses fewer digits than
    // taking all from the target.
    let mut residual = target.to_vec();
    let mut x = vec![0.0; count];
    for (place, direction) in basis.iter().enumerate() {
        x[place] = dot(direction, &residual);
        residual.iter_mut().zip(direction).for_each(|(r, d)| *r -= x[place] * d);
    }
    // R·x = Qᵀ·y by back substitution.
    for place in (0..count).rev() {
        let known: f64 = (place + 1..count).map(|later| upper[place][later] * x[later]).sum();
        x[place] = (x[place] - known) / upper[place][place];
    }
    Some(x.iter().zip(&scales).map(|(x, scale)| x / scale).collect())
}

/// Returns the Euclidean length of a vector.
pub(super) fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Returns the scalar product of two vectors.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A column whose part outside those already taken is below this share of it is a combination of them.
const DEPENDENT: f64 = 1e-9;

/// A gradient below this, for columns and a target of unit length, is rounding.
const FLAT: f64 = 1e-12;

/// Dense non-negative least squares: minimise ‖Σ_k x_k·a_k − y‖² over x ≥ 0, for few unknowns.
///
/// `columns` are the a_k, as long as `target`, y. Columns that are combinations of others are left at zero, the last ones
/// first, so that the order of columns is an order of preference. Source: Lawson, Hanson, "Solving least squares
/// problems" (1974), chapter 23, with an orthogonal basis of the columns that are free.
///
/// ```
/// use orrery::numeric::nonnegative_least_squares;
/// let (ones, rising) = ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]);
/// let x = nonnegative_least_squares(&[&ones, &rising], &[3.0, 5.0, 7.0]);
/// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
/// let falling = nonnegative_least_squares(&[&ones, &rising], &[3.0, 2.0, 1.0]);
/// assert!((falling[0] - 2.0).abs() < 1e-12 && falling[1] == 0.0);
/// ```
pub fn nonnegative_least_squares<C: AsRef<[f64]>>(columns: &[C], target: &[f64]) -> Vec<f64> {
    nonnegative_from(columns, target, &[])
}

/// The same, beginning with the unknowns that are positive in the solution of a similar problem.
pub(super) fn nonnegative_from<C: AsRef<[f64]>>(columns: &[C], target: &[f64], similar: &[f64]) -> Vec<f64> {
    let length = |column: &[f64]| column.iter().map(|a| a * a).sum::<f64>().sqrt();
    let scales: Vec<f64> = columns.iter().map(|column| length(column.as_ref())).collect();
    let whole = length(target);
    let mut free: Vec<usize> = Vec::new();
    let mut refused = vec![false; columns.len()];
    let mut x = vec![0.0; columns.len()];
    let begin: Vec<usize> = (0..similar.len()).filter(|&k| similar[k] > 0.0).collect();
    if let Some(start) = unconstrained(columns, &scales, &begin, target).filter(|x| x.iter().all(|&x| x > 0.0)) {
        begin.iter().zip(start).for_each(|(&k, value)| x[k] = value);
        free = begin;
    }
    let mut residual = rest(columns, &x, target);
    // Each round admits one column or refuses it; Lawson and Hanson end after some multiple of the number of unknowns.
    for _ in 0..(10 * columns.len()) {
        let gradient = |k: usize| dot(columns[k].as_ref(), &residual) / scales[k];
        let open = (0..columns.len()).filter(|k| !free.contains(k) && !refused[*k] && scales[*k] > 0.0);
        let steepest = open.map(|k| (k, gradient(k))).fold(None, |best: Option<(usize, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        });
        let Some((entering, _)) = steepest.filter(|(_, gradient)| *gradient > FLAT * whole) else { break };
        free.push(entering);
        free.sort_unstable();
        let mut first = true;
        loop {
            let Some(candidate) = unconstrained(columns, &scales, &free, target) else {
                free.retain(|&k| k != entering);
                refused[entering] = true;
                break;
            };
            let value = |k: usize| free.iter().position(|&f| f == k).map_or(0.0, |place| candidate[place]);
            if first && value(entering) <= 0.0 {
                free.retain(|&k| k != entering);
                refused[entering] = true;
                break;
            }
            first = false;
            if candidate.iter().all(|&value| value > 0.0) {
                x.fill(0.0);
                free.iter().zip(&candidate).for_each(|(&k, &value)| x[k] = value);
                refused.fill(false);
                break;
            }
            // As far towards the candidate as nothing turns negative; what reaches zero stays there.
            let step = free.iter().zip(&candidate).filter(|(_, new)| **new <= 0.0);
            let step = step.map(|(&k, &new)| x[k] / (x[k] - new)).fold(1.0, f64::min);
            for (&k, &new) in free.iter().zip(&candidate) {
                x[k] += step * (new - x[k]);
            }
            free.retain(|&k| x[k] > 1e-15 * whole / scales[k]);
        }
        residual = rest(columns, &x, target);
    }
    x
}

/// What x leaves of the target.
fn rest<C: AsRef<[f64]>>(columns: &[C], x: &[f64], target: &[f64]) -> Vec<f64> {
    let mut residual = target.to_vec();
    for (column, &value) in columns.iter().zip(x).filter(|(_, value)| **value > 0.0) {
        residual.iter_mut().zip(column.as_ref()).for_each(|(r, a)| *r -= a * value);
    }
    residual
}

/// Least squares with the columns `free` alone; `None` when one of them is a combination of those before it.
fn unconstrained<C: AsRef<[f64]>>(columns: &[C], scales: &[f64], free: &[usize], target: &[f64]) -> Option<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(free.len());
    let mut upper = vec![vec![0.0; free.len()]; free.len()];
    for (place, &k) in free.iter().enumerate() {
        let mut column: Vec<f64> = columns[k].as_ref().iter().map(|a| a / scales[k]).collect();
        // Twice is enough: the second pass takes out what rounding left in the first.
        for _ in 0..2 {
            for (row, direction) in basis.iter().enumerate() {
                let share = dot(direction, &column);
                upper[row][place] += share;
                column.iter_mut().zip(direction).for_each(|(c, d)| *c -= share * d);
            }
        }
        let rest = dot(&column, &column).sqrt();
        if rest < DEPENDENT {
            return None;
        }
        upper[place][place] = rest;
        column.iter_mut().for_each(|c| *c /= rest);
        basis.push(column);
    }
    let mut residual = target.to_vec();
    let mut x = vec![0.0; free.len()];
    for (place, direction) in basis.iter().enumerate() {
        x[place] = dot(direction, &residual);
        residual.iter_mut().zip(direction).for_each(|(r, d)| *r -= x[place] * d);
    }
    for place in (0..free.len()).rev() {
        let known: f64 = (place + 1..free.len()).map(|later| upper[place][later] * x[later]).sum();
        x[place] = (x[place] - known) / upper[place][place];
    }
    Some(x.iter().zip(free).map(|(x, &k)| x / scales[k]).collect())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! Least squares with few columns, for the many candidate formulas.

use super::score::information;

/// The solution of a least squares problem.
pub(super) struct Solution {
    /// The squared residual.
    pub(super) residual: f64,
    /// The coefficients of the columns. All are above 0, but that of the first column, the
    /// constant, may be 0.
    pub(super) coefficients: Vec<f64>,
    /// The information on each coefficient above 0.
    pub(super) information: Vec<f64>,
}

/// Least squares on these columns, the first of which is the constant; `None` if a coefficient
/// other than the constant is not positive, or the columns depend on each other.
///
/// A negative constant is set to 0.
pub(super) fn solve(columns: &[&[f64]], target: &[f64]) -> Option<Solution> {
    let with_constant = Basis::of(columns, target)?;
    let mut coefficients = with_constant.coefficients();
    let (mut residual, mut information) = (with_constant.square, with_constant.information);
    if coefficients[0] <= 0.0 && columns.len() > 1 {
        let rest = Basis::of(&columns[1..], target)?;
        coefficients = std::iter::once(0.0).chain(rest.coefficients()).collect();
        (residual, information) = (rest.square, rest.information);
    }
    let positive = coefficients[1..].iter().all(|&x| x > 0.0);
    positive.then_some(Solution { residual, coefficients, information })
}

/// A unit column whose component orthogonal to the others is shorter than this depends on them.
const MIN_ORTHOGONAL_LENGTH: f64 = 1e-7;

/// The share of a column's length that is left after a pass above which a second pass changes
/// nothing.
const MAX_CANCELLATION: f64 = 0.7;

/// An orthonormal basis of columns, and a target's component orthogonal to it.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    directions: Vec<Vec<f64>>,
    /// The upper triangular matrix R of the columns, by column.
    upper: Vec<Vec<f64>>,
    /// The target's components along the directions.
    components: Vec<f64>,
    /// The target's component orthogonal to all directions.
    residual: Vec<f64>,
    /// The square of the length of `residual`.
    square: f64,
    /// The information on the coefficient of each column.
    information: Vec<f64>,
}

/// The reciprocal of the largest coefficient of a column: at 1/reach the column is as large as the
/// target in a row.
pub(super) fn reach(column: &[f64], target: &[f64]) -> f64 {
    column.iter().zip(target).fold(0.0, |most, (c, t)| most.max((c / t).abs()))
}

/// The effect of one more column.
pub(super) struct Extension {
    /// The squared residual.
    pub(super) residual: f64,
    /// The coefficient of the column.
    pub(super) coefficient: f64,
    /// The square of the length of the column's component orthogonal to the others.
    pub(super) orthogonal: f64,
    /// True if all coefficients are above 0, so that `residual` is that of the solution.
    pub(super) is_positive: bool,
}

impl Basis {
    /// The basis of these columns; `None` if they depend on each other.
    pub(super) fn of(columns: &[&[f64]], target: &[f64]) -> Option<Self> {
        let mut basis = Self {
            directions: Vec::with_capacity(columns.len()),
            upper: Vec::with_capacity(columns.len()),
            components: Vec::with_capacity(columns.len()),
            residual: target.to_vec(),
            square: dot(target, target),
            information: Vec::with_capacity(columns.len()),
        };
        columns.iter().all(|column| basis.push(column, reach(column, target))).then_some(basis)
    }

    /// This basis with one more column of this reach; `None` if it depends on the others.
    pub(super) fn extended(&self, column: &[f64], reach: f64) -> Option<Self> {
        let mut basis = self.clone();
        basis.push(column, reach).then_some(basis)
    }

    /// Adds a column; returns false if it depends on the others.
    fn push(&mut self, column: &[f64], reach: f64) -> bool {
        let length = dot(column, column).sqrt();
        let mut rest: Vec<f64> = column.to_vec();
        let mut upper = vec![0.0; self.directions.len()];
        let mut before = length;
        let mut orthogonal = length;
        // A second pass of the Gram-Schmidt process removes the rounding errors of the first where
        // much cancelled.
        for _ in 0..2 {
            for (direction, upper) in self.directions.iter().zip(&mut upper) {
                let share = dot(direction, &rest);
                *upper += share;
                rest.iter_mut().zip(direction).for_each(|(r, d)| *r -= share * d);
            }
            orthogonal = dot(&rest, &rest).sqrt();
            if orthogonal > MAX_CANCELLATION * before {
                break;
            }
            before = orthogonal;
        }
        if !orthogonal.is_finite() || orthogonal <= MIN_ORTHOGONAL_LENGTH * length {
            return false;
        }
        upper.push(orthogonal);
        rest.iter_mut().for_each(|r| *r /= orthogonal);
        let component = dot(&rest, &self.residual);
        self.residual.iter_mut().zip(&rest).for_each(|(r, d)| *r -= component * d);
        self.directions.push(rest);
        self.upper.push(upper);
        self.components.push(component);
        self.square = dot(&self.residual, &self.residual);
        self.information.push(information((orthogonal / reach).powi(2)));
        true
    }

    /// The information on the coefficient of each column.
    pub(super) fn information(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.information.iter().copied()
    }

    /// The squared residual.
    pub(super) fn square(&self) -> f64 {
        self.square
    }

    /// The effect of one more column; `None` if its coefficient would not be positive.
    pub(super) fn extension(&self, column: &[f64]) -> Option<Extension> {
        let product = dot(column, &self.residual);
        if product <= 0.0 {
            return None;
        }
        let whole = dot(column, column);
        let mut shares = [0.0; MAX_COLUMNS];
        let mut orthogonal = whole;
        for (direction, share) in self.directions.iter().zip(&mut shares) {
            *share = dot(direction, column);
            orthogonal -= *share * *share;
        }
        if orthogonal.is_nan() || orthogonal <= MIN_ORTHOGONAL_LENGTH * whole {
            return None;
        }
        let coefficient = product / orthogonal;
        let mut rest = shares;
        rest.iter_mut()
            .zip(&self.components)
            .for_each(|(share, component)| *share = component - coefficient * *share);
        let is_positive = self.back_substitute(&mut rest[..self.components.len()]);
        let residual = (self.square - product * coefficient).max(0.0);
        Some(Extension { residual, coefficient, orthogonal, is_positive })
    }

    /// The coefficients of the columns.
    pub(super) fn coefficients(&self) -> Vec<f64> {
        let mut x = self.components.clone();
        self.back_substitute(&mut x);
        x
    }

    /// Turns components along the directions into coefficients of the columns; returns true if all
    /// are above 0.
    fn back_substitute(&self, x: &mut [f64]) -> bool {
        for place in (0..x.len()).rev() {
            let known: f64 =
                (place + 1..x.len()).map(|later| self.upper[later][place] * x[later]).sum();
            x[place] = (x[place] - known) / self.upper[place][place];
        }
        x.iter().all(|&x| x > 0.0)
    }
}

/// The largest number of columns of a basis.
pub(super) const MAX_COLUMNS: usize = 8;

/// The scalar product, in several sums that the processor adds at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.0.iter().zip(b.0) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + a.1.iter().zip(b.1).map(|(a, b)| a * b).sum::<f64>()
}

/// The number of sums of a scalar product.
const LANES: usize = 4;

/// A symmetric matrix of a few rows: correlations or covariances of the parameters of one place.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricMatrix {
    rows: usize,
    /// The entries 0-0, 1-0, 1-1, 2-0, …
    lower: Vec<f64>,
}

/// A lower triangular matrix, stored like a [`SymmetricMatrix`].
#[derive(Debug, Clone, PartialEq)]
pub struct LowerTriangle(SymmetricMatrix);

impl SymmetricMatrix {
    /// The matrix with these entries, each of a row and a column that is at most the row.
    pub fn from_lower(rows: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let entry = &entry;
        Self {
            rows,
            lower: (0..rows)
                .flat_map(|row| (0..=row).map(move |column| entry(row, column)))
                .collect(),
        }
    }

    /// The entry of a row and a column that is at most the row.
    pub fn lower(&self, row: usize, column: usize) -> f64 {
        self.lower[row * (row + 1) / 2 + column]
    }

    /// Returns uᵀ·A·u.
    pub fn quadratic(&self, u: &[f64]) -> f64 {
        let product = |row: usize| -> f64 {
            (0..self.rows)
                .map(|column| self.lower(row.max(column), row.min(column)) * u[column])
                .sum()
        };
        (0..self.rows).map(|row| product(row) * u[row]).sum()
    }

    /// The Cholesky factor L with A = L·Lᵀ; that of the diagonal if A is not positive definite.
    ///
    /// Source: Golub, Van Loan, "Matrix computations", section 4.2.
    pub fn root(&self) -> LowerTriangle {
        self.cholesky(0.0).unwrap_or_else(|_| {
            let root = |row, column| {
                if row == column { self.lower(row, row).max(0.0).sqrt() } else { 0.0 }
            };
            LowerTriangle(Self::from_lower(self.rows, root))
        })
    }

    /// The Cholesky factor L with A = L·Lᵀ; each pivot must be larger than `tolerance` times its
    /// diagonal entry.
    ///
    /// # Errors
    ///
    /// The first row whose pivot is too small.
    pub fn cholesky(&self, tolerance: f64) -> Result<LowerTriangle, usize> {
        let mut factor = Self { rows: self.rows, lower: Vec::with_capacity(self.lower.len()) };
        for row in 0..self.rows {
            for column in 0..=row {
                // The entries of both rows before the column are known.
                let before = (0..column)
                    .map(|k| factor.lower(row, k) * factor.lower(column, k))
                    .sum::<f64>();
                let rest = self.lower(row, column) - before;
                factor.lower.push(match column {
                    _ if column < row => rest / factor.lower(column, column),
                    _ if rest > tolerance * self.lower(row, row) => rest.sqrt(),
                    _ => return Err(row),
                });
            }
        }
        Ok(LowerTriangle(factor))
    }
}

impl LowerTriangle {
    /// Returns L·x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let product =
            |row: usize| (0..=row).map(|column| self.0.lower(row, column) * x[column]).sum();
        (0..self.0.rows).map(product).collect()
    }

    /// Solves L·Lᵀ·x = b by forward and back substitution.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for row in 0..self.0.rows {
            let known: f64 = (0..row).map(|k| self.0.lower(row, k) * x[k]).sum();
            x[row] = (x[row] - known) / self.0.lower(row, row);
        }
        for row in (0..self.0.rows).rev() {
            let known: f64 = (row + 1..self.0.rows).map(|k| self.0.lower(k, row) * x[k]).sum();
            x[row] = (x[row] - known) / self.0.lower(row, row);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;

    fn matrix(entries: [f64; 6]) -> (SymmetricMatrix, DMatrix<f64>) {
        let entry = |row: usize, column: usize| entries[row * (row + 1) / 2 + column];
        let whole = DMatrix::from_fn(3, 3, |row, column| entry(row.max(column), row.min(column)));
        (SymmetricMatrix::from_lower(3, entry), whole)
    }

    #[test]
    fn forms_and_roots_are_those_of_a_library() {
        let (own, whole) = matrix([2.0, 0.5, 1.0, -0.3, 0.4, 0.9]);
        let u = [1.0, -2.0, 0.5];
        let vector = DVector::from_column_slice(&u);
        assert!((own.quadratic(&u) - vector.dot(&(&whole * &vector))).abs() < 1e-12);
        let of_library = whole.cholesky().expect("the matrix is positive definite");
        let solved = (own.root().solve(&u), of_library.solve(&vector));
        let product = (own.root().times(&u), of_library.l() * vector);
        for (own, expected) in [solved, product] {
            for (own, expected) in own.iter().zip(&expected) {
                assert!((own - expected).abs() < 1e-12, "{own}, {expected}");
            }
        }
    }

    #[test]
    fn without_a_root_the_diagonal_counts() {
        let (own, _) = matrix([4.0, 9.0, 1.0, 0.0, 0.0, -1.0]);
        assert_eq!(own.cholesky(0.0), Err(1));
        assert_eq!(own.root().times(&[1.0, 1.0, 1.0]), [2.0, 1.0, 0.0]);
        assert!(SymmetricMatrix::from_lower(0, |_, _| 1.0).quadratic(&[]).abs() <= 0.0);
    }
}

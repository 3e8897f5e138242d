//! The operands of a routine: their elements before a call, and the check of its result.

use crate::calls::{self, Comm, Context, MpiError, Reduction, SystemHandle};
use crate::case::{Case, Routine};
use crate::matrix::{Matrix, noise, zeros};

/// The number of A for [`noise`].
const A: u64 = 0;
/// The number of B.
const B: u64 = 1;
/// The number of C.
const C: u64 = 2;

/// The largest error of an element of a product, for each addend.
const PRODUCT_ERROR: f64 = 1e-14;
/// The largest relative error of an element of the solution of a well-conditioned system.
const SOLUTION_ERROR: f64 = 1e-9;
/// The largest relative error of an element of the solution with the factors of a random matrix.
const RANDOM_SOLUTION_ERROR: f64 = 1e-4;
/// The largest relative error of a norm.
const NORM_ERROR: f64 = 1e-10;

/// The grids of a case.
#[derive(Debug)]
pub(crate) struct Grids {
    /// The grid of the operands.
    from: Context,
    /// The grid of the copy, and that of all processes of a redistribution.
    redistribution: Option<(Context, Context)>,
}

impl Grids {
    /// Makes the grids of a case; all ranks of the communicator, which are the first ones, must
    /// call this.
    ///
    /// # Errors
    ///
    /// When BLACS does not make a grid.
    pub fn new(case: &Case, system: &SystemHandle<'_>) -> Result<Self, String> {
        let from = Context::new(system, case.grid.shape())?;
        let redistribution = match case.to {
            Some(to) => {
                let processes = case.processes() as i32;
                Some((Context::new(system, to.shape())?, Context::new(system, (1, processes))?))
            }
            None => None,
        };
        Ok(Self { from, redistribution })
    }
}

/// The matrices and arrays of a call on this process.
#[derive(Debug)]
pub(crate) struct Operands<'a> {
    case: Case,
    grids: &'a Grids,
    a: Matrix,
    /// B of products, the right-hand sides of solves and of the checks of factorisations, the copy
    /// of a redistribution.
    b: Matrix,
    /// C of products.
    c: Matrix,
    pivots: Vec<i32>,
    tau: Vec<f64>,
    work: Vec<f64>,
    /// Sums of the local rows of op(A), or columns where it is on the right: right-hand sides with
    /// a known solution.
    sums: Vec<f64>,
}

impl<'a> Operands<'a> {
    /// Allocates the operands of a case.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    pub fn new(case: Case, grids: &'a Grids) -> Result<Self, String> {
        let [a, b, c] = shapes(&case);
        let of = |shape| Matrix::new(&grids.from, shape, case.block);
        let (a, c) = (of(a)?, of(c)?);
        let b = match &grids.redistribution {
            Some((to, _)) => Matrix::new(to, b, case.block)?,
            None => of(b)?,
        };
        let mut operands = Self {
            case,
            grids,
            a,
            b,
            c,
            pivots: Vec::new(),
            tau: Vec::new(),
            work: Vec::new(),
            sums: Vec::new(),
        };
        match case.routine {
            Routine::Getrf => {
                operands.pivots = vec![0; operands.a.local_rows().max(1) + case.block as usize];
            }
            Routine::Geqrf => operands.prepare_geqrf()?,
            _ => {}
        }
        operands.sums = operands.right_hand_sums();
        Ok(operands)
    }

    /// Allocates the arrays of pdgeqrf, which returns the size of its work space.
    fn prepare_geqrf(&mut self) -> Result<(), String> {
        self.tau = zeros(self.a.local_columns().max(1))?;
        info("pdgeqrf", calls::pdgeqrf(&mut self.a.operand(), &mut self.tau, &mut self.work))?;
        self.work = zeros((self.work[0] as usize).max(1))?;
        Ok(())
    }

    /// The sums of op(A) that make right-hand sides.
    fn right_hand_sums(&self) -> Vec<f64> {
        let order = u64::from(self.order().unsigned_abs());
        let sum_of_row = |row: u64| (0..order).map(|k| self.element_of_a(row, k)).sum();
        let sum_of_column = |column: u64| (0..order).map(|k| self.element_of_a(k, column)).sum();
        match self.case.routine {
            Routine::Trsm if self.is_right() => {
                self.b.columns().into_iter().map(sum_of_column).collect()
            }
            Routine::Trsm | Routine::Potrf => self.b.rows().into_iter().map(sum_of_row).collect(),
            Routine::Getrf if self.is_square() => {
                self.b.rows().into_iter().map(sum_of_row).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The order of the square matrix of a solve.
    fn order(&self) -> i32 {
        let [m, n, _] = self.case.dimensions;
        if self.case.routine == Routine::Trsm && !self.is_right() { m } else { n }
    }

    fn is_right(&self) -> bool {
        self.case.routine == Routine::Trsm && self.case.variant.starts_with('r')
    }

    fn is_square(&self) -> bool {
        self.case.dimensions[0] == self.case.dimensions[1]
    }

    /// The element of op(A) of a product or of a solve; 0 in the other triangle.
    fn element_of_a(&self, row: u64, column: u64) -> f64 {
        let off_diagonal = 1.0 / f64::from(self.order());
        match self.case.routine {
            Routine::Gemm if self.case.variant.starts_with('t') => noise(column, row, A),
            Routine::Syrk if self.case.variant.ends_with('t') => noise(column, row, A),
            Routine::Trsm => {
                let is_transposed = self.case.variant.ends_with('t');
                let (row, column) = if is_transposed { (column, row) } else { (row, column) };
                let is_lower = self.case.variant.as_bytes()[1] == b'l';
                match row.cmp(&column) {
                    std::cmp::Ordering::Equal => 2.0,
                    std::cmp::Ordering::Greater if is_lower => noise(row, column, A) * off_diagonal,
                    std::cmp::Ordering::Less if !is_lower => noise(row, column, A) * off_diagonal,
                    _ => 0.0,
                }
            }
            Routine::Potrf if row == column => 2.0,
            Routine::Potrf => noise(row.min(column), row.max(column), A) * off_diagonal,
            _ => noise(row, column, A),
        }
    }

    /// The known solution of a solve with several right-hand sides, by the index of the right-hand
    /// side.
    fn solution(side: u64) -> f64 {
        1.0 + (side % 7) as f64
    }

    /// Sets the operands to what they are before a call.
    pub fn fill(&mut self) {
        let case = self.case;
        match case.routine {
            Routine::Trsm => {
                let off_diagonal = 1.0 / f64::from(self.order());
                self.a.fill(
                    |row, column| {
                        if row == column { 2.0 } else { noise(row, column, A) * off_diagonal }
                    },
                );
            }
            Routine::Potrf => {
                let off_diagonal = 1.0 / f64::from(self.order());
                self.a.fill(|row, column| {
                    if row == column {
                        2.0
                    } else {
                        noise(row.min(column), row.max(column), A) * off_diagonal
                    }
                });
            }
            _ => self.a.fill(|row, column| noise(row, column, A)),
        }
        match case.routine {
            Routine::Gemm => self.b.fill(|row, column| noise(row, column, B)),
            Routine::Trsm if self.is_right() => {
                let sums = by_index(&self.b.columns(), &self.sums);
                self.b.fill(|row, column| Self::solution(row) * sums(column));
            }
            Routine::Trsm => {
                let sums = by_index(&self.b.rows(), &self.sums);
                self.b.fill(|row, column| Self::solution(column) * sums(row));
            }
            Routine::Getrf | Routine::Potrf if !self.sums.is_empty() => {
                let sums = by_index(&self.b.rows(), &self.sums);
                self.b.fill(|row, _| sums(row));
            }
            _ => self.b.fill(|_, _| 0.0),
        }
        self.c.fill(|row, column| noise(row, column, C));
    }

    /// Calls the routine; this is what is timed.
    ///
    /// # Errors
    ///
    /// When the routine returns a reason in `info`.
    pub fn call(&mut self) -> Result<(), String> {
        let case = self.case;
        let k = case.dimensions[2];
        match case.routine {
            Routine::Gemm => {
                calls::pdgemm(
                    case.letters(),
                    k,
                    &self.a.operand(),
                    &self.b.operand(),
                    &mut self.c.operand(),
                );
            }
            Routine::Trsm => {
                calls::pdtrsm(case.letters(), &self.a.operand(), &mut self.b.operand());
            }
            Routine::Syrk => {
                calls::pdsyrk(case.letters(), k, &self.a.operand(), &mut self.c.operand());
            }
            Routine::Getrf => {
                return info("pdgetrf", calls::pdgetrf(&mut self.a.operand(), &mut self.pivots));
            }
            Routine::Potrf => {
                return info(
                    "pdpotrf",
                    calls::pdpotrf(case.letters::<1>()[0], &mut self.a.operand()),
                );
            }
            Routine::Geqrf => {
                return info(
                    "pdgeqrf",
                    calls::pdgeqrf(&mut self.a.operand(), &mut self.tau, &mut self.work),
                );
            }
            Routine::Gemr2d => {
                if let Some((_, all)) = &self.grids.redistribution {
                    calls::pdgemr2d(&self.a.operand(), &mut self.b.operand(), all);
                }
            }
        }
        Ok(())
    }

    /// Checks the result of a call; all ranks of the communicator must call this. Factorisations
    /// are checked by a solve, which changes B.
    pub fn check(&mut self, comm: &Comm) -> Result<Result<(), String>, MpiError> {
        let case = self.case;
        Ok(match case.routine {
            Routine::Gemm | Routine::Syrk => self.check_product(),
            Routine::Trsm if self.is_right() => {
                check_all(&self.b, SOLUTION_ERROR, |row, _| Self::solution(row))
            }
            Routine::Trsm => check_all(&self.b, SOLUTION_ERROR, |_, column| Self::solution(column)),
            Routine::Getrf if self.is_square() => {
                let status = calls::pdgetrs(&self.a.operand(), &self.pivots, &mut self.b.operand());
                info("pdgetrs", status)
                    .and_then(|()| check_all(&self.b, RANDOM_SOLUTION_ERROR, |_, _| 1.0))
            }
            Routine::Getrf => check_finite(&self.a),
            Routine::Potrf => {
                let status = calls::pdpotrs(
                    case.letters::<1>()[0],
                    &self.a.operand(),
                    &mut self.b.operand(),
                );
                info("pdpotrs", status)
                    .and_then(|()| check_all(&self.b, SOLUTION_ERROR, |_, _| 1.0))
            }
            Routine::Geqrf => return self.check_norm(comm),
            Routine::Gemr2d => check_all(&self.b, 0.0, |row, column| noise(row, column, A)),
        })
    }

    /// Checks some elements of C, and that all are finite.
    fn check_product(&self) -> Result<(), String> {
        let [_, _, k] = self.case.dimensions;
        let is_symmetric = self.case.routine == Routine::Syrk;
        let count = self.c.local_rows() * self.c.local_columns();
        let is_sampled = |place: usize| [0, count / 3, 2 * count / 3, count - 1].contains(&place);
        for (place, (row, column, found)) in self.c.iter().enumerate() {
            let is_unchanged = is_symmetric
                && if self.case.variant.starts_with('l') { row < column } else { row > column };
            if is_sampled(place) {
                let transposed_b = self.case.variant.ends_with('t');
                let b = |k: u64| match (is_symmetric, transposed_b) {
                    (true, _) => self.element_of_a(column, k),
                    (false, true) => noise(column, k, B),
                    (false, false) => noise(k, column, B),
                };
                let product: f64 = (0..k as u64).map(|k| self.element_of_a(row, k) * b(k)).sum();
                let expected = noise(row, column, C) + if is_unchanged { 0.0 } else { product };
                compare((row, column), found, expected, PRODUCT_ERROR * f64::from(k + 1))?;
            } else if !found.is_finite() {
                return Err(wrong((row, column), found, "a finite number"));
            }
        }
        Ok(())
    }

    /// Checks that the triangle R has the Frobenius norm of A.
    fn check_norm(&self, comm: &Comm) -> Result<Result<(), String>, MpiError> {
        let original: f64 =
            self.a.iter().map(|(row, column, _)| noise(row, column, A).powi(2)).sum();
        let triangle: f64 = self
            .a
            .iter()
            .filter(|(row, column, _)| row <= column)
            .map(|(_, _, value)| value.powi(2))
            .sum();
        let [original, triangle] = [
            comm.all_reduce(original, Reduction::Sum)?,
            comm.all_reduce(triangle, Reduction::Sum)?,
        ];
        if (triangle - original).abs() <= NORM_ERROR * original {
            return Ok(Ok(()));
        }
        let [original, triangle] = [original.sqrt(), triangle.sqrt()];
        Ok(Err(format!(
            "wrong result: the norm of R is {triangle} instead of {original}, that of A"
        )))
    }
}

/// The shapes of A, B and C; 1×1 where there is none.
pub(crate) fn shapes(case: &Case) -> [(i32, i32); 3] {
    let [m, n, k] = case.dimensions;
    let none = (1, 1);
    let transposed = |is_transposed: bool, (rows, columns)| {
        if is_transposed { (columns, rows) } else { (rows, columns) }
    };
    match case.routine {
        Routine::Gemm => {
            let [a, b] = case.letters().map(|letter| letter == b't');
            [transposed(a, (m, k)), transposed(b, (k, n)), (m, n)]
        }
        Routine::Trsm => {
            let order = if case.variant.starts_with('r') { n } else { m };
            [(order, order), (m, n), none]
        }
        Routine::Syrk => [transposed(case.variant.ends_with('t'), (n, k)), none, (n, n)],
        Routine::Getrf => [(m, n), (m, 1), none],
        Routine::Potrf => [(n, n), (n, 1), none],
        Routine::Geqrf => [(m, n), none, none],
        Routine::Gemr2d => [(m, n), (m, n), none],
    }
}

/// Values by indices in ascending order.
fn by_index<'a>(indices: &[u64], values: &'a [f64]) -> impl Fn(u64) -> f64 + use<'a> {
    let indices = indices.to_vec();
    move |index| indices.binary_search(&index).map_or(0.0, |place| values[place])
}

/// Checks all local elements of a matrix.
fn check_all(
    matrix: &Matrix,
    error: f64,
    expected: impl Fn(u64, u64) -> f64,
) -> Result<(), String> {
    matrix.iter().try_for_each(|(row, column, found)| {
        let expected = expected(row, column);
        compare((row, column), found, expected, error * expected.abs())
    })
}

/// Checks that all local elements of a matrix are finite.
fn check_finite(matrix: &Matrix) -> Result<(), String> {
    match matrix.iter().find(|(_, _, value)| !value.is_finite()) {
        Some((row, column, value)) => Err(wrong((row, column), value, "a finite number")),
        None => Ok(()),
    }
}

/// Checks an element.
fn compare(place: (u64, u64), found: f64, expected: f64, error: f64) -> Result<(), String> {
    // Comparisons with NaN are false.
    if (found - expected).abs() <= error {
        Ok(())
    } else {
        Err(wrong(place, found, &expected.to_string()))
    }
}

/// The error for a wrong element.
fn wrong((row, column): (u64, u64), found: f64, expected: &str) -> String {
    format!(
        "wrong result: the element in row {row} and column {column} is {found} instead of \
            {expected}"
    )
}

/// The error for a status other than 0.
fn info(routine: &str, status: i32) -> Result<(), String> {
    match status {
        0 => Ok(()),
        negative if negative < 0 => Err(format!("{routine} refuses an argument (info {negative})")),
        positive => Err(format!(
            "{routine} fails (info {positive}): the matrix is singular or not positive definite"
        )),
    }
}

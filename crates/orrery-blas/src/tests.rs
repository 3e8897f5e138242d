//! Results of all kernels, multiplied out by naive loops.

use num_complex::Complex;
use orrery::kernel::{Kernel, KernelCall, KernelRoutine, Precision};
use skip::skip;

use crate::element::{Element, Kernels};
use crate::library::LoadedLibrary;
use crate::operands::CallOperands;
use crate::rust::Loops;

#[path = "../../orrery/tests/common/skip.rs"]
mod skip;

type Number = Complex<f64>;

/// Dimensions below, at and beyond blocks, in each order of m, n and k.
const DIMENSIONS: [[u64; 3]; 7] =
    [[1, 1, 1], [2, 3, 1], [5, 4, 7], [32, 64, 33], [33, 100, 70], [131, 37, 66], [64, 70, 129]];

/// The absolute value, without a feature of the crate.
fn norm(number: Number) -> f64 {
    number.re.hypot(number.im)
}

/// A matrix as a function of row and column.
#[derive(Clone)]
struct Naive {
    rows: usize,
    columns: usize,
    data: Vec<Number>,
}

impl Naive {
    fn new(rows: usize, columns: usize, at: impl Fn(usize, usize) -> Number) -> Self {
        let places = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        Self { rows, columns, data: places.map(|(row, column)| at(row, column)).collect() }
    }

    fn stored<E: Element>(elements: &[E], rows: u64) -> Self {
        let rows = rows as usize;
        Self::new(rows, elements.len() / rows, |row, column| {
            let [real, imaginary] = elements[row + column * rows].parts();
            Number::new(real, imaginary)
        })
    }

    fn at(&self, row: usize, column: usize) -> Number {
        self.data[row + column * self.rows]
    }

    fn operand(&self, letter: char) -> Self {
        if letter == 't' {
            Self::new(self.columns, self.rows, |row, column| self.at(column, row))
        } else {
            self.clone()
        }
    }

    fn adjoint(&self) -> Self {
        Self::new(self.columns, self.rows, |row, column| self.at(column, row).conj())
    }

    /// The elements in a triangle, `l` or `u`, with or without the diagonal; 0 elsewhere.
    fn triangle(&self, letter: char, with_diagonal: bool) -> Self {
        let is_in = |row, column| if letter == 'l' { row > column } else { row < column };
        let is_in = |row, column| is_in(row, column) || with_diagonal && row == column;
        Self::new(self.rows, self.columns, |row, column| {
            if is_in(row, column) { self.at(row, column) } else { Number::ZERO }
        })
    }

    fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows);
        Self::new(self.rows, other.columns, |row, column| {
            (0..self.columns).map(|inner| self.at(row, inner) * other.at(inner, column)).sum()
        })
    }

    fn plus(&self, other: &Self) -> Self {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns));
        Self::new(self.rows, self.columns, |row, column| {
            self.at(row, column) + other.at(row, column)
        })
    }

    /// The largest difference, relative to the largest element of the other.
    fn error(&self, expected: &Self) -> f64 {
        assert_eq!((self.rows, self.columns), (expected.rows, expected.columns));
        // The largest value, or one that is no number.
        let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
        let largest = |norms: &mut dyn Iterator<Item = f64>| norms.fold(0.0, larger);
        let difference =
            largest(&mut self.data.iter().zip(&expected.data).map(|(a, b)| norm(a - b)));
        difference / largest(&mut expected.data.iter().map(|number| norm(*number))).max(1.0)
    }

    /// L and U in one matrix.
    fn factors(&self) -> [Self; 2] {
        let order = self.rows.min(self.columns);
        let lower = Self::new(self.rows, order, |row, column| match row.cmp(&column) {
            std::cmp::Ordering::Less => Number::ZERO,
            std::cmp::Ordering::Equal => Number::ONE,
            std::cmp::Ordering::Greater => self.at(row, column),
        });
        let upper = Self::new(order, self.columns, |row, column| {
            if row <= column { self.at(row, column) } else { Number::ZERO }
        });
        [lower, upper]
    }

    /// The rows in the order in which they are nearest to those of the other.
    fn permuted_like(&self, other: &Self) -> Self {
        let distance = |row: usize, to: usize| -> f64 {
            (0..self.columns).map(|column| norm(self.at(row, column) - other.at(to, column))).sum()
        };
        let nearest = |to| {
            (0..self.rows).min_by(|a, b| distance(*a, to).total_cmp(&distance(*b, to))).unwrap()
        };
        let order: Vec<usize> = (0..self.rows).map(nearest).collect();
        assert!((0..self.rows).all(|row| order.contains(&row)), "{order:?}");
        Self::new(self.rows, self.columns, |row, column| self.at(order[row], column))
    }
}

/// The error of the result of a call.
fn error(call: &KernelCall, [a, b, before, after]: &[Naive; 4]) -> f64 {
    let letters: Vec<char> = call.variant().chars().collect();
    match call.kernel().routine {
        KernelRoutine::Gemm => {
            after.error(&before.plus(&a.operand(letters[0]).times(&b.operand(letters[1]))))
        }
        KernelRoutine::Trsm => {
            let triangle = a.triangle(letters[1], true).operand(letters[2]);
            let product =
                if letters[0] == 'l' { triangle.times(after) } else { after.times(&triangle) };
            product.error(before)
        }
        KernelRoutine::Syrk => {
            let a = a.operand(letters[1]);
            let expected = before.plus(&a.times(&a.operand('t'))).triangle(letters[0], true);
            expected.plus(&before.triangle(other(letters[0]), false)).error(after)
        }
        KernelRoutine::Gemv => after.error(&before.plus(&a.operand(letters[0]).times(b))),
        KernelRoutine::Trmm => {
            let triangle = a.triangle(letters[1], true).operand(letters[2]);
            after.error(&if letters[0] == 'l' {
                triangle.times(before)
            } else {
                before.times(&triangle)
            })
        }
        KernelRoutine::Ger => after.error(&before.plus(&a.times(&b.operand('t')))),
        KernelRoutine::Axpy | KernelRoutine::Add => after.error(&before.plus(a)),
        KernelRoutine::Potrf => {
            let factor = after.triangle(letters[0], true);
            let [lower, upper] = if letters[0] == 'l' {
                [&factor, &factor.adjoint()]
            } else {
                [&factor.adjoint(), &factor]
            };
            let rest = after
                .triangle(other(letters[0]), false)
                .error(&before.triangle(other(letters[0]), false));
            rest.max(lower.times(upper).error(before))
        }
        KernelRoutine::Getrf => {
            let [lower, upper] = after.factors();
            assert!(lower.data.iter().all(|factor| norm(*factor) < 1.5), "{call:?}: no pivots");
            let product = lower.times(&upper);
            product.error(&before.permuted_like(&product))
        }
    }
}

fn other(triangle: char) -> char {
    if triangle == 'l' { 'u' } else { 'l' }
}

/// The rows of the stored matrices A, B and C.
fn stored_rows(call: &KernelCall) -> [u64; 3] {
    let ([m, n, k], variant) = (call.dimensions(), call.variant());
    match call.kernel().routine {
        KernelRoutine::Gemm => [
            if variant.starts_with('n') { m } else { k },
            if variant.ends_with('n') { k } else { n },
            m,
        ],
        KernelRoutine::Trsm | KernelRoutine::Trmm => {
            [if variant.starts_with('l') { m } else { n }, 1, m]
        }
        KernelRoutine::Syrk => [if variant.ends_with('n') { n } else { k }, 1, n],
        KernelRoutine::Gemv if variant == "n" => [m, n, m],
        KernelRoutine::Gemv => [m, m, n],
        KernelRoutine::Ger => [m, n, m],
        KernelRoutine::Potrf => [1, 1, n],
        KernelRoutine::Axpy | KernelRoutine::Getrf | KernelRoutine::Add => [m, 1, m],
    }
}

/// Runs a call once and returns the error of its result.
fn error_of_call<E: Element>(kernels: &impl Kernels, call: &KernelCall) -> f64 {
    let mut prepared = kernels.prepare::<E>(call).unwrap();
    let mut operands = CallOperands::<E>::new(call, 1, 1).unwrap();
    let rows = stored_rows(call);
    let (a, b, c) = operands.get(0);
    let [a, b, before] =
        [Naive::stored(a, rows[0]), Naive::stored(b, rows[1]), Naive::stored(c, rows[2])];
    let (a_memory, b_memory, c_memory) = operands.get(0);
    assert_eq!((prepared.run)(a_memory, b_memory, c_memory), 0, "{call:?}");
    let after = Naive::stored(c_memory, rows[2]);
    error(call, &[a, b, before, after])
}

/// Checks all variants of these routines in all precisions.
fn check(kernels: &impl Kernels, has: impl Fn(KernelRoutine) -> bool) {
    let mut calls = 0;
    for kernel in Kernel::all().filter(|kernel| has(kernel.routine)) {
        for variant in kernel.routine.variants() {
            for dimensions in DIMENSIONS {
                let call = KernelCall::new(kernel, variant, dimensions).unwrap();
                let (error, bound) = match kernel.precision {
                    Precision::Single => (error_of_call::<f32>(kernels, &call), 1e-4),
                    Precision::Double => (error_of_call::<f64>(kernels, &call), 1e-12),
                    Precision::Complex => (error_of_call::<Complex<f32>>(kernels, &call), 1e-4),
                    Precision::DoubleComplex => {
                        (error_of_call::<Complex<f64>>(kernels, &call), 1e-12)
                    }
                };
                assert!(error < bound, "{kernel} {variant} {dimensions:?}: {error}");
                calls += 1;
            }
        }
    }
    assert!(calls > 100, "{calls} calls");
}

#[test]
fn kernels_in_rust_are_correct() {
    check(&Loops, |_| true);
}

#[test]
fn openblas_is_called_correctly() {
    match LoadedLibrary::open("libopenblas.so.0") {
        Ok(library) => check(&library, |_| true),
        Err(error) => skip(&error.to_string()),
    }
}

#[test]
fn blis_is_called_correctly() {
    let is_blas = |routine| !matches!(routine, KernelRoutine::Getrf | KernelRoutine::Potrf);
    match LoadedLibrary::open("libblis.so.4") {
        Ok(library) => check(&library, is_blas),
        Err(error) => skip(&error.to_string()),
    }
}

#[test]
fn a_matrix_without_factors_is_reported_by_its_place() {
    let run = |kernel: &str, variant: &str, matrix: &mut [f64]| {
        let call = KernelCall::new(kernel.parse().unwrap(), variant, [3, 3, 1]).unwrap();
        (Loops.prepare::<f64>(&call).unwrap().run)(&[], &[], matrix)
    };
    assert_eq!(run("dpotrf", "l", &mut [4.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0]), 2);
    assert_eq!(run("dpotrf", "u", &mut [4.0, 2.0, 0.0, 2.0, 9.0, 0.0, 0.0, 0.0, f64::NAN]), 3);
    assert_eq!(run("dgetrf", "", &mut [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, 1.0]), 2);
}

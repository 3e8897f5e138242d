//! Least squares: the conditions that characterise its solution, and another implementation as oracle.

use nalgebra::{DMatrix, DVector};
use orrery::numeric::{LeastSquares, Unidentified};
use proptest::prelude::*;

fn problem(rows: &[Vec<f64>], observations: &[f64]) -> LeastSquares {
    let mut problem = LeastSquares::new(rows[0].len());
    for (row, &y) in rows.iter().zip(observations) {
        problem.push(row.iter().copied().enumerate(), y, 1.0);
    }
    problem
}

fn random_problem() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    (1usize..9, 0usize..12).prop_flat_map(|(unknowns, more)| {
        let rows = unknowns + more + 1;
        (
            prop::collection::vec(prop::collection::vec(-1.0..1.0, unknowns), rows),
            prop::collection::vec(-1.0..1.0, rows),
        )
    })
}

proptest! {
    #[test]
    fn the_solution_is_that_of_another_implementation((rows, y) in random_problem()) {
        let Ok(solution) = problem(&rows, &y).solve() else { return Ok(()) };
        let a = ndarray_of(&rows);
        let (oracle, _) = nnls::nnls(a.view(), nnls_vector(&y).view());
        let x = DVector::from_vec(solution.values.clone());
        let matrix = DMatrix::from_fn(rows.len(), rows[0].len(), |r, c| rows[r][c]);
        let y = DVector::from_vec(y);
        let cost = |x: &DVector<f64>| (&matrix * x - &y).norm_squared();
        let oracle = DVector::from_iterator(x.len(), oracle.iter().copied());
        prop_assert!((cost(&x) - cost(&oracle)).abs() <= 1e-9 * (1.0 + cost(&oracle)));
        prop_assert!((cost(&x) - solution.residual).abs() <= 1e-9 * (1.0 + cost(&x)));
        // Karush, Kuhn, Tucker: x ≥ 0, gradient ≥ 0, and one of them zero.
        let gradient = matrix.transpose() * (&matrix * &x - &y);
        for k in 0..x.len() {
            prop_assert!(x[k] >= 0.0 && gradient[k] > -1e-9);
            prop_assert!(x[k] * gradient[k].abs() < 1e-8);
        }
    }

    #[test]
    fn a_consistent_system_is_solved_to_nearly_all_digits(
        (rows, _) in random_problem(), x in prop::collection::vec(1e-3..1e3, 9),
    ) {
        let x = &x[..rows[0].len()];
        let y: Vec<f64> = rows.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect();
        let Ok(solution) = problem(&rows, &y).solve() else { return Ok(()) };
        let scale = x.iter().copied().fold(0.0, f64::max);
        for (found, truth) in solution.values.iter().zip(x) {
            prop_assert!((found - truth).abs() < 1e-8 * scale, "{found} {truth}");
        }
    }
}

fn ndarray_of(rows: &[Vec<f64>]) -> ndarray::Array2<f64> {
    ndarray::Array2::from_shape_fn((rows.len(), rows[0].len()), |(r, c)| rows[r][c])
}

fn nnls_vector(y: &[f64]) -> ndarray::Array1<f64> {
    ndarray::Array1::from_vec(y.to_vec())
}

#[test]
fn unknowns_that_are_not_determined_are_named() {
    // x1 and x2 appear as their sum alone; x3 not at all.
    let problem = problem(&[vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 1.0, 1.0, 0.0], vec![1.0, 2.0, 2.0, 0.0]], &[1.0; 3]);
    assert_eq!(problem.solve().unwrap_err(), Unidentified(vec![1, 2, 3]));
}

#[test]
fn the_deviation_of_a_mean_is_one_over_the_root_of_n() {
    let problem = problem(&vec![vec![1.0]; 25], &[7.0; 25]);
    let solution = problem.solve().unwrap();
    assert!((problem.deviations().unwrap()[0] - 0.2).abs() < 1e-12);
    assert!((solution.values[0] - 7.0).abs() < 1e-12);
}

type Rows = Vec<Vec<(usize, f64)>>;

/// Three core unknowns and blocks of one and two; each row touches the core and one block.
fn blocked_problem() -> impl Strategy<Value = (Vec<Vec<usize>>, Rows, Vec<f64>)> {
    let blocks = vec![vec![3, 4], vec![5], vec![6, 7], vec![8, 9]];
    let row = (0usize..4, prop::collection::vec(-1.0..1.0, 5));
    (prop::collection::vec(row, 25..40), prop::collection::vec(-1.0..1.0, 40)).prop_map(move |(rows, y)| {
        let row = |(block, factors): &(usize, Vec<f64>)| {
            let unknowns = (0..3).chain(blocks[*block].iter().copied());
            unknowns.zip(factors.iter().copied()).collect()
        };
        (blocks.clone(), rows.iter().map(row).collect(), y[..rows.len()].to_vec())
    })
}

proptest! {
    #[test]
    fn elimination_of_blocks_changes_nothing((blocks, rows, y) in blocked_problem()) {
        let problem = |problem: LeastSquares| {
            let mut problem = problem;
            rows.iter().zip(&y).for_each(|(row, y)| problem.push(row.iter().copied(), *y, 1.0));
            problem.solve().map(|solution| (solution, problem.deviations().unwrap()))
        };
        let (whole, eliminated) = (problem(LeastSquares::new(10)), problem(LeastSquares::new(10).with_blocks(blocks)));
        let (Ok(whole), Ok(eliminated)) = (whole, eliminated) else { return Ok(()) };
        for (a, b) in whole.0.values.iter().zip(&eliminated.0.values) {
            prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        for (a, b) in whole.1.iter().zip(&eliminated.1) {
            prop_assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
        }
    }
}

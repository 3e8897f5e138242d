//! Least squares: the conditions that characterise its solution, and another implementation as
//! oracle.

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

/// Returns true if the columns of a matrix are far from linear dependence.
fn is_well_conditioned(matrix: &DMatrix<f64>) -> bool {
    let singular = matrix.singular_values();
    singular.min() > 1e-4 * singular.max()
}

fn matrix_of(rows: &[Vec<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), rows[0].len(), |r, c| rows[r][c])
}

fn failed(error: &Unidentified) -> TestCaseError {
    TestCaseError::fail(format!("{error:?}"))
}

proptest! {
    #[test]
    fn solutions_equal_those_of_another_implementation((rows, y) in random_problem()) {
        prop_assume!(is_well_conditioned(&matrix_of(&rows)));
        let solution = problem(&rows, &y).solve().map_err(|error| failed(&error))?;
        let a = ndarray_of(&rows);
        let (oracle, _) = nnls::nnls(a.view(), nnls_vector(&y).view());
        let x = DVector::from_vec(solution.values.clone());
        let matrix = matrix_of(&rows);
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
        prop_assume!(is_well_conditioned(&matrix_of(&rows)));
        let solution = problem(&rows, &y).solve().map_err(|error| failed(&error))?;
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
fn unidentified_unknowns_are_named() {
    // x1 and x2 appear only as their sum; x3 does not appear.
    let problem = problem(
        &[vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 1.0, 1.0, 0.0], vec![1.0, 2.0, 2.0, 0.0]],
        &[1.0; 3],
    );
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
    (prop::collection::vec(row, 25..40), prop::collection::vec(-1.0..1.0, 40)).prop_map(
        move |(rows, y)| {
            let row = |(block, factors): &(usize, Vec<f64>)| {
                let unknowns = (0..3).chain(blocks[*block].iter().copied());
                unknowns.zip(factors.iter().copied()).collect()
            };
            (blocks.clone(), rows.iter().map(row).collect(), y[..rows.len()].to_vec())
        },
    )
}

proptest! {
    #[test]
    fn block_elimination_does_not_change_solutions((blocks, rows, y) in blocked_problem()) {
        let problem = |problem: LeastSquares| {
            let mut problem = problem;
            rows.iter().zip(&y).for_each(|(row, y)| problem.push(row.iter().copied(), *y, 1.0));
            problem.solve().and_then(|solution| Ok((solution, problem.deviations()?)))
        };
        let (whole, eliminated) = (problem(LeastSquares::new(10)), problem(LeastSquares::new(10).with_blocks(blocks)));
        let mut matrix = DMatrix::zeros(rows.len(), 10);
        rows.iter().enumerate().for_each(|(r, row)| row.iter().for_each(|&(k, factor)| matrix[(r, k)] = factor));
        prop_assume!(is_well_conditioned(&matrix));
        let (whole, eliminated) = (whole.map_err(|error| failed(&error))?, eliminated.map_err(|error| failed(&error))?);
        for (a, b) in whole.0.values.iter().zip(&eliminated.0.values) {
            prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        for (a, b) in whole.1.iter().zip(&eliminated.1) {
            prop_assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
        }
    }
}

/// The rows of a campaign on three processors, of which each has a fixed delay and one for each
/// size, as each link has: round trips at eight sizes, and messages to two others.
fn campaign() -> Rows {
    let row = |first: (usize, f64), second: (usize, f64), link: usize, size: f64| {
        let fixed = [first, second, (6 + 2 * link, 2.0)];
        let sized = fixed.map(|(k, times)| (k + if k < 3 { 3 } else { 1 }, times * size));
        fixed.into_iter().chain(sized).collect()
    };
    let links = [(0, 1, 0), (0, 2, 1), (1, 2, 2)];
    let sizes = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let trips = links
        .into_iter()
        .flat_map(|(a, b, link)| sizes.map(|size| row((a, 2.0), (b, 2.0), link, size)));
    let pairs = [
        (0, 2, 1, 0.0),
        (0, 1, 0, 1.0),
        (1, 2, 2, 0.0),
        (1, 0, 0, 1.0),
        (2, 0, 1, 0.0),
        (2, 1, 2, 1.0),
    ];
    let to_two = pairs
        .into_iter()
        .map(|(root, other, link, size)| row((root, 3.0), (other, 2.0), link, size));
    trips.chain(to_two).collect()
}

proptest! {
    /// With pure noise, unknowns are exchanged between the sets many times, but the iteration must
    /// end.
    #[test]
    fn solver_converges_with_large_noise(
        readings in prop::collection::vec((-1.0..1.5, -0.5..0.5), campaign().len()),
    ) {
        let mut problem = LeastSquares::new(12).with_blocks([vec![6, 7], vec![8, 9], vec![10, 11]]);
        let mut dense = ndarray::Array2::zeros((readings.len(), 12));
        let mut y = ndarray::Array1::zeros(readings.len());
        for (r, (row, (time, weight))) in campaign().into_iter().zip(readings).enumerate() {
            let (time, weight) = (10_f64.powf(time), 10_f64.powf(weight - time));
            row.iter().for_each(|&(k, factor)| dense[[r, k]] = weight * factor);
            y[r] = weight * time;
            problem.push(row, time, weight);
        }
        let solution = problem.solve().unwrap();
        prop_assert!(solution.values.iter().all(|value| value.is_sign_positive()), "{:?}", solution.values);
        let found = solution.residual;
        let (_, length) = nnls::nnls(dense.view(), y.view());
        prop_assert!((found / length.powi(2) - 1.0).abs() < 1e-9, "{found} {}", length.powi(2));
    }
}

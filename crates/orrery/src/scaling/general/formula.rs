//! The search of the formula with the best score.

use super::data::{Score, WeightedPoints};
use super::exponents::{Exponent, FactorValues};
use super::least_squares::{MAX_COLUMNS, residual};

/// A formula: a constant and a sum of products, each with one factor per variable that it contains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Formula {
    /// The products, as (variable, exponent) pairs.
    pub(super) products: Vec<Vec<(usize, Exponent)>>,
}

/// The formula with the best score among those with the given exponents of each variable.
pub(super) fn best_formula(
    points: &WeightedPoints,
    score: &Score,
    values: &[FactorValues],
    tried: &[Vec<Exponent>],
) -> Formula {
    let constant = residual(&[&points.weights], &points.target);
    let mut best = (score.residuals(constant), Formula { products: Vec::new() });
    let shapes = shapes(tried.len());
    let mut choice = vec![0; tried.len()];
    loop {
        let chosen: Vec<Exponent> = choice.iter().zip(tried).map(|(&index, tried)| tried[index]).collect();
        let products = products(points, values, &chosen);
        for shape in &shapes {
            let used = shape.iter().fold(0, |used, product| used | product);
            let mut unused = (0..tried.len()).filter(|v| used & (1 << v) == 0);
            // A formula without a variable is evaluated once, not for each exponent of that variable.
            if unused.any(|v| choice[v] > 0) {
                continue;
            }
            let factors = (0..tried.len()).filter(|v| used & (1 << v) != 0).map(|v| Score::factor(chosen[v]));
            let prior = factors.sum::<f64>() + score.coefficients(shape.len());
            // Skip the fit if the penalties alone exceed the best score.
            if score.residuals(0.0) + prior >= best.0 {
                continue;
            }
            let mut columns = [points.weights.as_slice(); MAX_COLUMNS];
            shape.iter().zip(&mut columns).for_each(|(&product, column)| *column = &products[product]);
            let value = score.residuals(residual(&columns[..=shape.len()], &points.target)) + prior;
            if value < best.0 {
                let factors = |product: &usize| {
                    (0..tried.len()).filter(|v| product & (1 << v) != 0).map(|v| (v, chosen[v])).collect()
                };
                best = (value, Formula { products: shape.iter().map(factors).collect() });
            }
        }
        // Advance to the next combination of exponents.
        let Some(index) = (0..tried.len()).find(|&v| choice[v] + 1 < tried[v].len()) else { break };
        choice[..index].fill(0);
        choice[index] += 1;
    }
    best.1
}

/// The weighted columns of the products of all subsets of the variables, by bit set.
fn products(points: &WeightedPoints, values: &[FactorValues], chosen: &[Exponent]) -> Vec<Vec<f64>> {
    let mut products = vec![points.weights.clone()];
    for subset in 1_usize..(1 << chosen.len()) {
        let v = subset.trailing_zeros() as usize;
        let rest = &products[subset & (subset - 1)];
        products.push(rest.iter().zip(values[v].values(chosen[v])).map(|(c, f)| c * f).collect());
    }
    products
}

/// The shapes of sums of products; a product is the bit set of its variables.
///
/// The shapes are all partitions of all subsets, and each product of two or more variables plus one of its factors.
fn shapes(variables: usize) -> Vec<Vec<usize>> {
    let mut shapes = Vec::new();
    for subset in 1_usize..(1 << variables) {
        let members: Vec<usize> = (0..variables).map(|v| 1 << v).filter(|bit| subset & bit != 0).collect();
        let mut partitions: Vec<Vec<usize>> = vec![Vec::new()];
        for &member in &members {
            let mut next = Vec::new();
            for partition in partitions {
                for index in 0..partition.len() {
                    let mut joined = partition.clone();
                    joined[index] |= member;
                    next.push(joined);
                }
                let mut apart = partition;
                apart.push(member);
                next.push(apart);
            }
            partitions = next;
        }
        shapes.append(&mut partitions);
        if members.len() > 1 {
            shapes.extend(members.iter().map(|&member| vec![subset, member]));
        }
    }
    shapes
}

/// The exponents of one variable with the best scores, independent of the other variables.
///
/// On a line of points that differ in this variable only, every sum of products is a + b·f(x) with a and b of that line.
/// The residuals of all lines together give the score of f.
pub(super) fn best_exponents(
    points: &WeightedPoints,
    score: &Score,
    factor_values: &FactorValues,
    variable: usize,
    max_exponents: usize,
) -> Vec<Exponent> {
    let lines = lines(points, variable);
    let mut column = Vec::new();
    let mut scored: Vec<(f64, Exponent)> = factor_values
        .all()
        .map(|exponent| {
            let values = factor_values.values(exponent);
            let of_line = |line: &Line| {
                column.clear();
                column.extend(line.rows.iter().zip(&line.weights).map(|(&row, weight)| values[row] * weight));
                residual(&[&column, &line.weights], &line.target)
            };
            let whole: f64 = lines.iter().map(of_line).sum();
            (score.residuals(whole) + Score::factor(exponent), exponent)
        })
        .collect();
    // The sort is stable: of equal scores, the exponent that is listed first wins.
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, exponent)| exponent).take(max_exponents).collect()
}

/// A line: rows that differ in one variable only.
struct Line {
    rows: Vec<usize>,
    weights: Vec<f64>,
    target: Vec<f64>,
}

/// All lines with at least three rows.
fn lines(points: &WeightedPoints, variable: usize) -> Vec<Line> {
    let differ = |a: &[f64], b: &[f64]| (0..a.len()).any(|v| v != variable && a[v].to_bits() != b[v].to_bits());
    let mut lines: Vec<Vec<usize>> = Vec::new();
    for (row, point) in points.points.iter().enumerate() {
        match lines.iter_mut().find(|rows| !differ(point, &points.points[rows[0]])) {
            Some(rows) => rows.push(row),
            None => lines.push(vec![row]),
        }
    }
    let select = |rows: &[usize], values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let line = |rows: Vec<usize>| {
        let (weights, target) = (select(&rows, &points.weights), select(&rows, &points.target));
        Line { rows, weights, target }
    };
    lines.into_iter().filter(|rows| rows.len() > 2).map(line).collect()
}

use super::centre::Centres;
use super::exponents::{Exponent, Exponents};
use super::score::Score;

/// A constant and a sum of products; a product has one factor for each of some variables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Formula {
    pub(super) products: Vec<Vec<(usize, Exponent)>>,
}

/// The likeliest formula of those whose exponents are among the tried ones of each variable.
pub(super) fn search(centres: &Centres, score: &Score, exponents: &[Exponents], tried: &[Vec<Exponent>]) -> Formula {
    let constant = residual(&[&centres.weights], &centres.target);
    let mut best = (score.residuals(constant), Formula { products: Vec::new() });
    let shapes = shapes(tried.len());
    let mut choice = vec![0; tried.len()];
    loop {
        let chosen: Vec<Exponent> = choice.iter().zip(tried).map(|(&place, tried)| tried[place]).collect();
        let products = products(centres, exponents, &chosen);
        for shape in &shapes {
            let used = shape.iter().fold(0, |used, product| used | product);
            let idle = (0..tried.len()).filter(|v| used & (1 << v) == 0);
            // A formula without a variable is looked at once, not once for each of its exponents.
            if idle.into_iter().any(|v| choice[v] > 0) {
                continue;
            }
            let factors = (0..tried.len()).filter(|v| used & (1 << v) != 0).map(|v| Score::factor(chosen[v]));
            let prior = factors.sum::<f64>() + score.coefficients(shape.len());
            // The priors alone may be worse than what was found.
            if score.residuals(0.0) + prior >= best.0 {
                continue;
            }
            let mut columns = [centres.weights.as_slice(); MOST];
            shape.iter().zip(&mut columns).for_each(|(&product, column)| *column = &products[product]);
            let value = score.residuals(residual(&columns[..=shape.len()], &centres.target)) + prior;
            if value < best.0 {
                let factors = |product: &usize| {
                    (0..tried.len()).filter(|v| product & (1 << v) != 0).map(|v| (v, chosen[v])).collect()
                };
                best = (value, Formula { products: shape.iter().map(factors).collect() });
            }
        }
        // The next choice, as an odometer counts.
        let Some(place) = (0..tried.len()).find(|&v| choice[v] + 1 < tried[v].len()) else { break };
        choice[..place].fill(0);
        choice[place] += 1;
    }
    best.1
}

/// The weighted columns of the products of all subsets of the variables, by the bits of the subset.
fn products(centres: &Centres, exponents: &[Exponents], chosen: &[Exponent]) -> Vec<Vec<f64>> {
    let mut products = vec![centres.weights.clone()];
    for subset in 1_usize..(1 << chosen.len()) {
        let v = subset.trailing_zeros() as usize;
        let rest = &products[subset & (subset - 1)];
        products.push(rest.iter().zip(exponents[v].values(chosen[v])).map(|(c, f)| c * f).collect());
    }
    products
}

/// The shapes of sums of products of these variables, a product by the bits of its variables: each subset divided into
/// products in every way; and a product of two or more with one of its factors alone beside it.
fn shapes(variables: usize) -> Vec<Vec<usize>> {
    let mut shapes = Vec::new();
    for subset in 1_usize..(1 << variables) {
        let members: Vec<usize> = (0..variables).map(|v| 1 << v).filter(|bit| subset & bit != 0).collect();
        let mut partitions: Vec<Vec<usize>> = vec![Vec::new()];
        for &member in &members {
            let mut next = Vec::new();
            for partition in partitions {
                for place in 0..partition.len() {
                    let mut joined = partition.clone();
                    joined[place] |= member;
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

/// The squared residual of least squares on these columns, of which the last is the constant; infinite where a
/// coefficient other than the constant is not above 0. A negative constant is held at 0.
pub(super) fn residual(columns: &[&[f64]], target: &[f64]) -> f64 {
    if let [column, constant] = columns {
        return residual_of_two(column, constant, target);
    }
    let count = columns.len();
    let mut matrix = [[0.0; MOST + 1]; MOST];
    for (k, column) in columns.iter().enumerate() {
        for (l, other) in columns.iter().enumerate().take(k + 1) {
            let product = dot(column, other);
            (matrix[k][l], matrix[l][k]) = (product, product);
        }
        matrix[k][MOST] = dot(column, target);
    }
    let solved = solve(&matrix, count);
    let positive = |x: &[f64; MOST], count: usize| x[..count].iter().all(|&x| x > 0.0);
    let explained = |x: &[f64; MOST], count: usize| {
        // On the rows themselves: the difference of nearly equal sums of squares would be rounding.
        let row = |e: usize| (0..count).map(|k| columns[k][e] * x[k]).sum::<f64>() - target[e];
        (0..target.len()).map(|e| row(e).powi(2)).sum()
    };
    match solved {
        Some(x) if positive(&x, count) => explained(&x, count),
        Some(x) if x[count - 1] <= 0.0 && count > 1 => match solve(&matrix, count - 1) {
            Some(x) if positive(&x, count - 1) => explained(&x, count - 1),
            _ => f64::INFINITY,
        },
        _ => f64::INFINITY,
    }
}

/// The same of a column and the constant: most formulas that are looked at have no more.
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

/// The most columns: a product of four variables, or four of one, and the constant.
const MOST: usize = 5;

/// Gaussian elimination of the normal equations, scaled; `None` where they are singular.
fn solve(matrix: &[[f64; MOST + 1]; MOST], count: usize) -> Option<[f64; MOST]> {
    let mut a = *matrix;
    let mut scales = [0.0; MOST];
    for k in 0..count {
        scales[k] = a[k][k].sqrt();
    }
    for k in 0..count {
        for l in 0..count {
            a[k][l] /= scales[k] * scales[l];
        }
        a[k][MOST] /= scales[k];
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
    let mut x = [0.0; MOST];
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|l| a[k][l] * x[l]).sum();
        x[k] = (a[k][MOST] - known) / a[k][k];
    }
    (0..count).for_each(|k| x[k] /= scales[k]);
    Some(x)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

use super::centre::Centres;
use super::exponents::{Exponent, Exponents};
use super::formula::residual;
use super::score::Score;

/// The likeliest exponents of one variable, whatever the others do.
///
/// On a line of points where only this variable changes, any sum of products is a + b·f(x), with a and b of that line.
/// All lines together tell f.
pub(super) fn likeliest(
    centres: &Centres,
    score: &Score,
    exponents: &Exponents,
    variable: usize,
    most: usize,
) -> Vec<Exponent> {
    let lines = lines(centres, variable);
    let mut column = Vec::new();
    let mut scored: Vec<(f64, Exponent)> = exponents
        .all()
        .map(|exponent| {
            let values = exponents.values(exponent);
            let of_line = |line: &Line| {
                column.clear();
                column.extend(line.rows.iter().zip(&line.weights).map(|(&row, weight)| values[row] * weight));
                residual(&[&column, &line.weights], &line.target)
            };
            let whole: f64 = lines.iter().map(of_line).sum();
            (score.residuals(whole) + Score::factor(exponent), exponent)
        })
        .collect();
    // Stable: of equals, the plainer exponent stands first.
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, exponent)| exponent).take(most).collect()
}

/// Rows that differ in one variable only.
struct Line {
    rows: Vec<usize>,
    weights: Vec<f64>,
    target: Vec<f64>,
}

/// All lines of three rows or more.
fn lines(centres: &Centres, variable: usize) -> Vec<Line> {
    let apart = |a: &[f64], b: &[f64]| (0..a.len()).any(|v| v != variable && a[v].to_bits() != b[v].to_bits());
    let mut lines: Vec<Vec<usize>> = Vec::new();
    for (row, point) in centres.points.iter().enumerate() {
        match lines.iter_mut().find(|rows| !apart(point, &centres.points[rows[0]])) {
            Some(rows) => rows.push(row),
            None => lines.push(vec![row]),
        }
    }
    let pick = |rows: &[usize], numbers: &[f64]| rows.iter().map(|&row| numbers[row]).collect::<Vec<f64>>();
    let line = |rows: Vec<usize>| {
        let (weights, target) = (pick(&rows, &centres.weights), pick(&rows, &centres.target));
        Line { rows, weights, target }
    };
    lines.into_iter().filter(|rows| rows.len() > 2).map(line).collect()
}

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
    let mut scored: Vec<(f64, Exponent)> = exponents
        .all()
        .map(|exponent| {
            let values = exponents.values(exponent);
            let of_line = |line: &Vec<usize>| {
                let pick = |numbers: &[f64]| line.iter().map(|&row| numbers[row]).collect::<Vec<f64>>();
                let (weights, target) = (pick(&centres.weights), pick(&centres.target));
                let column: Vec<f64> = line.iter().map(|&row| values[row] * centres.weights[row]).collect();
                residual(&[&column, &weights], &target)
            };
            let whole: f64 = lines.iter().map(of_line).sum();
            (score.residuals(whole) + Score::factor(exponent), exponent)
        })
        .collect();
    // Stable: of equals, the plainer exponent stands first.
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, exponent)| exponent).take(most).collect()
}

/// The rows that differ in one variable only, in threes or more.
fn lines(centres: &Centres, variable: usize) -> Vec<Vec<usize>> {
    let mut lines: Vec<(Vec<f64>, Vec<usize>)> = Vec::new();
    for (row, point) in centres.points.iter().enumerate() {
        let mut others = point.clone();
        others.remove(variable);
        match lines.iter_mut().find(|(key, _)| *key == others) {
            Some((_, rows)) => rows.push(row),
            None => lines.push((others, vec![row])),
        }
    }
    lines.into_iter().map(|(_, rows)| rows).filter(|rows| rows.len() > 2).collect()
}

//! The plausible sums of the terms of a known program: all subsets of a dictionary.

use super::least_squares::{Basis, reach};
use super::score::{FAR, PLAUSIBLE_WINDOW, Score, WeightedPoints};
use super::{Sum, SumTerms};
use crate::scaling::observations::Observations;
use crate::scaling::point::ElementVariables;
use crate::scaling::regression::{Column, independent_columns, kind_terms};
use crate::scaling::terms::TermFamily;

/// The largest number of terms of a sum.
const MAX_TERMS: usize = 7;

/// The terms of a family for given runs.
#[derive(Debug)]
pub(in crate::scaling) struct Dictionary {
    pub(in crate::scaling) family: TermFamily,
    pub(super) columns: Vec<Column>,
    /// The value of each term at each point.
    values: Vec<Vec<f64>>,
    /// The value of each term far outside the measured range.
    far: Vec<f64>,
    sums: SumPrior,
}

/// What is known of sums beside the prior of their terms.
#[derive(Debug, Clone, Copy)]
pub(in crate::scaling) struct SumPrior {
    /// The largest number of terms of a sum.
    pub(in crate::scaling) most_terms: usize,
    /// −2·log of the prior probability of a sum, up to a constant; infinite for an impossible one.
    pub(in crate::scaling) penalty: fn(&[&Column]) -> f64,
}

impl Dictionary {
    /// The columns that are independent of earlier ones; their variables are measured.
    pub(in crate::scaling) fn new(
        family: TermFamily,
        columns: &[Column],
        observations: &Observations,
    ) -> Self {
        let table = kind_terms(columns, observations).unwrap_or_default();
        let (columns, table) = independent_columns(columns, &table);
        let values = |k: usize| table.iter().map(|views| views[0].terms[k]).collect();
        let far = observations.ranges.iter().map(|(name, (_, most))| (name.as_str(), FAR * most));
        let far = ElementVariables::new(far);
        let far = columns.iter().map(|column| column.term.value(&far).unwrap_or(0.0)).collect();
        let values = (0..columns.len()).map(values).collect();
        Self {
            family,
            values,
            far,
            columns,
            sums: SumPrior { most_terms: MAX_TERMS, penalty: |_| 0.0 },
        }
    }

    /// Terms with these values at each point and far outside the measured range.
    pub(in crate::scaling) fn of_values(
        family: TermFamily,
        columns: Vec<Column>,
        values: Vec<Vec<f64>>,
        far: Vec<f64>,
        sums: SumPrior,
    ) -> Self {
        Self { family, columns, values, far, sums }
    }

    /// The columns of a sum.
    pub(super) fn columns(&self, chosen: &[usize]) -> Vec<Column> {
        chosen.iter().map(|&k| self.columns[k].clone()).collect()
    }

    /// The weighted columns of a sum.
    pub(super) fn rows(&self, chosen: &[usize], points: &WeightedPoints) -> Vec<Vec<f64>> {
        let weighted = |&k: &usize| {
            self.values[k].iter().zip(&points.weights).map(|(value, weight)| value * weight)
        };
        chosen.iter().map(|k| weighted(k).collect()).collect()
    }

    /// The plausible subsets of the terms.
    pub(super) fn plausible(&self, points: &WeightedPoints) -> Vec<Sum> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let rows = self.rows(&all, points);
        let reaches = rows.iter().map(|row| reach(row, &points.target)).collect();
        let (rows, target) = compressed(&rows, &points.target);
        let (score, prior) = (Score::new(points), self.family.prior());
        let mut subsets = Subsets {
            rows: &rows,
            reaches,
            far: &self.far,
            penalty: &|chosen: &[usize]| {
                let columns: Vec<&Column> = chosen.iter().map(|&k| &self.columns[k]).collect();
                (self.sums.penalty)(&columns)
            },
            penalties: prior.map(|prior| {
                self.columns.iter().map(|column| prior.penalty(&column.term)).collect()
            }),
            most_terms: prior.map_or(self.sums.most_terms, |prior| prior.most_terms),
            score,
            best: f64::INFINITY,
            found: Vec::new(),
        };
        if let Some(basis) = Basis::of(&[], &target) {
            subsets.extend(&basis, &mut Vec::new());
        }
        let least = subsets.best + PLAUSIBLE_WINDOW;
        subsets.found.retain(|sum| sum.score <= least);
        subsets.found
    }
}

/// −2·log of the prior probability of a sum of `chosen` of `terms` terms: all numbers of terms are
/// equally probable, and all sums of the same number. Source: Scott, Berger, "Bayes and
/// empirical-Bayes multiplicity adjustment in the variable-selection problem" (2010), equation 4.
pub(super) fn prior(chosen: usize, terms: usize) -> f64 {
    let sums = (0..chosen).map(|k| ((terms - k) as f64 / (k + 1) as f64).ln()).sum::<f64>();
    2.0 * (sums + (terms as f64 + 1.0).ln())
}

/// All subsets of columns, depth first.
struct Subsets<'a> {
    rows: &'a [Vec<f64>],
    reaches: Vec<f64>,
    far: &'a [f64],
    penalty: &'a dyn Fn(&[usize]) -> f64,
    /// −2·log of the prior probability of each term up to a constant; `None` if it depends on their
    /// number only.
    penalties: Option<Vec<f64>>,
    most_terms: usize,
    score: Score,
    best: f64,
    /// The subsets with positive coefficients that are plausible so far.
    found: Vec<Sum>,
}

impl Subsets<'_> {
    /// Extends the chosen columns, whose basis is given, by each later column in turn and so on;
    /// keeps the sums whose coefficients are positive and whose scores are plausible.
    fn extend(&mut self, basis: &Basis, chosen: &mut Vec<usize>) {
        let first = chosen.last().map_or(0, |last| last + 1);
        for next in first..self.rows.len() {
            let Some(basis) = basis.extended(&self.rows[next], self.reaches[next]) else {
                continue;
            };
            chosen.push(next);
            let coefficients = basis.coefficients();
            if coefficients.iter().all(|&c| c > 0.0) {
                let prior = self.penalties.as_ref().map_or_else(
                    || prior(chosen.len(), self.rows.len()),
                    |penalties| chosen.iter().map(|&k| penalties[k]).sum(),
                );
                let prior = prior + (self.penalty)(chosen);
                let score = self.score.of(basis.square(), &basis.information(), prior);
                self.best = self.best.min(score);
                if score <= self.best + PLAUSIBLE_WINDOW {
                    let far = chosen.iter().zip(&coefficients).map(|(&k, c)| self.far[k] * c).sum();
                    self.found.push(Sum {
                        score,
                        far,
                        is_detected: true,
                        terms: SumTerms::Subset(chosen.clone()),
                        family: 0,
                    });
                }
            }
            if chosen.len() < self.most_terms {
                self.extend(&basis, chosen);
            }
            chosen.pop();
        }
    }
}

/// Fewer rows with the same scalar products: the triangular factor of the columns and the target.
fn compressed(columns: &[Vec<f64>], target: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (rows, count) = (target.len(), columns.len() + 1);
    if rows <= count {
        return (columns.to_vec(), target.to_vec());
    }
    // Columns of equal length lose no digits to each other.
    let lengths: Vec<f64> =
        columns.iter().map(|column| column.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    let all = nalgebra::DMatrix::from_fn(rows, count, |row, k| {
        columns.get(k).map_or(target[row], |column| column[row] / lengths[k])
    });
    let upper = all.qr().r();
    let column = |k: usize| (0..count).map(|row| upper[(row, k)]).collect::<Vec<f64>>();
    let scaled = |(k, length): (usize, &f64)| column(k).into_iter().map(|x| x * length).collect();
    (lengths.iter().enumerate().map(scaled).collect(), column(count - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_keeps_the_residual() {
        let columns = vec![vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![1.0, 1.0, 1.0, 1.0, 2.0]];
        let target = vec![2.0, 1.0, 4.0, 3.0, 6.0];
        let (short, short_target) = compressed(&columns, &target);
        assert_eq!(short_target.len(), 3);
        let square = |columns: &[Vec<f64>], target: &[f64]| {
            Basis::of(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), target)
                .unwrap()
                .square()
        };
        assert!((square(&columns, &target) - square(&short, &short_target)).abs() < 1e-12);
    }

    #[test]
    fn priors_of_all_sums_add_up_to_one() {
        // Of 3 terms there are 1, 3, 3, 1 sums of 0, 1, 2, 3 terms.
        let whole: f64 = [1.0, 3.0, 3.0, 1.0]
            .iter()
            .zip(0..)
            .map(|(sums, k)| sums * (-0.5 * prior(k, 3)).exp())
            .sum();
        assert!((whole - 1.0).abs() < 1e-12, "{whole}");
    }
}

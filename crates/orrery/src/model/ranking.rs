use std::collections::BTreeMap;

use super::{ModelKind, Validation};
use crate::numeric::student_quantile;
use crate::sample::Experiment;

/// The level of the test whether two models can be told apart.
pub const RANKING_LEVEL: f64 = 0.95;

/// Differences of errors below this are those of rounding.
const ROUNDING: f64 = 1e-12;

/// A model in its place among those that were set against the same experiments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// 1 for the best; models that cannot be told apart have the same rank, and the next one counts them all: 1, 1, 3.
    pub rank: usize,
    /// The model.
    pub model: ModelKind,
    /// How many experiments.
    pub experiments: usize,
    /// Mean of |error|.
    pub mean_error: f64,
    /// Largest |error|.
    pub max_error: f64,
}

impl Validation {
    /// All models that were validated, by their mean |error| over the experiments that count, the best first.
    ///
    /// A model shares the rank of the best one of those above unless the two can be told apart: by Student's test of the
    /// paired differences d of their |error| over the n experiments that both predict, |mean d| > t·√(var d / n), with t
    /// the quantile for n − 1 degrees of freedom at [`RANKING_LEVEL`], two-sided. One experiment tells nothing apart.
    pub fn ranking(&self, counts: impl Fn(&Experiment) -> bool) -> Vec<Ranked> {
        let mut errors: BTreeMap<ModelKind, BTreeMap<Experiment, f64>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.error.is_finite() && counts(&row.experiment)) {
            errors.entry(row.predicted.model).or_default().insert(row.experiment, row.error.abs());
        }
        let of = |(&model, errors): (&ModelKind, &BTreeMap<Experiment, f64>)| Ranked {
            rank: 1,
            model,
            experiments: errors.len(),
            mean_error: errors.values().sum::<f64>() / errors.len() as f64,
            max_error: errors.values().copied().fold(0.0, f64::max),
        };
        let mut ranking: Vec<Ranked> = errors.iter().map(of).collect();
        ranking.sort_by(|one, other| one.mean_error.total_cmp(&other.mean_error));
        let mut first = 0;
        for place in 1..ranking.len() {
            if can_be_told_apart(&errors[&ranking[first].model], &errors[&ranking[place].model]) {
                first = place;
            }
            ranking[place].rank = first + 1;
        }
        ranking
    }
}

fn can_be_told_apart(one: &BTreeMap<Experiment, f64>, other: &BTreeMap<Experiment, f64>) -> bool {
    let both = one.iter().filter_map(|(experiment, one)| Some(other.get(experiment)? - one));
    let differences: Vec<f64> = both.collect();
    let n = differences.len() as f64;
    if n < 2.0 {
        return false;
    }
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (n - 1.0);
    mean.abs() > ROUNDING + student_quantile(n - 1.0, RANKING_LEVEL) * (variance / n).sqrt()
}

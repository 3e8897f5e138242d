use std::collections::BTreeMap;

use super::{Validation, ValidationRow};
use crate::model::ModelKind;
use orrery_base::numeric::student_quantile;
use orrery_measure::sample::Experiment;

/// The confidence level of the test whether the errors of two models differ.
pub const RANKING_LEVEL: f64 = 0.95;

/// The difference of errors below which two errors count as equal.
const ROUNDING: f64 = 1e-12;

/// The rank and the errors of a model among those compared by the same experiments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The rank, 1 for the best; models whose errors do not differ significantly share a rank, and
    /// the next rank counts them all: 1, 1, 3.
    pub rank: usize,
    /// The model.
    pub model: ModelKind,
    /// The number of experiments.
    pub experiments: usize,
    /// The mean of |error|.
    pub mean_error: f64,
    /// The largest |error|.
    pub max_error: f64,
}

/// The experiments that models are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankingBasis {
    /// True if only collective operations count.
    pub collectives: bool,
    /// True if the fit has seen the experiments, so that their errors are residuals and not those
    /// of predictions; false if it has seen none of them.
    pub seen: bool,
}

impl RankingBasis {
    /// Returns true for the rows that count.
    pub fn counts(self, row: &ValidationRow) -> bool {
        row.seen == self.seen && (row.experiment.is_collective() || !self.collectives)
    }
}

impl Validation {
    /// Returns the experiments that show best how good predictions are: collective operations that
    /// the fit has not seen, other experiments that it has not seen, or else what it has seen.
    pub fn basis(&self) -> RankingBasis {
        let any = |basis: &RankingBasis| {
            self.rows.iter().any(|row| row.error.is_finite() && basis.counts(row))
        };
        [(true, false), (false, false), (true, true)]
            .map(|(collectives, seen)| RankingBasis { collectives, seen })
            .into_iter()
            .find(any)
            .unwrap_or(RankingBasis { collectives: false, seen: true })
    }

    /// Ranks all validated models by their mean |error| over the rows that `counts` accepts, the
    /// best first.
    ///
    /// A model shares the rank of the best model above it unless their errors differ significantly
    /// by Student's test of the paired differences d of their |error| over the n experiments that
    /// both predict: |mean d| > t·√(var d / n), with t the two-sided quantile for n − 1 degrees of
    /// freedom at [`RANKING_LEVEL`]. One experiment cannot show a difference.
    pub fn ranking(&self, counts: impl Fn(&ValidationRow) -> bool) -> Vec<Ranked> {
        let mut errors: BTreeMap<ModelKind, BTreeMap<Experiment, f64>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.error.is_finite() && counts(row)) {
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
            if differ_significantly(&errors[&ranking[first].model], &errors[&ranking[place].model])
            {
                first = place;
            }
            ranking[place].rank = first + 1;
        }
        ranking
    }
}

/// Returns true if the mean errors of two models differ significantly (Student's paired test).
fn differ_significantly(
    one: &BTreeMap<Experiment, f64>,
    other: &BTreeMap<Experiment, f64>,
) -> bool {
    let both = one.iter().filter_map(|(experiment, one)| Some(other.get(experiment)? - one));
    let differences: Vec<f64> = both.collect();
    let n = differences.len() as f64;
    if n < 2.0 {
        return false;
    }
    let mean = differences.iter().sum::<f64>() / n;
    let variance =
        differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (n - 1.0);
    mean.abs() > ROUNDING + student_quantile(n - 1.0, RANKING_LEVEL) * (variance / n).sqrt()
}

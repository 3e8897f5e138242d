//! Which model predicts best, and whether that can be said at all.

use std::collections::BTreeMap;

use super::format::{median, percent};
use crate::model::{ModelKind, Validation};
use crate::sample::Experiment;

/// The models that predict best, and what their errors are measured against.
pub(super) struct Verdict {
    /// The best models with their mean errors: the best first, then those that cannot be told apart from it.
    pub(super) best: Vec<(ModelKind, f64)>,
    /// The others with their mean errors, the better first.
    pub(super) others: Vec<(ModelKind, f64)>,
    /// How many experiments were compared.
    pub(super) experiments: usize,
    /// The median relative half-width of the intervals of the observed times.
    pub(super) noise: Option<f64>,
    /// The largest error of the best model.
    pub(super) largest: f64,
}

/// The verdict over some of the experiments; `None` without errors to compare.
///
/// Two models cannot be told apart when the mean of the paired differences of |error| lies within two of its standard
/// errors.
pub(super) fn verdict(validation: &Validation, counts: impl Fn(&Experiment) -> bool) -> Option<Verdict> {
    let mut errors: BTreeMap<ModelKind, BTreeMap<Experiment, f64>> = BTreeMap::new();
    let mut noise: BTreeMap<Experiment, f64> = BTreeMap::new();
    for row in &validation.rows {
        if !row.error.is_finite() || !counts(&row.experiment) {
            continue;
        }
        errors.entry(row.predicted.model).or_default().insert(row.experiment, row.error.abs());
        if let Some(interval) = row.observed.interval {
            noise.insert(row.experiment, (interval.high - interval.low) / 2.0 / row.observed.value);
        }
    }
    let noise = median(noise.into_values());
    let mean = |errors: &BTreeMap<Experiment, f64>| errors.values().sum::<f64>() / errors.len() as f64;
    let mut ranking: Vec<(ModelKind, f64)> = errors.iter().map(|(kind, errors)| (*kind, mean(errors))).collect();
    ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
    let &(winner, _) = ranking.first()?;
    let alike = |kind: ModelKind| kind == winner || cannot_be_told_apart(&errors[&winner], &errors[&kind]);
    let (best, others) = ranking.into_iter().partition(|(kind, _)| alike(*kind));
    Some(Verdict {
        best,
        others,
        experiments: errors[&winner].len(),
        noise,
        largest: errors[&winner].values().copied().fold(0.0, f64::max),
    })
}

/// Whether an experiment is a collective operation: a prediction, where the others are what the models were made from.
pub(super) fn is_collective(experiment: &Experiment) -> bool {
    matches!(experiment, Experiment::Collective { .. })
}

fn cannot_be_told_apart(a: &BTreeMap<Experiment, f64>, b: &BTreeMap<Experiment, f64>) -> bool {
    let differences: Vec<f64> = a.iter().filter_map(|(key, a)| b.get(key).map(|b| b - a)).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let standard_error = if n > 1.0 { (variance / n).sqrt() } else { f64::INFINITY };
    !mean.is_finite() || mean.abs() <= 2.0 * standard_error
}

/// The models from the best to the worst in a sentence, over the collective operations if there are some; nothing for fewer
/// than two models.
pub(super) fn ranking(validation: &Validation) -> Option<String> {
    let collectives = verdict(validation, is_collective);
    let what = if collectives.is_some() { "collective operations" } else { "experiments" };
    let verdict = collectives.or_else(|| verdict(validation, |_| true))?;
    let all: Vec<_> = verdict.best.iter().chain(&verdict.others).collect();
    if all.len() < 2 {
        return None;
    }
    let each: Vec<String> = all.iter().map(|(kind, error)| format!("{kind} {}", percent(*error))).collect();
    let alike: Vec<&str> = verdict.best.iter().map(|(kind, _)| kind.word()).collect();
    let tie = match alike.as_slice() {
        [_] => String::new(),
        [others @ .., last] => format!(" {} and {last} cannot be told apart.", others.join(", ")),
        [] => return None,
    };
    Some(format!("From the best, by mean error over {what}: {}.{tie}", each.join(", ")))
}

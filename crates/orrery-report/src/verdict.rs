//! Which model predicts best, and whether that can be said at all.

use std::collections::BTreeMap;

use super::format::median;
use orrery::model::{ModelKind, Ranked, Validation};
use orrery::sample::Experiment;

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

/// The verdict over some of the experiments; `None` without errors to compare. The best models are those of rank 1.
pub(super) fn verdict(validation: &Validation, counts: impl Fn(&Experiment) -> bool) -> Option<Verdict> {
    let ranking = validation.ranking(&counts);
    let winner = ranking.first()?;
    let (experiments, largest) = (winner.experiments, winner.max_error);
    let noise: BTreeMap<Experiment, f64> = validation
        .rows
        .iter()
        .filter(|row| row.error.is_finite() && counts(&row.experiment))
        .filter_map(|row| {
            let interval = row.observed.interval?;
            Some((row.experiment, (interval.high - interval.low) / 2.0 / row.observed.value))
        })
        .collect();
    let noise = median(noise.into_values());
    let with_error = |ranked: &[Ranked]| ranked.iter().map(|one| (one.model, one.mean_error)).collect();
    let (best, others) = ranking.split_at(ranking.partition_point(|one| one.rank == 1));
    Some(Verdict { best: with_error(best), others: with_error(others), experiments, noise, largest })
}

/// Whether an experiment is a collective operation: a prediction, where the others are what the models were made from.
pub(super) fn is_collective(experiment: &Experiment) -> bool {
    matches!(experiment, Experiment::Collective { .. })
}

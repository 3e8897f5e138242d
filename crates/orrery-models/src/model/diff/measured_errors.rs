//! Errors in measured collective operations by two models.

use std::collections::BTreeMap;

use super::change::{Change, test};
use super::{CommonProcessors, DiffOptions};
use crate::model::{CollectiveAlgorithm, MeasuredError, Model, ModelKind};
use orrery_base::numeric::{Estimate, Interval, normal_quantile};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;

/// The factor exp(ln(measured/predicted)) of a collective operation in two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredErrorChange {
    /// The operation and its algorithm.
    pub algorithm: CollectiveAlgorithm,
    /// The root, or processor 0.
    pub root: Processor,
    /// The number of processors.
    pub procs: usize,
    /// The size of a block or vector.
    pub size: Bytes,
    /// The change of the factor.
    pub change: Change,
}

/// Compares the errors of a kind of model in the operations that both models measured; none if
/// processors were lost or added.
pub(super) fn changes(
    old: &Model,
    new: &Model,
    kind: ModelKind,
    processors: &CommonProcessors,
    options: &DiffOptions,
) -> Vec<MeasuredErrorChange> {
    if !processors.lost.is_empty() || !processors.added.is_empty() {
        return Vec::new();
    }
    let measured = |model: &Model| -> Vec<MeasuredError> {
        model.discrepancies.get(&kind).map(|all| all.collectives.clone()).unwrap_or_default()
    };
    let key = |one: &MeasuredError| (one.algorithm, one.root, one.procs, one.size);
    let before: BTreeMap<_, _> = measured(old).into_iter().map(|one| (key(&one), one)).collect();
    let both = measured(new).into_iter().filter_map(|one| Some((*before.get(&key(&one))?, one)));
    let change = |(old, new): (MeasuredError, MeasuredError)| {
        let (old, new_factor) = (factor(&old, options.level), factor(&new, options.level));
        let MeasuredError { algorithm, root, procs, size, .. } = new;
        let change = Change::between((&old).into(), (&new_factor).into());
        MeasuredErrorChange { algorithm, root, procs, size, change }
    };
    let mut found: Vec<MeasuredErrorChange> = both.map(change).collect();
    test(found.iter_mut().map(|error| &mut error.change), options.level, options.tolerance);
    found
}

/// The factor of an error, with the interval by its noise.
fn factor(one: &MeasuredError, level: f64) -> Estimate {
    let half = normal_quantile(level) * one.noise;
    let interval =
        Interval { low: (one.error - half).exp(), high: (one.error + half).exp(), level };
    Estimate { interval: Some(interval), ..Estimate::exact(one.error.exp()) }
}

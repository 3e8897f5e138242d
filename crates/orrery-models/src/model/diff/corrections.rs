//! Corrections of algorithms in two models.

use super::change::{Change, test};
use super::{CommonProcessors, DiffOptions};
use crate::model::{CollectiveAlgorithm, Model, ModelKind};
use orrery_base::units::Bytes;

/// The factor of the correction of an algorithm in two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectionChange {
    /// The algorithm.
    pub algorithm: CollectiveAlgorithm,
    /// The smallest and the largest size for which both models have measured these factors.
    pub sizes: (Bytes, Bytes),
    /// The change of the factor.
    pub change: Change,
}

/// Compares the corrections of a kind of model, piece by piece, where both models have measured the
/// same sizes and numbers of processors; none if processors were lost or added.
///
/// An algorithm without a correction in one of the models is left out: it was not measured.
pub(super) fn changes(
    old: &Model,
    new: &Model,
    kind: ModelKind,
    processors: &CommonProcessors,
    options: &DiffOptions,
) -> Vec<CorrectionChange> {
    let (Some(before), Some(after)) = (old.corrections.get(&kind), new.corrections.get(&kind))
    else {
        return Vec::new();
    };
    if !processors.lost.is_empty() || !processors.added.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (&algorithm, before) in before {
        let is_same =
            |procs: (usize, usize)| procs.0 <= before.procs.1 && before.procs.0 <= procs.1;
        let Some(after) = after.get(&algorithm).filter(|after| is_same(after.procs)) else {
            continue;
        };
        for (one, other) in
            before.pieces.iter().flat_map(|one| after.pieces.iter().map(move |other| (one, other)))
        {
            let sizes = (one.sizes.0.max(other.sizes.0), one.sizes.1.min(other.sizes.1));
            if sizes.0 <= sizes.1 {
                let change = Change::between((&one.factor).into(), (&other.factor).into());
                found.push(CorrectionChange { algorithm, sizes, change });
            }
        }
    }
    test(
        found.iter_mut().map(|correction| &mut correction.change),
        options.level,
        options.tolerance,
    );
    found
}

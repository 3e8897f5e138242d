//! Rules from what was compared at single sizes.

use super::rules::{CommunicatorRules, Reason, Rule};
use orrery_base::units::Bytes;
use orrery_measure::sample::LibraryAlgorithm;
use orrery_program::schedule::CollectiveKind;

/// What was compared at a size.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    pub size: Bytes,
    /// The default, if it is known and has a schedule.
    pub default: Option<LibraryAlgorithm>,
    /// The algorithms whose intervals exclude that they are slower than the default, each with its
    /// reason; the fastest first.
    pub faster: Vec<(LibraryAlgorithm, Reason)>,
    /// Why the default is kept where there are none.
    pub otherwise: Reason,
}

impl Compared {
    /// The reason for an algorithm at this size; `None` if a loss is not excluded.
    fn reason(&self, algorithm: LibraryAlgorithm) -> Option<Reason> {
        self.faster.iter().find(|(one, _)| *one == algorithm).map(|(_, reason)| *reason)
    }
}

/// The rules of an operation by sizes, ascending: an algorithm holds from a compared size to the
/// next one where it excludes a loss, too.
pub(super) fn by_size(
    operation: CollectiveKind,
    procs: usize,
    compared: &[Compared],
) -> CommunicatorRules {
    let keep = |from, default, reason| Rule { from, algorithm: None, default, reason };
    let mut rules = Vec::new();
    if compared.first().is_none_or(|first| first.size > Bytes::ZERO) {
        rules.push(keep(Bytes::ZERO, None, Reason::NotCompared));
    }
    for (place, one) in compared.iter().enumerate() {
        let Some(&(algorithm, reason)) = one.faster.first() else {
            rules.push(keep(one.size, one.default, one.otherwise));
            continue;
        };
        rules.push(Rule {
            from: one.size,
            algorithm: Some(algorithm),
            default: one.default,
            reason,
        });
        let next = compared.get(place + 1);
        if let Some(next) = next
            .filter(|next| next.reason(algorithm).is_none() && next.size.get() > one.size.get() + 1)
        {
            let reason = if next.faster.is_empty() { next.otherwise } else { Reason::NotCompared };
            rules.push(keep(Bytes::new(one.size.get() + 1), one.default, reason));
        }
    }
    if let Some(last) = compared.last().filter(|_| operation != CollectiveKind::Barrier) {
        rules.push(keep(Bytes::new(last.size.get().saturating_add(1)), None, Reason::NotCompared));
    }
    CommunicatorRules { operation, procs, per_host: None, rules }.merged()
}

/// The smallest and the largest size that must be compared for a rule of all sizes.
const WIDE: (Bytes, Bytes) = (Bytes::new(1 << 10), Bytes::new(1 << 20));

/// The rule of an operation whose ranks may have different sizes in hand: the algorithm that
/// excludes a loss at all compared sizes or is the default there, or the default.
///
/// In Open MPI, scatter and gather evaluate their rules with arguments that count at the root only,
/// or not with `MPI_IN_PLACE`.
pub(super) fn size_independent(
    operation: CollectiveKind,
    procs: usize,
    compared: &[Compared],
) -> CommunicatorRules {
    let keep = |reason| CommunicatorRules::keeping(operation, procs, reason);
    let (Some(first), Some(last)) = (compared.first(), compared.last()) else {
        return keep(Reason::NotCompared);
    };
    let Some(with_faster) = compared.iter().find(|one| !one.faster.is_empty()) else {
        return keep(first.otherwise);
    };
    if first.size > WIDE.0 || last.size < WIDE.1 {
        return keep(Reason::FewSizes);
    }
    let everywhere = |algorithm: &LibraryAlgorithm| {
        compared
            .iter()
            .all(|one| one.default == Some(*algorithm) || one.reason(*algorithm).is_some())
    };
    let Some((algorithm, reason)) =
        with_faster.faster.iter().find(|(algorithm, _)| everywhere(algorithm)).copied()
    else {
        return keep(Reason::SizesDiffer);
    };
    let saved_at = |one: &Compared| match one.reason(algorithm) {
        Some(Reason::Faster { saved, .. }) => saved,
        _ => 0.0,
    };
    let least = compared.iter().map(saved_at).fold(f64::INFINITY, f64::min);
    let reason = match reason {
        Reason::Faster { seconds, default, .. } => {
            Reason::Faster { seconds, default, saved: least }
        }
        other => other,
    };
    let rule = Rule { from: Bytes::ZERO, algorithm: Some(algorithm), default: None, reason };
    CommunicatorRules { operation, procs, per_host: None, rules: vec![rule] }
}

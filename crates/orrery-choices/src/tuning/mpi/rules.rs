//! Rules of collective operations by number of processes and size.

use super::Target;
use orrery_base::units::{Bytes, Seconds};
use orrery_measure::sample::{Library, LibraryAlgorithm};
use orrery_program::schedule::CollectiveKind;

/// The rules for one MPI library.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// The release.
    pub target: Target,
    /// The rules of each operation and number of processes, ascending by both.
    pub communicators: Vec<CommunicatorRules>,
}

/// The rules of an operation on a number of processes.
#[derive(Debug, Clone, PartialEq)]
pub struct CommunicatorRules {
    /// The operation.
    pub operation: CollectiveKind,
    /// The number of processes.
    pub procs: usize,
    /// The number of processes for each host, rounded up; `None` if it is not known.
    pub per_host: Option<usize>,
    /// The rules, ascending by size from 0 on; each holds up to the next one.
    pub rules: Vec<Rule>,
}

/// What a library does from a size on.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The smallest size: of the block of one process, or of the vector of operations without
    /// blocks.
    pub from: Bytes,
    /// The algorithm in place of the default; `None` keeps the default.
    pub algorithm: Option<LibraryAlgorithm>,
    /// The default, if it is known and has a schedule.
    pub default: Option<LibraryAlgorithm>,
    /// The reason.
    pub reason: Reason,
}

/// The reason of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// The algorithm is faster than the default beyond doubt.
    Faster {
        /// The time of the algorithm at the smallest size.
        seconds: Seconds,
        /// The time of the default there.
        default: Seconds,
        /// The smallest part of the default's time that is saved at the sizes of the rule, by the
        /// lower ends of intervals (0 to 1).
        saved: f64,
    },
    /// No algorithm is faster than the default beyond doubt.
    Default,
    /// The default has no schedule, or its time is not known, so that a loss cannot be excluded.
    UnknownDefault,
    /// Nothing was predicted or measured at these sizes.
    NotCompared,
    /// Ranks of this operation can have different sizes in hand, and different algorithms at
    /// different sizes would make them wait for each other for ever.
    SizesDiffer,
    /// For such an operation, sizes from 1 KiB to 1 MiB at least must be compared.
    FewSizes,
}

impl Reason {
    /// The reason in words.
    pub fn words(&self) -> String {
        match self {
            Self::Faster { seconds, default, saved } => {
                format!("{seconds} instead of {default}, at least {:.0} % less", 100.0 * saved)
            }
            Self::Default => "a loss is not excluded".into(),
            Self::UnknownDefault => "the time of the default is not known".into(),
            Self::NotCompared => "not compared".into(),
            Self::SizesDiffer => {
                "no algorithm is faster at all sizes, on which the rule may not depend".into()
            }
            Self::FewSizes => {
                "the rule may not depend on the size; compare sizes from 1K to 1M".into()
            }
        }
    }
}

impl CommunicatorRules {
    /// Rules that keep the default at all sizes.
    pub fn keeping(operation: CollectiveKind, procs: usize, reason: Reason) -> Self {
        let rules = vec![Rule { from: Bytes::ZERO, algorithm: None, default: None, reason }];
        Self { operation, procs, per_host: None, rules }
    }

    /// Returns true if a rule replaces the default.
    pub fn replaces(&self) -> bool {
        self.rules.iter().any(|rule| rule.algorithm.is_some())
    }

    /// The rule at a size; `None` below the first one.
    pub fn at(&self, size: Bytes) -> Option<&Rule> {
        self.rules.iter().rev().find(|rule| rule.from <= size)
    }

    /// The same rules without those that repeat the one before; the reason of the first one stays,
    /// with the smallest saved part.
    pub(super) fn merged(mut self) -> Self {
        let mut merged: Vec<Rule> = Vec::new();
        for rule in self.rules {
            match merged.last_mut() {
                Some(last) if last.algorithm == rule.algorithm && last.is_replacing_same(&rule) => {
                    if last.default != rule.default {
                        last.default = None;
                    }
                    if let (Reason::Faster { saved, .. }, Reason::Faster { saved: other, .. }) =
                        (&mut last.reason, &rule.reason)
                    {
                        *saved = saved.min(*other);
                    }
                }
                _ => merged.push(rule),
            }
        }
        self.rules = merged;
        self
    }
}

impl Rule {
    /// Returns true if both rules replace the same default, or keep it for the same reason.
    fn is_replacing_same(&self, other: &Self) -> bool {
        match (self.algorithm, &self.reason) {
            (Some(_), _) => true,
            (None, reason) => *reason == other.reason,
        }
    }
}

impl Rules {
    /// The reductions whose rules name an algorithm that takes operands in another order than that
    /// of ranks: programs that use operations of their own which do not commute would get other
    /// results. Only Open MPI has no condition for that; the trees of its binomial reduction keep
    /// the order, and Rabenseifner's algorithm is left if operations do not commute.
    pub fn reordered(&self) -> Vec<CollectiveKind> {
        use orrery_program::schedule::Algorithm as A;
        let reorders = |rule: &Rule| match rule.algorithm {
            Some(LibraryAlgorithm::Scheduled(one)) => {
                matches!(
                    one,
                    A::Ring | A::SegmentedRing(_) | A::Chain(..) | A::Pipeline(_) | A::Binary(_)
                )
            }
            _ => false,
        };
        let is_of = |one: &&CommunicatorRules| {
            self.target.library() == Library::OpenMpi
                && one.operation.is_reduction()
                && one.rules.iter().any(reorders)
        };
        let mut operations: Vec<_> =
            self.communicators.iter().filter(is_of).map(|one| one.operation).collect();
        operations.dedup();
        operations
    }

    /// The operations and numbers of processes with a rule that replaces the default.
    pub(super) fn replacing(&self) -> impl Iterator<Item = &CommunicatorRules> {
        self.communicators.iter().filter(|one| one.replaces())
    }
}

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

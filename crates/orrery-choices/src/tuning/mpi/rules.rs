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

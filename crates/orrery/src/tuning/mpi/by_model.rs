//! Rules by a model: where it excludes that an algorithm is slower than the default.

use super::rules::{CommunicatorRules, Reason, Rule};
use super::{Defaults, Target, mpich, open_mpi};
use crate::collective::{Candidate, CollectiveChoice, SizeRange, choose, with_common_segments};
use crate::model::{Model, ModelKind, PredictError};
use crate::platform::Processor;
use crate::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::{Bytes, Seconds};

/// The rules of an operation on the first processes of a model, for sizes from `sizes.0` to `sizes.1`.
///
/// The default and the other algorithms of the library are compared at sizes in steps of a doubling, by the times of the library's
/// calls: with the corrections that were measured, if the model has some. An algorithm replaces the default between two sizes at both of
/// which the interval of the difference of their times, with the discrepancies of the model, excludes that it is slower. Beyond the
/// last such size the default is kept. Where the model has no intervals nothing is replaced.
///
/// # Errors
///
/// When the model does not contain the kind, or has fewer processors.
pub fn by_model(
    model: &Model,
    kind: ModelKind,
    (target, defaults): (Target, Defaults),
    (operation, procs): (CollectiveKind, usize),
    per_host: usize,
    sizes: (Bytes, Bytes),
) -> Result<CommunicatorRules, PredictError> {
    let question = Question { model, kind, target, operation, procs };
    let sizes = if operation == CollectiveKind::Barrier { (Bytes::ZERO, Bytes::ZERO) } else { sizes };
    let ranges = defaults.ranges(operation, procs, per_host);
    let ends = ranges.iter().skip(1).map(|(from, _)| Bytes::new(from.get() - 1)).chain([sizes.1]);
    let mut rules = Vec::new();
    if sizes.0 > Bytes::ZERO {
        rules.push(Rule { from: Bytes::ZERO, algorithm: None, default: None, reason: Reason::NotCompared });
    }
    for (&(from, default), end) in ranges.iter().zip(ends) {
        let (from, end) = (from.max(sizes.0), end.min(sizes.1));
        if from > end {
            continue;
        }
        let Some(LibraryAlgorithm::Scheduled(algorithm)) = default else {
            rules.push(Rule { from, algorithm: None, default, reason: Reason::UnknownDefault });
            continue;
        };
        rules.extend(question.rules(algorithm, (from, end))?);
    }
    if operation != CollectiveKind::Barrier {
        let from = Bytes::new(sizes.1.get().saturating_add(1));
        rules.push(Rule { from, algorithm: None, default: None, reason: Reason::NotCompared });
    }
    let rules = CommunicatorRules { operation, procs, rules };
    Ok(if target.has_one_size(operation) { rules.of_one_size() } else { rules }.merged())
}

impl Target {
    /// Returns true if the rules of an operation may not depend on the size: ranks of Open MPI may see different ones there, and those
    /// of scans do not count all data.
    pub(super) fn has_one_size(self, operation: CollectiveKind) -> bool {
        use CollectiveKind::{Exscan, Gather, Scan, Scatter};
        self.library() == Library::OpenMpi && matches!(operation, Scatter | Gather | Scan | Exscan)
    }

    /// Returns true if a rule can name this algorithm.
    pub(super) fn can_name(self, operation: CollectiveKind, algorithm: LibraryAlgorithm) -> bool {
        match self.library() {
            Library::OpenMpi => open_mpi::parameters(self, operation, algorithm).is_some(),
            _ => mpich::name(operation, algorithm).is_some(),
        }
    }
}

/// What is asked of a model.
struct Question<'a> {
    model: &'a Model,
    kind: ModelKind,
    target: Target,
    operation: CollectiveKind,
    procs: usize,
}

impl Question<'_> {
    /// The rules at sizes with one default.
    fn rules(&self, default: Algorithm, (from, end): (Bytes, Bytes)) -> Result<Vec<Rule>, PredictError> {
        let grid = std::iter::successors(Some(from), |size| Some(Bytes::new(size.get().max(1).saturating_mul(2))));
        let grid = grid.take_while(|size| *size < end).chain([end]);
        let mut rules: Vec<Rule> = Vec::new();
        let named = |algorithm| Some(LibraryAlgorithm::Scheduled(algorithm));
        for size in grid {
            let best = self.best(default, size)?;
            let (algorithm, reason) = match best {
                Some((algorithm, reason)) => (named(algorithm), reason),
                None => (None, Reason::Default),
            };
            rules.push(Rule { from: size, algorithm, default: named(default), reason });
        }
        Ok(within_compared(rules))
    }

    /// The algorithm in place of the default at a size, with the reason; `None` if no one is faster beyond doubt.
    fn best(&self, default: Algorithm, size: Bytes) -> Result<Option<(Algorithm, Reason)>, PredictError> {
        let library = self.target.library();
        let runs = |algorithm: &Algorithm| {
            let algorithm = LibraryAlgorithm::Scheduled(*algorithm);
            self.target.can_name(self.operation, algorithm)
                && NativeAlgorithm { library, algorithm }.runs_on(self.operation, self.procs, size)
        };
        let whole = library.algorithms(self.operation).into_iter().filter(|one| one.runs_on(self.procs)).collect();
        let all = with_common_segments(self.operation, whole, size);
        let mut candidates: Vec<Algorithm> = all.into_iter().filter(runs).filter(|one| *one != default).collect();
        candidates.insert(0, default);
        let Some(fastest) = self.compared(&candidates, default, size)? else { return Ok(None) };
        if fastest.best.algorithm == default {
            return Ok(None);
        }
        // The fastest one against the default alone.
        let Some(pair) = self.compared(&[fastest.best.algorithm, default], default, size)? else { return Ok(None) };
        let (chosen, comparison) = (pair.best.algorithm, pair.first);
        let Some((low, _)) = comparison.interval.filter(|_| chosen != default && pair.distinct == Some(true)) else {
            return Ok(None);
        };
        let default = comparison.seconds + comparison.margin;
        let saved = if default > Seconds::ZERO { low.get() / default.get() } else { 0.0 };
        Ok(Some((chosen, Reason::Faster { seconds: comparison.seconds, default, saved })))
    }

    /// The choice among candidates at a size, where the default is kept unless another one is faster beyond doubt.
    fn compared(
        &self,
        algorithms: &[Algorithm],
        default: Algorithm,
        size: Bytes,
    ) -> Result<Option<SizeRange>, PredictError> {
        let candidate = |&algorithm: &Algorithm| Candidate { algorithm, root: Processor(0) };
        let choice = CollectiveChoice {
            library: Some(self.target.library()),
            candidates: algorithms.iter().map(candidate).collect(),
            kept: Some(candidate(&default)),
            ..CollectiveChoice::new(self.operation, self.procs).sizes(size, size)
        };
        Ok(choose(self.model, self.kind, &choice)?.into_iter().next())
    }
}

/// Rules that replace the default between compared sizes only: the last size of an algorithm is the end of its rule.
pub(super) fn within_compared(rules: Vec<Rule>) -> Vec<Rule> {
    let mut bounded: Vec<Rule> = Vec::new();
    let nexts: Vec<Option<bool>> =
        (0..rules.len()).map(|place| rules.get(place + 1).map(|next| next.algorithm.is_some())).collect();
    for (rule, next) in rules.into_iter().zip(nexts) {
        let ends_here = rule.algorithm.is_some() && next == Some(false);
        let (from, default) = (rule.from, rule.default);
        bounded.push(rule);
        if ends_here {
            let from = Bytes::new(from.get() + 1);
            bounded.push(Rule { from, algorithm: None, default, reason: Reason::Default });
        }
    }
    bounded
}

//! Rules by a model: where it excludes that an algorithm is slower than the default.

use std::collections::BTreeSet;

use super::rules::{CommunicatorRules, Compared, Reason, by_size, size_independent};
use super::{Defaults, Target, mpich, open_mpi};
use crate::collective::{Candidate, CollectiveChoice, SizeRange, choose, with_common_segments};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery_models::model::{Model, ModelKind, PredictError};
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The rules of an operation on the first processes of a model, for sizes from `sizes.0` to
/// `sizes.1`.
///
/// The default and the other algorithms of the library are compared at sizes in steps of a
/// doubling, by the times of the library's calls: with the corrections that were measured, if the
/// model has some. An algorithm replaces the default between two sizes at both of which the
/// interval of the difference of their times, with the discrepancies of the model, excludes that it
/// is slower; of operations with a root, for the first, the middle and the last process as root.
/// Beyond the last such size the default is kept. Where the model has no intervals nothing is
/// replaced.
///
/// # Errors
///
/// When the model does not contain the kind, or has fewer processors.
pub fn by_model(
    model: &Model,
    kind: ModelKind,
    (target, defaults): (Target, Defaults),
    (operation, procs): (CollectiveKind, usize),
    sizes: (Bytes, Bytes),
) -> Result<CommunicatorRules, PredictError> {
    let per_host = ranks_on_hosts(model, procs);
    let question = Question { model, kind, target, operation, procs };
    let sizes =
        if operation == CollectiveKind::Barrier { (Bytes::ZERO, Bytes::ZERO) } else { sizes };
    let ranges = defaults.ranges(operation, procs, per_host.unwrap_or(1));
    let ends = ranges.iter().skip(1).map(|(from, _)| Bytes::new(from.get() - 1)).chain([sizes.1]);
    let mut compared: Vec<Compared> = Vec::new();
    for (&(from, default), end) in ranges.iter().zip(ends) {
        let (from, end) = (from.max(sizes.0), end.min(sizes.1));
        if from > end {
            continue;
        }
        let grid = std::iter::successors(Some(from), |size| {
            Some(Bytes::new(size.get().max(1).saturating_mul(2)))
        });
        for size in grid.take_while(|size| *size < end).chain([end]) {
            let before =
                compared.last().and_then(|one| one.faster.first()).map(|(algorithm, _)| *algorithm);
            compared.push(match default {
                Some(LibraryAlgorithm::Scheduled(algorithm)) => {
                    question.compare(algorithm, size, before)?
                }
                _ => Compared {
                    size,
                    default,
                    faster: Vec::new(),
                    otherwise: Reason::UnknownDefault,
                },
            });
        }
    }
    let rules = if target.is_size_independent(operation) { size_independent } else { by_size };
    Ok(CommunicatorRules { per_host, ..rules(operation, procs, &compared) })
}

/// The smallest number of processes for each host with which the first processes are as many as on
/// their hosts: p/h rounded up, for p processes on h hosts; `None` if a host is not known.
fn ranks_on_hosts(model: &Model, procs: usize) -> Option<usize> {
    let hosts = model.hosts.get(..procs)?;
    let different: BTreeSet<&String> = hosts.iter().collect();
    (!hosts.is_empty() && hosts.iter().all(|host| !host.is_empty()))
        .then(|| procs.div_ceil(different.len()))
}

impl Target {
    /// Returns true if the rules of an operation may not depend on the size: ranks of Open MPI may
    /// see different ones there, and those of scans do not count all data.
    pub(super) fn is_size_independent(self, operation: CollectiveKind) -> bool {
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
    /// Compares with the default at a size: the fastest algorithm, the one that is chosen at the
    /// size before, and, where rules may not depend on the size, all algorithms.
    fn compare(
        &self,
        default: Algorithm,
        size: Bytes,
        before: Option<LibraryAlgorithm>,
    ) -> Result<Compared, PredictError> {
        let library = self.target.library();
        let runs = |algorithm: &Algorithm| {
            let algorithm = LibraryAlgorithm::Scheduled(*algorithm);
            self.target.can_name(self.operation, algorithm)
                && NativeAlgorithm { library, algorithm }.runs_on(self.operation, self.procs, size)
        };
        let whole: Vec<Algorithm> = library
            .algorithms(self.operation)
            .into_iter()
            .filter(|one| one.runs_on(self.procs))
            .collect();
        let candidates = if self.target.is_size_independent(self.operation) {
            whole.into_iter().filter(runs).filter(|one| *one != default).collect()
        } else {
            let mut all = with_common_segments(self.operation, whole, size);
            all.retain(|one| runs(one) && *one != default);
            all.insert(0, default);
            let fastest =
                self.fastest(&all, default, Processor(0), size)?.map(|found| found.best.algorithm);
            let before = before.and_then(|one| match one {
                LibraryAlgorithm::Scheduled(one) => Some(one).filter(|one| all.contains(one)),
                _ => None,
            });
            let mut both: Vec<Algorithm> =
                fastest.into_iter().chain(before).filter(|one| *one != default).collect();
            both.dedup();
            both
        };
        let mut faster = Vec::new();
        for algorithm in candidates {
            let reason = self.pair(algorithm, default, size)?;
            faster.extend(reason.map(|reason| (LibraryAlgorithm::Scheduled(algorithm), reason)));
        }
        let default = Some(LibraryAlgorithm::Scheduled(default));
        Ok(Compared { size, default, faster, otherwise: Reason::Default })
    }

    /// The reason for an algorithm in place of the default at a size; `None` if a loss is not
    /// excluded for each root.
    fn pair(
        &self,
        algorithm: Algorithm,
        default: Algorithm,
        size: Bytes,
    ) -> Result<Option<Reason>, PredictError> {
        let roots = if self.operation.has_root() {
            vec![0, self.procs / 2, self.procs - 1]
        } else {
            vec![0]
        };
        let (mut first, mut least) = (None, f64::INFINITY);
        for root in roots {
            let found =
                self.fastest(&[algorithm, default], default, Processor(root as u32), size)?;
            let Some(pair) = found
                .filter(|pair| pair.best.algorithm == algorithm && pair.distinct == Some(true))
            else {
                return Ok(None);
            };
            let comparison = pair.first;
            let Some((low, _)) = comparison.interval else { return Ok(None) };
            let default = comparison.seconds + comparison.margin;
            least =
                least.min(if default > Seconds::ZERO { low.get() / default.get() } else { 0.0 });
            first.get_or_insert((comparison.seconds, default));
        }
        Ok(first.map(|(seconds, default)| Reason::Faster { seconds, default, saved: least }))
    }

    /// The choice among candidates at a size, where the default is kept unless another one is
    /// faster beyond doubt.
    fn fastest(
        &self,
        algorithms: &[Algorithm],
        default: Algorithm,
        root: Processor,
        size: Bytes,
    ) -> Result<Option<SizeRange>, PredictError> {
        let candidate = |&algorithm: &Algorithm| Candidate { algorithm, root };
        let choice = CollectiveChoice {
            library: Some(self.target.library()),
            candidates: algorithms.iter().map(candidate).collect(),
            kept: Some(candidate(&default)),
            ..CollectiveChoice::new(self.operation, self.procs).sizes(size, size)
        };
        Ok(choose(self.model, self.kind, &choice)?.into_iter().next())
    }
}

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{RequestError, check_level, procs};
use crate::collective::CollectiveChoice;
use crate::model::{Model, ModelKind};
use crate::sample::{Experiment, PROCESSES_PER_HOST, Samples};
use crate::schedule::CollectiveKind;
use crate::tuning::mpi::{
    BySamples, Defaults, Probe, Rules, SelectionTree, Target, by_model, by_samples,
};
use crate::units::Bytes;

/// The rules by which an MPI library chooses algorithms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TuningRequest {
    /// The operations; all for an empty list.
    pub operations: Vec<CollectiveKind>,
    /// The numbers of processes; all processors of a model, or those of samples, for an empty list.
    pub procs: Vec<usize>,
    /// The smallest and the largest size of the rules by a model.
    pub size: Option<(Bytes, Bytes)>,
    /// The kind of model; the preferred one by default.
    pub model: Option<ModelKind>,
}

/// The largest number of processes of rules by samples.
const MAX_PROCESSES: usize = 1 << 20;

impl TuningRequest {
    /// Returns the rules by a model; `tree` is the selection tree of MPICH, whose rules are added to
    /// it.
    ///
    /// # Errors
    ///
    /// When the model has no model of the communication, or fewer processors.
    pub fn by_model(
        &self,
        model: &Model,
        target: Target,
        tree: Option<&SelectionTree>,
    ) -> Result<Rules, RequestError> {
        let kind = self.model.or_else(|| model.preferred_kind());
        let kind = kind.ok_or(RequestError::NoCommunication)?;
        let defaults = match (tree, target) {
            (Some(tree), _) => Defaults::Mpich(tree),
            // With one process on each host coll/han leaves all operations to coll/tuned.
            (None, Target::OpenMpiHan) if has_one_on_each_host(model) => Defaults::OpenMpi,
            (None, target) => target.known_defaults().unwrap_or(Defaults::Unknown),
        };
        let sizes = self.size.unwrap_or(CollectiveChoice::DEFAULT_SIZES);
        let mut numbers = self.procs(model.processors())?;
        if numbers.is_empty() {
            numbers.insert(procs(None, model.processors())?);
        }
        let mut communicators = Vec::new();
        for operation in CollectiveKind::ALL.into_iter().filter(|one| self.has(*one)) {
            for &procs in &numbers {
                let question = (operation, procs);
                communicators.push(by_model(model, kind, (target, defaults), question, sizes)?);
            }
        }
        Ok(Rules { target, communicators })
    }

    /// Returns the rules by measured times of the library.
    ///
    /// # Errors
    ///
    /// When a number of processes is too large, or no algorithm of the library was forced.
    pub fn by_samples(
        &self,
        mut samples: Samples,
        target: Target,
    ) -> Result<BySamples, RequestError> {
        let per_host = samples.provenance.get(PROCESSES_PER_HOST);
        let per_host = per_host.and_then(|number| number.parse().ok());
        let numbers = self.procs(MAX_PROCESSES)?;
        samples.retain(|experiment, _| match *experiment {
            Experiment::Native { kind, procs, .. } => {
                self.has(kind) && (numbers.is_empty() || numbers.contains(&procs))
            }
            _ => false,
        });
        let mut found = by_samples(&samples, target)
            .map_err(|fault| RequestError::failed(fault.to_string()))?;
        found.rules.iter_mut().for_each(|rules| rules.per_host = per_host);
        Ok(found)
    }

    /// Returns true if there are rules for an operation.
    fn has(&self, operation: CollectiveKind) -> bool {
        self.operations.is_empty() || self.operations.contains(&operation)
    }

    /// The numbers of processes.
    fn procs(&self, processors: usize) -> Result<BTreeSet<usize>, RequestError> {
        self.procs.iter().map(|&number| procs(Some(number), processors)).collect()
    }
}

/// Returns true if all hosts are known and different.
fn has_one_on_each_host(model: &Model) -> bool {
    let different: BTreeSet<&String> = model.hosts.iter().filter(|host| !host.is_empty()).collect();
    different.len() == model.processors()
}

/// The comparison of measured times without rules and with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerificationRequest {
    /// The operations; by default those with rules, or of MPICH, whose file does not name them, six
    /// common ones.
    #[serde(default)]
    pub operations: Vec<CollectiveKind>,
    /// The number of launches without rules, and as many with them.
    pub launches: u32,
    /// The level of intervals and tests.
    pub level: f64,
}

/// The operations by default with MPICH, whose file does not say which of its decisions are new.
const OF_MPICH: [CollectiveKind; 6] = [
    CollectiveKind::Broadcast,
    CollectiveKind::Reduce,
    CollectiveKind::Allreduce,
    CollectiveKind::Allgather,
    CollectiveKind::Alltoall,
    CollectiveKind::ReduceScatter,
];

/// The maximum number of launches with and without rules.
const MAX_LAUNCHES: u32 = 100;

impl VerificationRequest {
    /// Returns the operations that are measured for rules with these probes: the named ones, else
    /// those of the probes, or all of MPICH if only its selection tree is probed.
    ///
    /// # Errors
    ///
    /// When no difference can be significant, or when there is no rule.
    pub fn operations(&self, probes: &[Probe]) -> Result<Vec<CollectiveKind>, RequestError> {
        check_level(self.level)?;
        if !(1..=MAX_LAUNCHES).contains(&self.launches) {
            let reason = format!("valid numbers of launches are 1 to {MAX_LAUNCHES}");
            return Err(RequestError::invalid("launches", self.launches, reason));
        }
        // The number of orders of the launches; the smallest p-value is 2 divided by it.
        let orders: f64 =
            (1..=self.launches).map(|k| f64::from(self.launches + k) / f64::from(k)).product();
        if 2.0 / orders > 1.0 - self.level {
            let reason = format!(
                "with {} launches no difference is significant at this level; use more launches",
                self.launches
            );
            return Err(RequestError::invalid("level", self.level, reason));
        }
        let is_of_tree = probes.iter().all(|probe| probe.operation == CollectiveKind::Barrier);
        let operations: Vec<CollectiveKind> = match &self.operations[..] {
            [] if is_of_tree && !probes.is_empty() => OF_MPICH.to_vec(),
            [] => probes.iter().map(|probe| probe.operation).collect(),
            named => named.to_vec(),
        };
        if probes.is_empty() || operations.is_empty() {
            let reason = "there are no rules to verify; write some by a model or by samples";
            return Err(RequestError::failed(reason));
        }
        Ok(operations)
    }
}

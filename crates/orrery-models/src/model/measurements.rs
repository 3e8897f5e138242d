use std::collections::{BTreeMap, BTreeSet};

use super::Model;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, LaunchDifference};
use orrery_program::schedule::{Collective, CollectiveKind};

/// The key of the provenance that holds the number of readings of a fit.
pub(super) const READINGS: &str = "readings";

/// What was measured on the way to a model, as far as predictions depend on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurements {
    /// The largest number of processors that took part in one experiment; `None` if it is unknown.
    pub processors: Option<usize>,
    /// The number of processors that were measured, the first ones, if the others count as those of
    /// their classes; `None` if all were.
    pub measured: Option<usize>,
    /// The largest number of processors that exchanged messages in pairs at the same time; `None`
    /// if none did.
    pub exchanging: Option<usize>,
    /// The largest backlog at an in-port or shared link in exchanges of pairs at the same time that
    /// showed no losses; `None` if data of several senders met nowhere.
    pub exchange_backlog: Option<Bytes>,
    /// The linear scatters and gathers, ordered by operation, root and number of processors.
    pub sweeps: Vec<Sweep>,
    /// The difference between launches, if there is one.
    pub launches: Option<LaunchDifference>,
    /// The experiments of the fit.
    pub seen: SeenExperiments,
}

/// The experiments that any part of a fit has seen: the sizes of each operation.
///
/// Launches and repetitions of an experiment count together, and so do pairs and triples of
/// processors, since a fit to some of them determines the others. A collective operation has its
/// root and its number of processors in its name: `scatter/linear of 6, root 0`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenExperiments(pub BTreeMap<String, BTreeSet<Bytes>>);

impl SeenExperiments {
    /// Returns true if the fit has seen this experiment.
    pub fn contains(&self, experiment: &Experiment) -> bool {
        self.0.get(&operation(experiment)).is_some_and(|sizes| sizes.contains(&experiment.size()))
    }
}

impl SeenExperiments {
    /// Returns the largest size of an experiment at which a condition holds, whatever its pair or
    /// triple; `None` if the fit has seen none.
    pub(super) fn largest(
        &self,
        experiment: &Experiment,
        holds: impl Fn(Bytes) -> bool,
    ) -> Option<Bytes> {
        let sizes = self.0.get(&operation(experiment))?;
        sizes.iter().rev().copied().find(|size| holds(*size))
    }
}

impl FromIterator<Experiment> for SeenExperiments {
    fn from_iter<T: IntoIterator<Item = Experiment>>(experiments: T) -> Self {
        let mut sizes: BTreeMap<String, BTreeSet<Bytes>> = BTreeMap::new();
        for experiment in experiments {
            sizes.entry(operation(&experiment)).or_default().insert(experiment.size());
        }
        Self(sizes)
    }
}

impl Model {
    /// Returns true if the fit of this model has seen an experiment, so that its error is a residual
    /// and not that of a prediction. A fitted model whose file has no record has seen all.
    pub fn has_seen(&self, experiment: &Experiment) -> bool {
        let SeenExperiments(seen) = &self.measurements.seen;
        if seen.is_empty() {
            return self.provenance.get(READINGS).is_some();
        }
        self.measurements.seen.contains(experiment)
    }
}

/// The name of an experiment with all that it is besides its size and its pair or triple.
fn operation(experiment: &Experiment) -> String {
    let fields = experiment.fields();
    let mut name = experiment.name();
    name.extend(fields.procs.map(|procs| format!(" of {procs}")));
    name.extend(fields.root.map(|root| format!(", root {root}")));
    name.extend(experiment.other_reply().map(|reply| format!(", reply {}", reply.get())));
    name.extend(fields.count.map(|count| format!(", count {count}")));
    name
}

/// The measured sizes of a linear scatter or gather of one root and one number of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// The operation.
    pub operation: CollectiveKind,
    /// Its root.
    pub root: Processor,
    /// The number of processors.
    pub procs: usize,
    /// The largest block.
    pub largest: Bytes,
}

impl Measurements {
    /// Returns true if nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the largest measured block of a linear operation; `None` if none was measured.
    pub(super) fn largest(&self, collective: &Collective) -> Option<Bytes> {
        let Collective { kind, root, ranks, .. } = *collective;
        let is_same =
            |sweep: &&Sweep| (sweep.operation, sweep.root.0, sweep.procs) == (kind, root.0, ranks);
        self.sweeps.iter().find(is_same).map(|sweep| sweep.largest)
    }
}

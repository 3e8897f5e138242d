//! What samples contain, as far as predictions depend on it.

use std::collections::BTreeMap;

use crate::model::{Measurements, Sweep};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, LaunchDifference, Samples};
use orrery_program::schedule::{Algorithm, CollectiveKind};

impl Measurements {
    /// Returns what these samples contain.
    pub fn of(samples: &Samples) -> Self {
        let experiments = || samples.series().iter().map(|series| series.experiment);
        let mut largest: BTreeMap<(CollectiveKind, Processor, usize), Bytes> = BTreeMap::new();
        for experiment in experiments() {
            if let Experiment::Collective { kind, algorithm: Algorithm::Linear, root, procs, size } =
                experiment
                && CollectiveKind::SCATTER_GATHER.contains(&kind)
            {
                let known = largest.entry((kind, root, procs)).or_insert(size);
                *known = size.max(*known);
            }
        }
        let sweep = |((operation, root, procs), largest): ((_, _, _), Bytes)| Sweep {
            operation,
            root,
            procs,
            largest,
        };
        Self {
            processors: experiments()
                .filter(Experiment::has_program)
                .map(|experiment| experiment.procs())
                .max(),
            exchanging: experiments().filter_map(|experiment| experiment.exchanging()).max(),
            sweeps: largest.into_iter().map(sweep).collect(),
            launches: LaunchDifference::of(samples),
            seen: experiments().collect(),
        }
    }
}

use super::{AdaptiveSizes, Plan};
use crate::platform::Processor;
use crate::sample::{Experiment, Samples, SizeReadings, classify_readings};
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::Bytes;

/// Which collective operations are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveDesign {
    /// The operations.
    pub kinds: Vec<CollectiveKind>,
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The roots.
    pub roots: Vec<Processor>,
    /// How many processors take part.
    pub procs: usize,
    /// The blocks of one processor.
    pub sizes: Vec<Bytes>,
}

/// Every operation by every algorithm from every root at every size, one at a time, in an order drawn from `seed`.
pub fn collectives(what: &CollectiveDesign, seed: u64) -> Plan {
    let mut rounds = Vec::new();
    for &kind in &what.kinds {
        for &algorithm in &what.algorithms {
            for &root in &what.roots {
                let procs = what.procs;
                rounds.extend(
                    what.sizes.iter().map(|&size| vec![Experiment::Collective { kind, algorithm, root, procs, size }]),
                );
            }
        }
    }
    Plan::shuffled(rounds, seed)
}

/// What is to be measured with adaptive sizes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdaptivePlan {
    /// What has been measured, if only in part: to be completed before it decides.
    pub known: Plan,
    /// The sizes that come next; none when every break is pinned.
    pub fresh: Plan,
}

/// As [`collectives`], each operation with sizes of its own: those that are measured, and those where its times turn.
pub fn adaptive_collectives(
    what: &CollectiveDesign,
    sizes: &AdaptiveSizes,
    samples: &Samples,
    seed: u64,
) -> AdaptivePlan {
    let (mut before, mut fresh) = (Vec::new(), Vec::new());
    for &kind in &what.kinds {
        for &algorithm in &what.algorithms {
            for &root in &what.roots {
                let of = |size| Experiment::Collective { kind, algorithm, root, procs: what.procs, size };
                let known = samples.in_order().filter(|series| series.experiment == of(series.experiment.size()));
                let readings = known.map(|series| (series.experiment.size(), series.seconds()));
                let measured: Vec<SizeReadings> =
                    classify_readings(readings).into_iter().filter(|point| sizes.contains(point.size)).collect();
                before.extend(measured.iter().map(|point| vec![of(point.size)]));
                fresh.extend(sizes.next(&measured).into_iter().map(|size| vec![of(size)]));
            }
        }
    }
    AdaptivePlan { known: Plan::shuffled(before, seed), fresh: Plan::shuffled(fresh, seed) }
}

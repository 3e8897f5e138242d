use super::Plan;
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::Bytes;

/// Which collective operations are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collectives {
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
pub fn collectives(what: &Collectives, seed: u64) -> Plan {
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

//! Campaigns of collective operations.

use super::{AdaptiveSizes, Campaign, CampaignEnd, CampaignError, Design, Plan};
use crate::sample::{Experiment, NativeAlgorithm, Samples, SizeReadings, classify_readings};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The collective operations of a campaign: every combination of operation, root and size;
/// operations without a root once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveDesign {
    /// The operations, each with an algorithm that it has.
    pub operations: Vec<(CollectiveKind, Algorithm)>,
    /// Operations of the MPI library, each with an algorithm that it is forced to use, or by its
    /// own choice. Sizes for which the library replaces the algorithm are left out.
    pub native: Vec<(CollectiveKind, Option<NativeAlgorithm>)>,
    /// The roots.
    pub roots: Vec<Processor>,
    /// The number of processors that take part.
    pub procs: usize,
    /// The sizes of the block of one processor.
    pub sizes: Vec<Bytes>,
}

impl CollectiveDesign {
    /// Scatter and gather with their usual algorithms from processor 0, on `procs` processors, with
    /// these sizes.
    pub fn new(procs: usize, sizes: Vec<Bytes>) -> Self {
        let operations = Self::usual(&CollectiveKind::SCATTER_GATHER);
        Self { operations, native: Vec::new(), roots: vec![Processor(0)], procs, sizes }
    }

    /// Returns these operations with each of their usual algorithms.
    pub fn usual(kinds: &[CollectiveKind]) -> Vec<(CollectiveKind, Algorithm)> {
        let of = |&kind: &CollectiveKind| {
            kind.usual_algorithms().iter().map(move |&algorithm| (kind, algorithm))
        };
        kinds.iter().flat_map(of).collect()
    }

    /// The forced algorithms of the MPI library that are left out for some of the sizes, since the
    /// library replaces them there, each with the number of these sizes.
    pub fn replaced(&self) -> Vec<(CollectiveKind, NativeAlgorithm, usize)> {
        let forced = self.native.iter().filter_map(|&(kind, algorithm)| Some((kind, algorithm?)));
        let counted = forced.map(|(kind, algorithm)| {
            let is_replaced = |size: &&Bytes| !algorithm.runs_on(kind, self.procs, **size);
            (kind, algorithm, sizes_of(kind, &self.sizes).iter().filter(is_replaced).count())
        });
        counted.filter(|(_, _, sizes)| *sizes > 0).collect()
    }

    /// The experiments of each operation with each algorithm and root, as functions of the size.
    fn experiments(&self) -> impl Iterator<Item = (CollectiveKind, impl Fn(Bytes) -> Experiment)> {
        let procs = self.procs;
        let scheduled =
            self.operations.iter().map(|&(kind, algorithm)| (kind, Code::Schedule(algorithm)));
        let native = self.native.iter().map(|&(kind, algorithm)| (kind, Code::Library(algorithm)));
        scheduled.chain(native).flat_map(move |(kind, code)| {
            let roots = if kind.has_root() { &self.roots[..] } else { &[Processor(0)] };
            let of_root = move |root| {
                move |size| match code {
                    Code::Schedule(algorithm) => {
                        Experiment::Collective { kind, algorithm, root, procs, size }
                    }
                    Code::Library(algorithm) => {
                        Experiment::Native { kind, algorithm, root, procs, size }
                    }
                }
            };
            roots.iter().map(move |&root| (kind, of_root(root)))
        })
    }
}

/// What carries out an operation: a schedule of an algorithm, or the MPI library.
#[derive(Clone, Copy)]
enum Code {
    Schedule(Algorithm),
    Library(Option<NativeAlgorithm>),
}

impl Design for CollectiveDesign {
    fn measure(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError> {
        campaign.run(STAGE, &collectives(self, campaign.order_seed()))
    }
}

/// The name of plans of collective operations in progress reports.
const STAGE: &str = "collectives";

/// The plan of every operation with every algorithm from every root at every size, one at a time,
/// in an order drawn from `seed`. With reductions, each processor also combines data of these sizes
/// by itself.
pub fn collectives(design: &CollectiveDesign, seed: u64) -> Plan {
    let mut rounds = Vec::new();
    for (kind, experiment) in design.experiments() {
        rounds.extend(
            sizes_of(kind, &design.sizes)
                .iter()
                .map(|&size| experiment(size))
                .filter(is_measurable)
                .map(|experiment| vec![experiment]),
        );
    }
    if design.operations.iter().any(|(kind, _)| kind.is_reduction()) {
        let sizes = design.sizes.iter().copied().filter(|size| *size != Bytes::ZERO);
        rounds.extend(sizes.flat_map(|size| {
            Processor::first(design.procs).map(move |i| vec![Experiment::Combination { i, size }])
        }));
    }
    Plan::shuffled(rounds, seed)
}

/// The sizes at which an operation is measured: these, but only 0 for a barrier.
const fn sizes_of(kind: CollectiveKind, sizes: &[Bytes]) -> &[Bytes] {
    if matches!(kind, CollectiveKind::Barrier) { &[Bytes::ZERO] } else { sizes }
}

/// Returns true if an experiment measures what its name says: an MPI library replaces some
/// algorithms for some sizes.
fn is_measurable(experiment: &Experiment) -> bool {
    match *experiment {
        Experiment::Native { kind, algorithm: Some(algorithm), procs, size, .. } => {
            algorithm.runs_on(kind, procs, size)
        }
        _ => true,
    }
}

/// Collective operations with adaptive sizes, different for each operation; the sizes of `design`
/// are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdaptiveCollectives {
    /// The operations, algorithms and roots.
    pub design: CollectiveDesign,
    /// The range of sizes.
    pub sizes: AdaptiveSizes,
}

impl AdaptiveCollectives {
    /// The minimum number of repetitions of a campaign with adaptive sizes: with fewer readings,
    /// sizes that rarely escalate may show no escalation.
    pub const MIN_REPS: u32 = 20;
}

impl Design for AdaptiveCollectives {
    /// Completes partly measured sizes, then adds sizes until no gap is left to halve.
    fn measure(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError> {
        let plans = |campaign: &Campaign<'_>| {
            adaptive_collectives(
                &self.design,
                &self.sizes,
                campaign.samples(),
                campaign.order_seed(),
            )
        };
        // Sizes depend on complete readings: those of an interrupted campaign or of another launch
        // come first.
        let mut end = campaign.run(STAGE, &plans(campaign).measured)?;
        while end == CampaignEnd::Complete {
            let next = plans(campaign).next;
            if next.is_empty() {
                break;
            }
            end = campaign.run(STAGE, &next)?;
        }
        Ok(end)
    }
}

/// One step of a campaign with adaptive sizes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdaptivePlan {
    /// The sizes with readings, which are completed before further sizes are chosen.
    pub measured: Plan,
    /// The next sizes; empty if no gap is left to halve.
    pub next: Plan,
}

/// The next step of a campaign with adaptive sizes, given all readings so far.
pub fn adaptive_collectives(
    design: &CollectiveDesign,
    sizes: &AdaptiveSizes,
    samples: &Samples,
    seed: u64,
) -> AdaptivePlan {
    let (mut measured, mut next) = (Vec::new(), Vec::new());
    for (kind, experiment) in design.experiments() {
        let known = samples
            .in_order()
            .filter(|series| series.experiment == experiment(series.experiment.size()));
        let readings = known.map(|series| (series.experiment.size(), series.seconds()));
        let points: Vec<SizeReadings> = classify_readings(readings)
            .into_iter()
            .filter(|point| sizes.contains(point.size))
            .collect();
        if kind == CollectiveKind::Barrier {
            // A barrier has no size to adapt.
            let is_known =
                samples.in_order().any(|series| series.experiment == experiment(Bytes::ZERO));
            if is_known { &mut measured } else { &mut next }.push(vec![experiment(Bytes::ZERO)]);
            continue;
        }
        measured.extend(points.iter().map(|point| vec![experiment(point.size)]));
        let further = sizes.next_sizes_among(&points, |size| is_measurable(&experiment(size)));
        next.extend(further.into_iter().map(|size| vec![experiment(size)]));
    }
    AdaptivePlan { measured: Plan::shuffled(measured, seed), next: Plan::shuffled(next, seed) }
}

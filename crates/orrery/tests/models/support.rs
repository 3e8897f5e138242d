//! Simulated clusters and campaigns for tests.
#![allow(dead_code, reason = "each test uses a part of it")]

use orrery::measure::Plan;
pub use orrery::measure::TripletDesign as Design;
use orrery::schedule::Timing;

use crate::prelude::*;

/// Collective operations by algorithms of blocking messages, which most predictions are about.
pub const BLOCKING: [(CollectiveKind, &[Algorithm]); 4] = [
    (CollectiveKind::Scatter, &[Algorithm::Linear, Algorithm::Binomial]),
    (CollectiveKind::Gather, &[Algorithm::Linear, Algorithm::Binomial]),
    (CollectiveKind::Allgather, &[Algorithm::Ring]),
    (CollectiveKind::Alltoall, &[Algorithm::Pairwise]),
];

/// The message of round trips and one-to-two experiments.
pub const M: Bytes = Bytes::new(32 * 1024);

/// Parameters that differ up to `times` between processors and between links, in the order of the
/// layout.
pub fn differing(
    processors: usize,
    with_latency: bool,
    times: f64,
    seed: u64,
) -> (Layout, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spread = |low: f64| low * times.powf(rng.random_range(0.0..1.0));
    let layout = Layout::new(processors, with_latency);
    let pairs = layout.pairs().count();
    let mut truth: Vec<f64> = (0..processors).map(|_| spread(6e-6)).collect();
    truth.extend((0..processors).map(|_| spread(0.3e-9)));
    truth.extend((0..pairs).map(|_| spread(0.9e-9)));
    if with_latency {
        truth.extend((0..pairs).map(|_| spread(2e-6)));
    }
    (layout, truth)
}

/// Parameters that differ up to a hundredfold.
pub fn heterogeneous(processors: usize, with_latency: bool, seed: u64) -> (Layout, Vec<f64>) {
    differing(processors, with_latency, 100.0, seed)
}

/// Measures a plan with this number of repetitions of each experiment.
pub fn run(
    machine: &mut SimulatedMachine<impl Network>,
    samples: &mut Samples,
    plan: &Plan,
    reps: u32,
) {
    measure(machine, samples, plan, reps, false);
}

/// Measures a plan, disjoint experiments at the same time when `parallel`.
pub fn measure(
    machine: &mut SimulatedMachine<impl Network>,
    samples: &mut Samples,
    plan: &Plan,
    reps: u32,
    parallel: bool,
) {
    measure_on(machine, samples, plan, reps, parallel);
}

/// The same on any machine.
pub fn measure_on(
    machine: &mut dyn Machine,
    samples: &mut Samples,
    plan: &Plan,
    reps: u32,
    parallel: bool,
) {
    let precision = Precision { min_reps: reps, max_reps: reps, ..Precision::default() };
    let mut campaign = Campaign::new(machine, samples)
        .precision(precision)
        .timing(Timing::default())
        .parallel(parallel);
    campaign.run("plan", plan).unwrap();
}

/// A whole communication campaign on a simulated machine.
pub fn campaign(
    network: impl Network,
    noise: f64,
    seed: u64,
    reps: u32,
    design: Design,
) -> Samples {
    let processors = network.processors();
    let mut machine = SimulatedMachine::new(network, noise, seed);
    let mut samples = Samples::new(Provenance::new());
    run(&mut machine, &mut samples, &round_trips(processors, &[Bytes::ZERO, M], seed), reps);
    if processors > 2 {
        let plan = one_to_twos(design, &samples, processors, M, seed).unwrap();
        run(&mut machine, &mut samples, &plan, reps);
    }
    samples
}

/// A collective operation of the first processors.
pub fn collective(
    kind: CollectiveKind,
    algorithm: Algorithm,
    root: u32,
    procs: usize,
    size: u64,
) -> Experiment {
    Experiment::Collective { kind, algorithm, root: Processor(root), procs, size: Bytes::new(size) }
}

/// The choice among candidates at all sizes of a range.
pub fn choice(
    operation: CollectiveKind,
    procs: usize,
    candidates: Vec<Candidate>,
    sizes: (u64, u64),
) -> CollectiveChoice {
    let sizes = (Bytes::new(sizes.0), Bytes::new(sizes.1));
    let (library, kept) = (None, None);
    CollectiveChoice { operation, library, procs, candidates, sizes, step: 1, merges: false, kept }
}

/// The model of one kind that is fitted to samples.
pub fn fit_kind(samples: &Samples, kind: ModelKind) -> Model {
    fit(samples, &FitOptions { kinds: Some(vec![kind]), ..FitOptions::default() }).unwrap().model
}

/// Thresholds that a simulated machine has.
#[derive(Debug)]
pub struct TrueThresholds(pub Vec<Thresholds>);

impl IrregularCollectives for TrueThresholds {
    fn irregularity(&self, collective: &Collective) -> Irregularity {
        let found = self.0.iter().find(|thresholds| thresholds.apply_to(collective));
        let of = |found: &Thresholds| {
            found.irregularity(Pieces::of(collective), Some(SlopeCorrection::Lmo))
        };
        found.map(of).unwrap_or_default()
    }
}

/// All observations of samples.
pub fn all(samples: &Samples) -> Observations {
    Observations::from_samples(samples, |_| true)
}

/// Linear operations of eight processors from root 0.
pub fn linear_design(kinds: &[CollectiveKind], sizes: Vec<Bytes>) -> CollectiveDesign {
    CollectiveDesign {
        operations: kinds.iter().map(|kind| (*kind, Algorithm::Linear)).collect(),
        ..CollectiveDesign::new(8, sizes)
    }
}

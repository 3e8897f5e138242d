//! Errors in measured collective operations, and predictions and choices by them, where the truth is
//! known.

use std::collections::BTreeSet;

use orrery::collective::table;
use orrery::model::{CollectiveAlgorithm, PredictError, file};
use rand_distr::Distribution;

use crate::coverage_count::Coverage;
use crate::prelude::*;
use crate::support::{self, Design, campaign, differing, fit_kind};
use crate::variants::few_or_all;

/// The number of processors.
const N: usize = 8;

/// The measured sizes.
const SIZES: [u64; 6] = [1000, 2000, 4000, 8000, 16_000, 32_000];

/// Sizes between the measured ones.
const UNSEEN: [u64; 4] = [1500, 3000, 6000, 24_000];

/// The noise of readings.
const NOISE: f64 = 0.05;

/// The algorithm that takes 1.3 times its schedule, of the library.
const SLOW: &str = "native/bcast/ompi/binomial";

/// Algorithms that take the time of their schedules.
const PLAIN: [&str; 5] = [
    "bcast/binomial",
    "native/scatter/ompi/linear",
    "gather/binomial",
    "alltoall/pairwise",
    "native/bcast/ompi/chain-4",
];

fn network(seed: u64) -> LmoNetwork {
    let (layout, truth) = differing(N, true, 4.0, seed);
    LmoNetwork::from_parameters(layout, truth)
}

fn algorithm(name: &str) -> CollectiveAlgorithm {
    name.parse().unwrap()
}

fn experiment(name: &str, root: u32, procs: usize, size: u64) -> Experiment {
    algorithm(name).experiment(Processor(root), procs, Bytes::new(size))
}

/// The time of the schedule of an operation.
fn schedule_time(network: &mut LmoNetwork, experiment: &Experiment) -> f64 {
    let (program, placement, reading) = Query::Experiment(*experiment).program().unwrap();
    Engine::new().run(&program, &placement, network).unwrap().read(reading).get()
}

/// A machine whose operations take a factor of their schedules' times.
struct Truth<F> {
    network: LmoNetwork,
    rng: ChaCha8Rng,
    /// The factor of an algorithm at a size.
    factor: F,
}

impl<F: Fn(&str, u64) -> f64> Truth<F> {
    fn new(seed: u64, factor: F) -> Self {
        Self { network: network(seed), rng: ChaCha8Rng::seed_from_u64(seed + 500), factor }
    }

    fn seconds(&mut self, name: &str, root: u32, size: u64) -> f64 {
        (self.factor)(name, size)
            * schedule_time(&mut self.network, &experiment(name, root, N, size))
    }

    /// A campaign of messages, and five readings of each algorithm and size.
    fn samples(&mut self, seed: u64, names: &[&str], roots: &[u32]) -> Samples {
        let mut samples = campaign(self.network.clone(), NOISE, seed, 5, Design::Spread);
        for (name, root, size) in names.iter().flat_map(|name| {
            roots.iter().flat_map(move |root| SIZES.map(|size| (*name, *root, size)))
        }) {
            let seconds = self.seconds(name, root, size);
            for rep in 0..5 {
                let noise: f64 = StandardNormal.sample(&mut self.rng);
                let seconds = Seconds::new(seconds * (1.0 + NOISE * noise));
                samples.push(Sample {
                    experiment: experiment(name, root, N, size),
                    launch: 0,
                    rep,
                    seconds,
                });
            }
        }
        samples
    }
}

fn fitted(samples: &Samples) -> Model {
    fit_kind(samples, ModelKind::Lmo)
}

fn slow(name: &str, _: u64) -> f64 {
    if name == SLOW { 1.3 } else { 1.0 }
}

/// Counts the intervals at unseen sizes.
fn count(
    coverage: &mut Coverage,
    model: &Model,
    truth: &mut Truth<impl Fn(&str, u64) -> f64>,
    name: &str,
) {
    let mut predictor = Predictor::new(model, ModelKind::Lmo).unwrap();
    for size in UNSEEN {
        let query = Query::Experiment(experiment(name, 0, N, size));
        let (low, high) = predictor.predict(&query).unwrap().interval.unwrap();
        coverage.add(low.get(), high.get(), truth.seconds(name, 0, size));
    }
}

#[test]
fn intervals_cover_the_truth_between_measured_sizes() {
    let names: Vec<&str> = std::iter::once(SLOW).chain(PLAIN).collect();
    let [mut of_slow, mut of_plain] = [Coverage::default(); 2];
    for seed in 0..few_or_all(40, 100) {
        let mut truth = Truth::new(seed, slow);
        let model = fitted(&truth.samples(seed, &names, &[0]));
        count(&mut of_slow, &model, &mut truth, SLOW);
        PLAIN.iter().for_each(|name| count(&mut of_plain, &model, &mut truth, name));
        // Intervals that hold the truth because they are wide say nothing.
        let query = Query::Experiment(experiment(SLOW, 0, N, 3000));
        let prediction = model.predict(ModelKind::Lmo, &query).unwrap();
        let high = prediction.interval.unwrap().1.get() / prediction.seconds.get();
        assert!(high < 1.25, "{high}");
    }
    for (name, coverage) in [("slow", of_slow), ("plain", of_plain)] {
        assert!(coverage.part() >= 0.93, "{name}: {coverage:?}");
    }
}

/// A factor that varies by 6 % from size to size is no longer known at others, and intervals
/// contain how it varies.
#[test]
fn intervals_contain_how_errors_vary() {
    let vary = |seed: u64| {
        move |_: &str, size: u64| {
            let deviation: f64 =
                StandardNormal.sample(&mut ChaCha8Rng::seed_from_u64(1_000_000 * seed + size));
            (1.3_f64.ln() + 0.06 * deviation).exp()
        }
    };
    let mut coverage = Coverage::default();
    for seed in 0..60 {
        let mut truth = Truth::new(seed, vary(seed));
        let model = fitted(&truth.samples(seed, &[SLOW], &[0]));
        count(&mut coverage, &model, &mut truth, SLOW);
    }
    assert!(coverage.part() >= 0.88, "{coverage:?}");
}

/// Above a change of protocol the schedule is off by another factor; between the measured sizes
/// it is in between.
#[test]
fn errors_follow_a_change_of_protocol() {
    let mut truth = Truth::new(3, |_: &str, size| if size <= 8000 { 1.0 } else { 1.4 });
    let model = fitted(&truth.samples(3, &[SLOW], &[0]));
    let predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let factor = |size| predictor.expected_factor(&Query::Experiment(experiment(SLOW, 0, N, size)));
    let [small, between, large] = [4000, 12_000, 32_000].map(factor);
    assert!((small - 1.0).abs() < 0.08 && (large - 1.4).abs() < 0.1, "{small} {large}");
    assert!(small < between && between < large, "{between}");
}

/// A model whose calls of one algorithm take `factor` times their schedules.
fn model_with(factor: f64) -> Model {
    let mut truth = Truth::new(1, move |name: &str, _| if name == SLOW { factor } else { 1.0 });
    fitted(&truth.samples(1, &[SLOW, "native/bcast/ompi/chain-4"], &[0]))
}

#[test]
fn measured_errors_reverse_a_choice() {
    let algorithms = [Algorithm::Binomial, Algorithm::Chain(4, Bytes::ZERO)];
    let candidates =
        algorithms.map(|algorithm| Candidate { algorithm, root: Processor(0) }).to_vec();
    let choice = |library, merges| CollectiveChoice {
        library,
        step: 64,
        merges,
        ..support::choice(CollectiveKind::Broadcast, N, candidates.clone(), (1000, 32_000))
    };
    let library = Some(algorithm(SLOW).library.unwrap());
    let model = model_with(2.0);
    // Where the plain schedule is faster by less than a factor of two, what was measured reverses
    // the order.
    let best = |model: &Model, library| {
        let ranges = choose(model, ModelKind::Lmo, &choice(library, true)).unwrap();
        ranges.iter().map(|range| range.best.algorithm).collect::<Vec<_>>()
    };
    let (own, called) = (best(&model, None), best(&model, library));
    assert!(own.contains(&Algorithm::Binomial), "{own:?}");
    assert!(!called.contains(&Algorithm::Binomial), "{called:?}");
    let sizes: Vec<Bytes> = SIZES.map(Bytes::new).to_vec();
    let decisions = table(&model, ModelKind::Lmo, &choice(library, false), &sizes).unwrap();
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    for decision in decisions {
        let Candidate { algorithm, root } = decision.best;
        let called =
            CollectiveAlgorithm { operation: CollectiveKind::Broadcast, library, algorithm };
        let query = Query::Experiment(called.experiment(root, N, decision.size));
        let seconds = predictor.predict(&query).unwrap().seconds.get();
        assert!((seconds / decision.seconds.get() - 1.0).abs() < 1e-9);
        assert!((seconds / predictor.expected_time(&query).unwrap().get() - 1.0).abs() < 1e-9);
    }
}

/// Outside the measured sizes, numbers of processors and roots, what was measured counts the less
/// the farther it is away.
#[test]
fn outside_what_was_measured_errors_fade() {
    let model = model_with(1.5);
    let predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let factor = |name, root, procs, size| {
        predictor.expected_factor(&Query::Experiment(experiment(name, root, procs, size)))
    };
    let inside = factor(SLOW, 0, N, 4000);
    let outside = [(0, N, 500), (0, N, 64_000), (0, 4, 4000), (3, N, 4000)]
        .map(|(root, procs, size)| factor(SLOW, root, procs, size));
    assert!((1.4..1.6).contains(&inside), "{inside}");
    assert!(outside.iter().all(|factor| (1.1..1.55).contains(factor)), "{outside:?}");
    let [_, near, far] = [64_000, 256_000, 16_000_000].map(|size| factor(SLOW, 0, N, size));
    assert!(far < near && near < inside, "{near} {far}");
    // Another implementation of the same algorithm has errors of its own.
    assert!((factor("bcast/binomial", 0, N, 500) - 1.0).abs() < 0.1);
}

#[test]
fn the_explanation_names_the_expected_error() {
    let model = model_with(1.5);
    let query = Query::Experiment(experiment(SLOW, 0, N, 4000));
    let (prediction, predicted) =
        Predictor::new(&model, ModelKind::Lmo).unwrap().explain(&query).unwrap();
    let sum: f64 = predicted.contributions.iter().map(|one| one.seconds().get()).sum();
    assert!((sum / prediction.seconds.get() - 1.0).abs() < 1e-9);
    let correction =
        predicted.contributions.iter().find(|one| one.parameter.name == "expected_error").unwrap();
    let share = correction.seconds().get() / prediction.seconds.get();
    assert!((share - 1.0 / 3.0).abs() < 0.05, "{share}");
    let factor = Predictor::new(&model, ModelKind::Lmo).unwrap().expected_factor(&query);
    assert!((1.0 - 1.0 / factor - share).abs() < 1e-9);
}

#[test]
fn errors_belong_to_one_implementation_and_are_kept_in_the_file() {
    let model = model_with(1.5);
    let text = file::to_text(&model).unwrap();
    assert_eq!(file::parse(&text, "m.json").unwrap().model, model);
    let query = |name| Query::Experiment(experiment(name, 0, N, 4000));
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let seconds =
        |predictor: &mut Predictor, name| predictor.predict(&query(name)).unwrap().seconds;
    let own = seconds(&mut predictor, "bcast/binomial");
    assert_eq!(seconds(&mut predictor, "native/bcast/mpich/binomial"), own, "the plain schedule");
    let kind = CollectiveKind::Broadcast;
    let unknown = Experiment::Native {
        kind,
        algorithm: None,
        root: Processor(0),
        procs: N,
        size: Bytes::new(8),
    };
    let error = predictor.predict(&Query::Experiment(unknown)).unwrap_err();
    assert!(matches!(error, PredictError::NoSchedule(_)));
}

/// A vector of at most one segment is the same operation as an undivided one.
#[test]
fn names_of_the_same_messages_share_errors() {
    let mut truth = Truth::new(2, |_: &str, _| 1.5);
    let model = fitted(&truth.samples(2, &["bcast/pipeline"], &[0]));
    let predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let factor =
        |name, size| predictor.expected_factor(&Query::Experiment(experiment(name, 0, N, size)));
    assert!(factor("bcast/pipeline", 4000) > 1.3);
    assert!((factor("bcast/pipeline:8K", 4000) - factor("bcast/pipeline", 4000)).abs() < 1e-12);
    // In more segments it is another operation, which it resembles.
    assert!((1.01..1.5).contains(&factor("bcast/pipeline:1K", 4000)));
}

#[test]
fn errors_are_an_option_and_absent_without_collective_operations() {
    let mut truth = Truth::new(4, |_: &str, _| 1.5);
    let samples = truth.samples(4, &["bcast/binomial", SLOW], &[0]);
    let model = |samples: &Samples, corrections, collectives| {
        let kinds = Some(vec![ModelKind::Lmo]);
        fit(samples, &FitOptions { kinds, corrections, collectives, ..FitOptions::default() })
            .unwrap()
            .model
    };
    let names = |model: &Model| -> Vec<String> {
        let measured = model.discrepancies.values().flat_map(|all| &all.collectives);
        let names: BTreeSet<String> = measured.map(|one| one.algorithm.to_string()).collect();
        names.into_iter().collect()
    };
    assert_eq!(names(&model(&samples, true, false)), ["bcast/binomial", SLOW]);
    assert_eq!(
        names(&model(&samples, true, true)),
        [SLOW],
        "parameters were estimated from the others"
    );
    assert_eq!(names(&model(&samples, false, false)), [""; 0]);
    // The corrected times are those of the validation, which raises no alarm about what it
    // measures.
    let validation =
        validate(&model(&samples, true, false), &samples, &[ModelKind::Lmo], 0.95).unwrap();
    let errors = validation
        .rows
        .iter()
        .filter(|row| row.experiment.is_collective())
        .map(|row| row.error.abs());
    assert!(errors.fold(0.0, f64::max) < 0.15);
    let mut messages = samples.clone();
    messages.retain(|experiment, _| !experiment.is_collective());
    let text = |corrections| file::to_text(&model(&messages, corrections, false)).unwrap();
    assert_eq!(text(true), text(false));
    assert!(!text(true).contains("\"collectives\": ["));
}

/// A short row can name a schedule of billions of messages, or more processors than the model has.
#[test]
fn schedules_beyond_the_budget_have_no_errors() {
    let mut truth = Truth::new(5, |_: &str, _| 1.5);
    let mut samples = truth.samples(5, &[SLOW], &[0]);
    for (name, procs) in
        [("native/bcast/ompi/pipeline:1", N), ("native/alltoall/ompi/pairwise", 1 << 20)]
    {
        for size in 0..4 {
            let experiment = experiment(name, 0, procs, (1 << 33) + size);
            samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(1.0) });
        }
    }
    let model = fitted(&samples);
    let errors = &model.discrepancies[&ModelKind::Lmo].collectives;
    assert!(!errors.is_empty() && errors.iter().all(|one| one.algorithm == algorithm(SLOW)));
}

//! Linear scatters and gathers in segments below a threshold: predicted, simulated and chosen.

use orrery::collective::split_candidate;

use crate::prelude::*;
use crate::support::{self, TrueThresholds};
use crate::thresholds_model::truth;

const ROOT: Processor = Processor(0);
const PROCS: usize = 8;

/// The model with a relative interval of all parameters, thresholds and levels included.
fn uncertain(relative: f64) -> Model {
    let mut model = truth();
    let widen = |one: &mut Estimate| {
        let distance = relative * one.value;
        one.interval =
            Some(Interval { low: one.value - distance, high: one.value + distance, level: 0.95 });
    };
    for name in ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"] {
        model
            .point_to_point
            .get_mut(&ModelKind::Lmo)
            .unwrap()
            .get_mut(name)
            .unwrap()
            .estimates
            .iter_mut()
            .for_each(widen);
    }
    for one in &mut model.thresholds {
        [&mut one.scatter_threshold, &mut one.gather_small, &mut one.gather_large]
            .into_iter()
            .flatten()
            .for_each(widen);
        [&mut one.gather_small_slope, &mut one.gather_large_slope]
            .into_iter()
            .flatten()
            .for_each(widen);
        one.escalations.iter_mut().for_each(|level| widen(&mut level.seconds));
    }
    model
}

fn experiment(kind: CollectiveKind, algorithm: Algorithm, size: u64) -> Experiment {
    support::collective(kind, algorithm, 0, PROCS, size)
}

fn query(kind: CollectiveKind, algorithm: Algorithm, size: u64) -> Query {
    Query::Experiment(experiment(kind, algorithm, size))
}

fn split(segment: u64) -> Algorithm {
    Algorithm::LinearSplit(Bytes::new(segment))
}

fn choice(operation: CollectiveKind, candidates: &[Algorithm]) -> CollectiveChoice {
    let of = |&algorithm: &Algorithm| Candidate { algorithm, root: ROOT };
    let candidates = candidates.iter().map(of).collect();
    CollectiveChoice { merges: true, ..support::choice(operation, PROCS, candidates, (1, 200_000)) }
}

#[test]
fn gathers_in_segments_below_the_threshold_do_not_escalate() {
    let truth = truth();
    let mut predictor = Predictor::new(&truth, ModelKind::Lmo).unwrap();
    let mut of =
        |algorithm| predictor.predict(&query(CollectiveKind::Gather, algorithm, 16_384)).unwrap();
    let (whole, below, beyond) = (of(Algorithm::Linear), of(split(5000)), of(split(5001)));
    assert_eq!((below.escalation, below.interval), (None, None));
    assert!(
        below.seconds > whole.seconds,
        "its median is longer: {} and {}",
        below.seconds,
        whole.seconds
    );
    // Each of four segments escalates by itself.
    assert!((beyond.escalation.unwrap() - (1.0 - 0.6_f64.powi(4))).abs() < 1e-12);
    // Beyond M2 sends wait for their receives, those of its segments do not.
    let mut at = |algorithm| {
        predictor.predict(&query(CollectiveKind::Gather, algorithm, 131_072)).unwrap().seconds
    };
    assert!(at(split(5000)).get() < 0.5 * at(Algorithm::Linear).get());
}

/// The mean of simulated readings is the predicted mean, however many segments escalate.
#[test]
fn predicted_means_equal_those_of_the_simulated_machine() {
    let truth = truth();
    let network = truth.network(ModelKind::Lmo).unwrap();
    let mut machine = SimulatedMachine::new(network, 0.0, 3)
        .with_irregularities(Box::new(TrueThresholds(truth.thresholds.clone())));
    let mut predictor = Predictor::new(&truth, ModelKind::Lmo).unwrap();
    for (algorithm, size) in [
        (Algorithm::Linear, 16_384),
        (split(5000), 16_384),
        (split(8192), 30_000),
        (split(5001), 400_000),
        (split(80_000), 400_000),
    ] {
        let experiment = experiment(CollectiveKind::Gather, algorithm, size);
        let (program, placement) = experiment.program().unwrap();
        let (reading, repetitions) = (program.reading(), 4000);
        let batch =
            Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions };
        let readings = machine.run(&batch).unwrap();
        let mean = readings.iter().copied().sum::<Seconds>().get() / f64::from(repetitions);
        let expected = predictor.expected(&Query::Experiment(experiment)).unwrap().0.seconds.get();
        assert!(
            (mean / expected - 1.0).abs() < 0.05,
            "{algorithm} {size}: {mean} s, predicted {expected} s"
        );
    }
}

/// The choice minimises the mean: segments where gathers escalate and where sends wait.
#[test]
fn medium_gathers_are_split() {
    let truth = truth();
    let candidate = split_candidate(&truth, CollectiveKind::Gather, PROCS, ROOT).unwrap();
    assert_eq!(candidate.algorithm, split(5000));
    let candidates = [Algorithm::Linear, candidate.algorithm];
    let choice = CollectiveChoice { merges: false, ..choice(CollectiveKind::Gather, &candidates) };
    let ranges = choose(&truth, ModelKind::Lmo, &choice).unwrap();
    let mut predictor = Predictor::new(&truth, ModelKind::Lmo).unwrap();
    let mut mean = |algorithm, size| {
        let explained =
            predictor.expected(&query(CollectiveKind::Gather, algorithm, size)).unwrap();
        explained.1.seconds.get()
    };
    for size in (1..=200_000).step_by(777) {
        let range = ranges.iter().find(|range| size <= range.sizes.1.get()).unwrap();
        let (whole, split) = (mean(Algorithm::Linear, size), mean(candidate.algorithm, size));
        let chosen = mean(range.best.algorithm, size);
        // Up to a segment both are the same.
        assert!(chosen <= whole.min(split) * (1.0 + 1e-9), "{size}: {whole} and {split} s");
        assert_eq!(size > 5000, split < whole, "{size}: {whole} and {split} s");
    }
    assert_eq!(
        split_candidate(&truth, CollectiveKind::Gather, 7, ROOT),
        None,
        "thresholds of 8 processors only"
    );
    assert_eq!(split_candidate(&truth, CollectiveKind::Broadcast, PROCS, ROOT), None);
}

/// Where the whole block is faster beyond doubt, the split is not chosen, and the other way round.
#[test]
fn a_split_is_not_chosen_where_the_whole_block_is_faster_beyond_doubt() {
    for relative in [1e-6, 0.02, 0.1, 0.5] {
        let model = uncertain(relative);
        for kind in CollectiveKind::SCATTER_GATHER {
            let candidate = split_candidate(&model, kind, PROCS, ROOT).unwrap().algorithm;
            let ranges =
                choose(&model, ModelKind::Lmo, &choice(kind, &[Algorithm::Linear, candidate]))
                    .unwrap();
            let decide = |algorithms: &[Algorithm], size| {
                let sizes = (Bytes::new(size), Bytes::new(size));
                let one = CollectiveChoice { sizes, merges: false, ..choice(kind, algorithms) };
                choose(&model, ModelKind::Lmo, &one).unwrap().remove(0)
            };
            for size in [
                100, 4000, 4999, 5001, 6000, 20_000, 62_000, 64_000, 72_000, 74_000, 120_000,
                200_000,
            ] {
                let fastest = decide(&[Algorithm::Linear, candidate], size);
                let chosen = ranges.iter().find(|range| size <= range.sizes.1.get()).unwrap().best;
                if fastest.distinct == Some(true) && fastest.first.margin > Seconds::ZERO {
                    assert_eq!(chosen, fastest.best, "{kind} of {size} at {relative}: {fastest:?}");
                }
            }
        }
    }
}

//! Thresholds of linear scatter and gather: what they do in the engine, and whether they are found
//! again.

use orrery::comm::Escalation;
use orrery::comm::thresholds::{EscalationRule, SlopeForm, ThresholdOptions, estimate};
use orrery::engine::Synchronous;
use orrery::measure::AdaptiveSizes;
use orrery::numeric::breakpoints::{OrderedSeries, Shape, min_segment_points, supremum_test};
use orrery::sample::{SizeReadings, classify_readings};

use crate::prelude::*;
use crate::support::{self, TrueThresholds};

const KIB: u64 = 1024;
const SCATTER: CollectiveKind = CollectiveKind::Scatter;
const GATHER: CollectiveKind = CollectiveKind::Gather;

/// Eight processors that differ, joined by a switch of 100 Mbit/s.
fn truth() -> Lmo {
    let estimate = |value: f64| Estimate::exact(value);
    Lmo {
        fixed_delay: (0..8).map(|i| estimate(40e-6 + 5e-6 * f64::from(i))).collect(),
        byte_delay: (0..8).map(|i| estimate(2e-9 + 0.5e-9 * f64::from(i % 3))).collect(),
        link_latency: Some(PerPair::from_fn(8, |_, _| estimate(30e-6))),
        link_byte_delay: PerPair::from_fn(8, |i, j| {
            estimate(80e-9 + 1e-9 * f64::from((i.0 + j.0) % 4))
        }),
    }
}

const S: u64 = 62 * KIB + 300;
const M1: u64 = 5 * KIB + 100;
const M2: u64 = 71 * KIB + 700;
const SLOPES: [f64; 2] = [3e-9, 25e-9];
const LEVELS: [(f64, f64); 2] = [(0.2, 0.3), (0.25, 0.15)];

fn thresholds() -> Vec<Thresholds> {
    let exact = |value: f64| Some(Estimate::exact(value));
    let escalation = |(seconds, probability)| Escalation {
        seconds: Estimate::exact(seconds),
        probability: Estimate::exact(probability),
    };
    let scatter = Thresholds {
        scatter_threshold: exact(S as f64),
        ..Thresholds::none(SCATTER, Processor(0), 8)
    };
    let gather = Thresholds {
        gather_small: exact(M1 as f64),
        gather_large: exact(M2 as f64),
        gather_small_slope: exact(SLOPES[0]),
        gather_large_slope: exact(SLOPES[1]),
        escalations: LEVELS.map(escalation).to_vec(),
        ..Thresholds::none(GATHER, Processor(0), 8)
    };
    vec![scatter, gather]
}

fn operation(kind: CollectiveKind, size: Bytes) -> Experiment {
    support::collective(kind, Algorithm::Linear, 0, 8, size.get())
}

/// Measures both operations with adaptive sizes.
fn measured(truth: &Lmo, thresholds: Vec<Thresholds>, noise: f64, seed: u64, reps: u32) -> Samples {
    let mut machine = SimulatedMachine::new(truth.network(), noise, seed)
        .with_irregularities(Box::new(TrueThresholds(thresholds)));
    let mut samples = Samples::new(Provenance::new());
    let sizes: AdaptiveSizes = "adaptive:0..200K".parse().unwrap();
    for kind in CollectiveKind::SCATTER_GATHER {
        loop {
            let points = points(&samples, kind);
            assert!(points.len() <= 100);
            let sizes = sizes.next_sizes(&points);
            if sizes.is_empty() {
                break;
            }
            let what = support::linear_design(&[kind], sizes);
            support::run(&mut machine, &mut samples, &collectives(&what, seed), reps);
        }
    }
    samples
}

fn points(samples: &Samples, kind: CollectiveKind) -> Vec<SizeReadings> {
    let of = |size: u64| samples.get(&operation(kind, Bytes::new(size)));
    let mut sizes: Vec<u64> =
        samples.series().iter().map(|series| series.experiment.size().get()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    classify_readings(
        sizes.into_iter().filter_map(|size| Some((Bytes::new(size), of(size)?.seconds()))),
    )
}

fn covers(estimate: &Estimate, truth: f64) -> bool {
    estimate.interval.is_some_and(|interval| (interval.low..=interval.high).contains(&truth))
}

fn to_one_stride(estimate: Option<Estimate>, truth: u64) -> bool {
    estimate.is_some_and(|estimate| (estimate.value - truth as f64).abs() <= KIB as f64)
}

/// Beyond its threshold an operation takes what the closed formulas say: all paths one after the
/// other.
#[test]
fn rendezvous_collectives_take_the_sum_of_all_paths() {
    let lmo = truth();
    let size = Bytes::new(100 * KIB);
    let m = size.get() as f64;
    let own = lmo.fixed_delay[2].value + m * lmo.byte_delay[2].value;
    let path = |i: Processor| {
        let link = 30e-6 + m * lmo.link_byte_delay.get(Processor(2), i).value;
        link + lmo.fixed_delay[i.index()].value + m * lmo.byte_delay[i.index()].value
    };
    let expected: f64 = Processor::first(8).filter(|i| i.0 != 2).map(|i| own + path(i)).sum();
    for kind in CollectiveKind::SCATTER_GATHER {
        let (algorithm, root) = (Algorithm::Linear, Rank(2));
        let program =
            Program::Collective(Collective { kind, algorithm, root, ranks: 8, block: size });
        let (mut engine, mut network) = (Engine::new(), lmo.network());
        let placement = Placement::identity(8);
        let serial = engine
            .run(&program, &placement, &mut Synchronous(&mut network))
            .unwrap()
            .read(program.reading());
        assert!(
            (serial.get() / expected - 1.0).abs() < 1e-12,
            "{kind}: {serial} is not {expected}"
        );
        let eager = engine.run(&program, &placement, &mut network).unwrap().read(program.reading());
        assert!(eager.get() < 0.5 * expected, "{kind}");
    }
}

/// Two ranks that send to each other first wait for ever where sends wait for their receives.
#[test]
fn mutual_rendezvous_sends_deadlock() {
    use orrery::schedule::{Explicit, Operation};
    let rank = |peer| {
        vec![
            Operation::send(Rank(peer), Bytes::new(8)),
            Operation::receive(Rank(peer), Bytes::new(8)),
        ]
    };
    let both = Explicit::new(vec![rank(1), rank(0)]);
    let mut network = LmoNetwork::new(&[1e-6; 2], &[0.0; 2], None, &[1e-9]);
    let mut engine = Engine::new();
    assert!(engine.run(&both, &Placement::identity(2), &mut network).is_ok());
    let error =
        engine.run(&both, &Placement::identity(2), &mut Synchronous(&mut network)).unwrap_err();
    assert!(error.to_string().starts_with("deadlock"), "{error}");
}

#[test]
fn noise_free_thresholds_are_recovered() {
    let lmo = truth();
    let samples = measured(&lmo, thresholds(), 0.0, 1, 60);
    let found = estimate(&samples, Some(&lmo), None, &ThresholdOptions::default()).unwrap();
    let [scatter, gather] = &found[..] else { panic!("{found:?}") };
    assert!(to_one_stride(scatter.scatter_threshold, S), "{scatter:?}");
    assert!(to_one_stride(gather.gather_small, M1), "{gather:?}");
    assert!(to_one_stride(gather.gather_large, M2), "{gather:?}");
    for (slope, truth) in
        [gather.gather_small_slope, gather.gather_large_slope].into_iter().zip(SLOPES)
    {
        assert!((slope.unwrap().value / truth - 1.0).abs() < 1e-6, "{slope:?} is not {truth}");
    }
    assert_eq!(gather.escalations.len(), 2);
    for (escalation, (seconds, probability)) in gather.escalations.iter().zip(LEVELS) {
        assert!((escalation.seconds.value / seconds - 1.0).abs() < 1e-3, "{escalation:?}");
        assert!((escalation.probability.value / probability - 1.0).abs() < 0.15, "{escalation:?}");
    }
}

/// Each interval at 95 % covers the true value in most of twenty campaigns.
#[test]
fn noisy_intervals_cover_the_true_thresholds() {
    let lmo = truth();
    let mut covered = [0; 6];
    for seed in 1..=20 {
        let samples = measured(&lmo, thresholds(), 0.02, seed, 20);
        let found = estimate(&samples, Some(&lmo), None, &ThresholdOptions::default()).unwrap();
        let [scatter, gather] = &found[..] else { panic!("{found:?}") };
        assert!(to_one_stride(scatter.scatter_threshold, S), "{seed}: {scatter:?}");
        assert!(to_one_stride(gather.gather_small, M1), "{seed}: {gather:?}");
        assert!(to_one_stride(gather.gather_large, M2), "{seed}: {gather:?}");
        assert!(covers(&scatter.scatter_threshold.unwrap(), S as f64), "{seed}: {scatter:?}");
        assert!(covers(&gather.gather_small.unwrap(), M1 as f64), "{seed}: {gather:?}");
        assert!(covers(&gather.gather_large.unwrap(), M2 as f64), "{seed}: {gather:?}");
        let slopes = [gather.gather_small_slope, gather.gather_large_slope].map(Option::unwrap);
        assert_eq!(gather.escalations.len(), 2, "{seed}: {gather:?}");
        let levels = gather
            .escalations
            .iter()
            .flat_map(|escalation| [escalation.seconds, escalation.probability]);
        let truths = SLOPES
            .into_iter()
            .chain(LEVELS.into_iter().flat_map(|(seconds, probability)| [seconds, probability]));
        for ((covered, estimate), truth) in
            covered.iter_mut().zip(slopes.into_iter().chain(levels)).zip(truths)
        {
            *covered += u32::from(covers(&estimate, truth));
        }
    }
    assert!(covered.iter().all(|covered| *covered >= 16), "{covered:?}");
}

/// The supremum of F keeps its level where points are divided by a line through them, though
/// deviations grow with the time; and neither on even nor on adaptive sizes is a threshold found.
#[test]
fn no_thresholds_are_found_without_thresholds() {
    let alike = Hlmo::from_estimates([50e-6, 4e-9, 30e-6, 80e-9].map(Estimate::exact)).as_lmo(8);
    let mut significant = 0;
    for seed in 1..=100 {
        let mut machine = SimulatedMachine::new(alike.network(), 0.03, seed);
        let mut samples = Samples::new(Provenance::new());
        let what = support::linear_design(
            &[SCATTER, GATHER],
            (0..=50).map(|k| Bytes::new(4 * k * KIB)).collect(),
        );
        support::run(&mut machine, &mut samples, &collectives(&what, seed), 5);
        assert_eq!(
            estimate(&samples, Some(&alike), None, &ThresholdOptions::default()).unwrap(),
            [],
            "{seed}"
        );
        let points = points(&samples, SCATTER);
        // T is a line of the size, so T/(a + b·m) is one of m/(a + b·m), whatever a and b.
        let line = |point: &SizeReadings| points[0].seconds + 95e-9 * point.size.get() as f64;
        let x: Vec<f64> =
            points.iter().map(|point| point.size.get() as f64 / line(point)).collect();
        let y: Vec<f64> = points.iter().map(|point| point.seconds / line(point)).collect();
        let series = OrderedSeries::new(&x, &y, Shape::Linear).unwrap();
        significant += u32::from(
            supremum_test(&series, min_segment_points(x.len(), 0.15)).unwrap().p_value < 0.05,
        );
        if seed <= 30 {
            let samples = measured(&truth(), Vec::new(), 0.03, seed, 5);
            assert_eq!(
                estimate(&samples, None, None, &ThresholdOptions::default()).unwrap(),
                [],
                "{seed}"
            );
        }
    }
    assert!(significant <= 9, "{significant} of 100 are significant at 5 %");
}

/// The corrections of the other forms of slopes on a homogeneous cluster.
#[test]
fn slope_forms_differ_by_the_processing_of_the_root() {
    let lmo = Hlmo::from_estimates([50e-6, 4e-9, 30e-6, 80e-9].map(Estimate::exact)).as_lmo(8);
    let samples = measured(&lmo, thresholds(), 0.0, 1, 20);
    let slopes = |slopes| {
        let options = ThresholdOptions { slopes, ..ThresholdOptions::default() };
        let found = estimate(&samples, Some(&lmo), None, &options).unwrap().pop().unwrap();
        [found.gather_small_slope, found.gather_large_slope].map(|slope| slope.unwrap().value)
    };
    for ((closed, printed), truth) in
        slopes(SlopeForm::Closed).into_iter().zip(slopes(SlopeForm::Printed)).zip(SLOPES)
    {
        assert!((closed / truth - 1.0).abs() < 1e-6, "{closed} is not {truth}");
        assert!((printed - (truth + 7.0 * 4e-9)).abs() < 1e-6 * printed, "{printed}");
    }
}

/// What HLMO plays too little is not what LMO does: each correction makes up for its own model.
#[test]
fn each_model_has_its_own_corrections() {
    let lmo = truth();
    let samples = measured(&lmo, thresholds(), 0.0, 1, 20);
    let hlmo = Hlmo::from_estimates([40e-6, 3e-9, 30e-6, 70e-9].map(Estimate::exact));
    let found = estimate(&samples, Some(&lmo), Some(&hlmo), &ThresholdOptions::default())
        .unwrap()
        .pop()
        .unwrap();
    let alone =
        estimate(&samples, None, Some(&hlmo), &ThresholdOptions::default()).unwrap().pop().unwrap();
    assert_eq!((alone.hlmo_large_slope, alone.gather_large_slope), (found.hlmo_large_slope, None));
    // Beyond M2 the slope is that of all paths, one after the other.
    let slope = |lmo: &Lmo| -> f64 {
        let path = |i: Processor| {
            lmo.byte_delay[i.index()].value + lmo.link_byte_delay.get(Processor(0), i).value
        };
        (1..8).map(|i| lmo.byte_delay[0].value + path(Processor(i))).sum()
    };
    let expected = SLOPES[1] + slope(&lmo) - slope(&hlmo.as_lmo(8));
    let large = found.hlmo_large_slope.unwrap().value;
    assert!((large / expected - 1.0).abs() < 1e-6, "{large} instead of {expected}");
    assert!((found.gather_large_slope.unwrap().value / SLOPES[1] - 1.0).abs() < 1e-6);
    // Up to M1 the root waits for the first message, of processor 1 with 2.5 + 81 ns/B, and is busy
    // from then on with 7·2.
    let expected = SLOPES[0] + (7.0 * 2e-9 + 2.5e-9 + 81e-9) - (7.0 * 3e-9 + 3e-9 + 70e-9);
    let small = found.hlmo_small_slope.unwrap().value;
    assert!((small / expected - 1.0).abs() < 1e-6, "{small} instead of {expected}");
    let block = Bytes::new(100 * KIB);
    assert_eq!(
        found.slope(block, SlopeCorrection::Hlmo),
        Some(("hlmo_large_slope", found.hlmo_large_slope.unwrap()))
    );
    assert_eq!(found.irregularity(block, None).correction, Seconds::ZERO, "Hockney has none");
}

/// A gather that escalates has other readings in each repetition, the same ones whenever it is
/// measured.
#[test]
fn escalations_depend_only_on_seed_experiment_and_repetition() {
    let readings = |seed, reps: &[u32]| {
        let mut machine = SimulatedMachine::new(truth().network(), 0.0, seed)
            .with_irregularities(Box::new(TrueThresholds(thresholds())));
        let mut samples = Samples::new(Provenance::new());
        let gather = operation(GATHER, Bytes::new(32 * KIB));
        for &reps in reps {
            let plan = orrery::measure::Plan::shuffled(vec![vec![gather]], 1);
            support::run(&mut machine, &mut samples, &plan, reps);
        }
        samples.get(&gather).unwrap().seconds()
    };
    let once = readings(1, &[40]);
    assert_eq!(once, readings(1, &[13, 40]));
    assert_ne!(once, readings(2, &[40]));
    let calm = once.iter().copied().fold(f64::INFINITY, f64::min);
    let levels = once.iter().map(|reading| reading - calm).filter(|excess| *excess > 0.1);
    assert!(levels.clone().count() > 5 && levels.clone().count() < 35);
    for excess in levels {
        assert!([0.2, 0.25].iter().any(|level| (excess - level).abs() < 1e-12), "{excess}");
    }
    assert!(
        (median(&once) - calm).abs() < 1e-12 || Seconds::new(median(&once)) > Seconds::new(0.2)
    );
}

/// Processors and links that differ up to a hundredfold make kinks, and a hundredth of the usual
/// noise shows them; leaps they are not.
#[test]
fn kinks_are_not_reported_as_thresholds() {
    for seed in 1..=4 {
        let (layout, values) = support::heterogeneous(8, true, seed);
        for noise in [0.0, 1e-4, 0.02] {
            let mut machine = SimulatedMachine::new(
                LmoNetwork::from_parameters(layout, values.clone()),
                noise,
                seed,
            );
            let mut samples = Samples::new(Provenance::new());
            let what = CollectiveDesign {
                operations: [SCATTER, GATHER].map(|kind| (kind, Algorithm::Linear)).to_vec(),
                roots: Processor::first(8).collect(),
                ..CollectiveDesign::new(8, (0..=50).map(|k| Bytes::new(4 * k * KIB)).collect())
            };
            support::run(&mut machine, &mut samples, &collectives(&what, seed), 5);
            let found = estimate(&samples, None, None, &ThresholdOptions::default()).unwrap();
            assert_eq!(found, [], "seed {seed}, noise {noise}");
        }
    }
}

/// Escalations that are seldom, that nearly always happen, that always do, or never; so rare ones
/// as wild readings are none.
#[test]
fn escalations_of_any_probability_are_found() {
    let lmo = truth();
    for probability in [0.0, 0.004, 0.08, 0.5, 0.95, 1.0] {
        let mut truth = thresholds();
        let gather = &mut truth[1];
        gather.escalations.truncate(usize::from(probability > 0.0));
        gather
            .escalations
            .iter_mut()
            .for_each(|level| level.probability = Estimate::exact(probability));
        for seed in 1..=5 {
            let samples = measured(&lmo, truth.clone(), 0.02, seed, 40);
            let found = estimate(&samples, Some(&lmo), None, &ThresholdOptions::default())
                .unwrap()
                .pop()
                .unwrap();
            assert!(to_one_stride(found.gather_large, M2), "{probability}, seed {seed}: {found:?}");
            let shares: Vec<f64> =
                found.escalations.iter().map(|level| level.probability.value).collect();
            if probability > 0.02 {
                let small = found.gather_small.unwrap();
                assert!(covers(&small, M1 as f64), "{probability}, seed {seed}: {found:?}");
                assert!(
                    shares.len() == 1 && (shares[0] - probability).abs() < 0.05,
                    "{probability}: {shares:?}"
                );
            } else {
                assert_eq!((found.gather_small, shares.len()), (None, 0), "seed {seed}");
            }
        }
    }
}

/// Where medians first grow fast and then slowly, on a busy machine, wild readings may be below the
/// line through the medians: they are no escalations, so that every level is positive and can be
/// stored.
#[test]
fn levels_are_above_the_line_of_the_other_readings() {
    let mut levels = 0;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut random = || rng.random_range(0.0..1.0);
        let bend: f64 = random();
        let mut samples = Samples::new(Provenance::new());
        for k in 0..14_u32 {
            let usual = 20e-6 * (1.0 + 40.0 * (1.0 - (-2.0 * bend * f64::from(k)).exp()));
            for rep in 0..10 {
                let wild = if random() < 0.2 { 195e-6 } else { 0.0 };
                let seconds = usual * (1.0 + 0.1 * random()) + wild;
                let experiment = operation(GATHER, Bytes::new(1024 * u64::from(k)));
                samples.push(Sample { experiment, launch: 0, rep, seconds: Seconds::new(seconds) });
            }
        }
        for found in estimate(&samples, None, None, &ThresholdOptions::default()).unwrap() {
            levels += found.escalations.len();
            let low = |one: &Escalation| {
                one.seconds.interval.map_or(one.seconds.value, |interval| interval.low)
            };
            assert!(found.escalations.iter().all(|one| low(one) > 0.0), "seed {seed}: {found:?}");
            assert!(
                found.gather_small.is_none() || !found.escalations.is_empty(),
                "seed {seed}: {found:?}"
            );
        }
    }
    assert!(levels > 20, "{levels} levels");
}

/// The rules by name: the printed one for M1 agrees where most readings escalate, and takes growth
/// for an escalation where few do; constants find M2 as lines do.
#[test]
fn printed_rules_can_be_selected() {
    let lmo = truth();
    let (mut often, mut seldom) = (thresholds(), thresholds());
    seldom[1].escalations.truncate(1);
    seldom[1].escalations[0].probability = Estimate::exact(0.1);
    often[1].escalations[0].probability = Estimate::exact(0.8);
    let found = |truth: &[Thresholds], small, large| {
        let options = ThresholdOptions { small, large, ..ThresholdOptions::default() };
        let samples = measured(&lmo, truth.to_vec(), 0.01, 1, 40);
        estimate(&samples, Some(&lmo), None, &options).unwrap().pop().unwrap()
    };
    assert!(to_one_stride(found(&often, EscalationRule::Printed, Shape::Linear).gather_small, M1));
    let growth = found(&seldom, EscalationRule::Printed, Shape::Linear).gather_small.unwrap();
    assert!(growth.value > 4.0 * M1 as f64, "{growth:?}");
    let constant = found(&thresholds(), EscalationRule::Escalations, Shape::Constant);
    assert!(to_one_stride(constant.gather_large, M2));
}

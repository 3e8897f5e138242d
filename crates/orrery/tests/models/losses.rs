//! Losses where messages of several senders meet at an in-port: those of a gather hold for every
//! schedule, and those that nobody measured are named and avoided.

use orrery::model::{Prediction, Sweep};

use crate::prelude::*;
use crate::support;
use crate::thresholds_model::truth;

const KIB: u64 = 1024;

fn of(kind: CollectiveKind, algorithm: Algorithm, size: u64) -> Query {
    Query::Experiment(support::collective(kind, algorithm, 0, 8, size))
}

fn predict(model: &Model, query: &Query) -> Prediction {
    Predictor::new(model, ModelKind::Lmo).unwrap().predict(query).unwrap()
}

/// The truth without any thresholds.
fn lossless() -> Model {
    Model { thresholds: Vec::new(), ..truth() }
}

fn has_alarm(model: &Model, query: &Query) -> bool {
    predict(model, query).alarms.iter().any(|alarm| matches!(alarm, Alarm::Losses { .. }))
}

#[test]
fn other_schedules_lose_messages_as_the_gather_does() {
    let (truth, calm) = (truth(), lossless());
    // All ranks send one block to the root, as in a gather.
    for kind in [CollectiveKind::Reduce, CollectiveKind::Gather] {
        let query = of(kind, Algorithm::LinearNonblocking, 16 * KIB);
        if !kind.has(Algorithm::LinearNonblocking) {
            continue;
        }
        let (with, without) = (predict(&truth, &query), predict(&calm, &query));
        assert!((with.escalation.unwrap() - 0.4).abs() < 1e-12, "{query}");
        assert_eq!(with.seconds, without.seconds, "{query}: 60 % of the times are calm");
        let mean = Predictor::new(&truth, ModelKind::Lmo).unwrap().expected_time(&query).unwrap();
        let added = 0.3 * 0.2 + 0.1 * 0.25;
        assert!((mean.get() - without.seconds.get() - added).abs() < 1e-9, "{query}");
    }
    let linear = of(CollectiveKind::Reduce, Algorithm::Linear, 16 * KIB);
    assert!((predict(&truth, &linear).escalation.unwrap() - 0.4).abs() < 1e-12);
    // Up to M1 = 5000 nothing is lost; beyond M2 = 73000 messages come one after the other.
    for size in [5000, 128 * KIB] {
        let linear = of(CollectiveKind::Reduce, Algorithm::Linear, size);
        assert_eq!(predict(&truth, &linear).escalation, None, "{size}");
    }
}

#[test]
fn ports_with_one_sender_at_a_time_lose_nothing() {
    let (truth, calm) = (truth(), lossless());
    for (kind, algorithm) in [
        (CollectiveKind::Scatter, Algorithm::Binomial),
        (CollectiveKind::Broadcast, Algorithm::Linear),
        (CollectiveKind::Broadcast, Algorithm::Binomial),
        (CollectiveKind::Allgather, Algorithm::Ring),
        (CollectiveKind::Allreduce, Algorithm::Ring),
        (CollectiveKind::Scan, Algorithm::Linear),
    ] {
        for size in [1, 16 * KIB, 64 * KIB, 4 << 20] {
            let query = of(kind, algorithm, size);
            let (with, without) = (predict(&truth, &query), predict(&calm, &query));
            assert_eq!((with.seconds, with.escalation), (without.seconds, None), "{query}");
            assert!(!has_alarm(&unmeasured(), &query), "{query}");
        }
    }
}

#[test]
fn without_losses_every_schedule_has_its_plain_time() {
    let mut calm = truth();
    for thresholds in &mut calm.thresholds {
        thresholds.escalations.clear();
    }
    for kind in [CollectiveKind::Reduce, CollectiveKind::Allgather, CollectiveKind::Alltoall] {
        for algorithm in kind.algorithms_on(8) {
            let query = of(kind, algorithm, 16 * KIB);
            let (one, other) = (predict(&calm, &query), predict(&lossless(), &query));
            assert_eq!((one.seconds, one.interval), (other.seconds, other.interval), "{query}");
            assert_eq!(one.escalation, None, "{query}");
        }
    }
}

/// A model that was fitted to experiments of pairs.
fn unmeasured() -> Model {
    let mut model = lossless();
    model.measurements.processors = Some(3);
    model
}

/// The same model after gathers up to a block that show no losses.
fn measured(largest: u64) -> Model {
    let mut model = unmeasured();
    let sweep = Sweep {
        operation: CollectiveKind::Gather,
        root: Processor(0),
        procs: 8,
        largest: Bytes::new(largest),
    };
    model.measurements.sweeps.push(sweep);
    model
}

#[test]
fn unknown_losses_are_named_where_more_meets_than_was_measured() {
    let gather = |size| of(CollectiveKind::Gather, Algorithm::Linear, size);
    let reduce = |size| of(CollectiveKind::Reduce, Algorithm::Linear, size);
    let alltoall = |size| of(CollectiveKind::Alltoall, Algorithm::LinearNonblocking, size);
    for query in [gather(16 * KIB), reduce(16 * KIB), alltoall(16 * KIB)] {
        assert!(has_alarm(&unmeasured(), &query), "{query}");
        assert!(!has_alarm(&measured(64 * KIB), &query), "{query}");
        // A model without a record of its measurements has no alarms about them.
        assert!(!has_alarm(&lossless(), &query), "{query}");
    }
    assert!(has_alarm(&measured(8 * KIB), &reduce(16 * KIB)));
    assert!(!has_alarm(&measured(8 * KIB), &reduce(8 * KIB)));
    let alarms = predict(&unmeasured(), &reduce(16 * KIB)).alarms;
    let losses = alarms.iter().find(|alarm| alarm.name() == "losses").unwrap();
    let Alarm::Losses { waiting, is_probed, .. } = losses else { panic!("{losses:?}") };
    // Of eight ranks seven send, and the data of six of them waits.
    assert_eq!((waiting.get(), *is_probed), (6 * 16 * KIB, true));
}

/// Exchanges of eight processors on four hosts: 0 and 1 on the first, and so on. In the set, both
/// ranks of a host send to different hosts.
fn exchanges(size: u64, slowest: f64) -> Samples {
    let mut samples = Samples::new(Provenance::new().with("hosts", "a a b b c c d d"));
    let all = (0..8).flat_map(|i| (i + 1..8).map(move |j| (Processor(i), Processor(j))));
    let round_trips = all.flat_map(|(i, j)| {
        [Bytes::ZERO, Bytes::new(KIB)].map(|size| Experiment::RoundTrip { i, j, size, reply: size })
    });
    let pairs = [(0, 2), (1, 4), (3, 6), (5, 7)].map(|(i, j)| (Processor(i), Processor(j)));
    let size = Bytes::new(size);
    let exchange = |(i, j), set, pairs| Experiment::Exchanges { i, j, size, set, pairs };
    let alone = pairs.iter().map(|pair| (exchange(*pair, 0, 1), 1e-4));
    let together = pairs.iter().map(|pair| (exchange(*pair, 1, 4), slowest));
    for (experiment, seconds) in round_trips
        .map(|one| (one, 2e-5 + 1e-9 * one.size().get() as f64))
        .chain(alone)
        .chain(together)
    {
        for rep in 0..3_u32 {
            let seconds = Seconds::new(seconds * (1.0 + 0.01 * f64::from(rep)));
            samples.push(Sample { experiment, launch: 0, rep, seconds });
        }
    }
    samples
}

/// Two messages meet at the ports of hosts; a timeout shows that one of them was lost.
#[test]
fn exchanges_show_what_ports_hold() {
    let backlog = |slowest| {
        let samples = exchanges(64 * KIB, slowest);
        support::fit_kind(&samples, ModelKind::Hockney).measurements.exchange_backlog
    };
    assert_eq!(backlog(2e-4), Some(Bytes::new(64 * KIB)));
    assert_eq!(backlog(0.2), None);
    let query = of(CollectiveKind::Gather, Algorithm::Linear, 10 * KIB);
    assert!(has_alarm(&unmeasured(), &query));
    let mut model = unmeasured();
    model.measurements.exchange_backlog = backlog(2e-4);
    assert!(!has_alarm(&model, &query));
    let larger = of(CollectiveKind::Gather, Algorithm::Linear, 16 * KIB);
    assert!(has_alarm(&model, &larger));
}

#[test]
fn a_choice_avoids_unknown_losses_where_another_algorithm_is_about_as_fast() {
    let candidates = |algorithms: &[Algorithm]| -> Vec<Candidate> {
        let root = Processor(0);
        algorithms.iter().map(|&algorithm| Candidate { algorithm, root }).collect()
    };
    let both = candidates(&[Algorithm::Linear, Algorithm::Binomial]);
    let choice = support::choice(CollectiveKind::Reduce, 8, both, (4 * KIB, 4 * KIB));
    let chosen = |model: &Model| choose(model, ModelKind::Lmo, &choice).unwrap().remove(0);
    // Binomial trees take less than twice the time, and less data meets in them.
    let known = chosen(&measured(64 * KIB));
    assert_eq!(known.best.algorithm, Algorithm::Linear);
    assert_eq!(known.first.reason.avoided, None);
    let unknown = chosen(&unmeasured());
    assert_eq!(unknown.best.algorithm, Algorithm::Binomial);
    let avoided = unknown.first.reason.avoided.map(|one| one.algorithm);
    assert_eq!(avoided, Some(Algorithm::Linear));
    assert!(unknown.alarms.iter().any(|alarm| alarm.name() == "losses"));
    // The only candidate is chosen with its risk.
    let one = candidates(&[Algorithm::LinearNonblocking]);
    let choice = support::choice(CollectiveKind::Alltoall, 8, one, (16 * KIB, 16 * KIB));
    let only = choose(&unmeasured(), ModelKind::Lmo, &choice).unwrap().remove(0);
    assert_eq!(
        (only.best.algorithm, only.first.reason.avoided),
        (Algorithm::LinearNonblocking, None)
    );
}

#[test]
fn a_probe_of_five_sizes_shows_losses() {
    let truth = truth();
    let network = || truth.network(ModelKind::Lmo).unwrap();
    let mut samples = support::campaign(network(), 0.02, 1, 10, support::Design::Full);
    let mut machine = SimulatedMachine::new(network(), 0.02, 1)
        .with_irregularities(Box::new(support::TrueThresholds(truth.thresholds.clone())));
    let probe = orrery::sample::incast_probe(8).into_iter().map(|one| vec![one]).collect();
    let readings = orrery::sample::INCAST_READINGS;
    support::run(&mut machine, &mut samples, &orrery::measure::Plan::shuffled(probe, 1), readings);
    let model = fit(&samples, &FitOptions::default()).unwrap().model;
    let gather = model.thresholds.iter().find(|one| one.operation == CollectiveKind::Gather);
    let gather = gather.unwrap();
    let small = gather.gather_small.unwrap();
    assert!((small.value - 4.0 * KIB as f64).abs() < 0.5, "{gather:?}");
    assert!(gather.gather_large.unwrap().value < 256.0 * KIB as f64, "{gather:?}");
    let lost: f64 = gather.escalations.iter().map(|one| one.probability.value).sum();
    assert!((0.1..0.8).contains(&lost), "{gather:?}");
    let reduce = of(CollectiveKind::Reduce, Algorithm::Linear, 16 * KIB);
    assert!(predict(&model, &reduce).escalation.is_some());
}

//! The alarms of predictions: what a model was not measured for.

use orrery::model::file;
use orrery::sample::PROCESSES_PER_HOST;

use crate::prelude::*;
use crate::shared_links::{self, cluster, fitted};
use crate::support::{Design, M, campaign, choice, collective, differing, run};

/// Samples of six processors, with collective operations of the first `procs`, if there are any.
fn samples(procs: usize) -> Samples {
    let (layout, truth) = differing(6, true, 4.0, 3);
    let network = LmoNetwork::from_parameters(layout, truth);
    let mut samples = campaign(network.clone(), 0.05, 3, 5, Design::Spread);
    if procs > 0 {
        let design = CollectiveDesign {
            operations: CollectiveDesign::usual(&[CollectiveKind::Scatter]),
            ..CollectiveDesign::new(procs, vec![Bytes::new(1024), Bytes::new(16 << 10)])
        };
        run(
            &mut SimulatedMachine::new(network, 0.05, 4),
            &mut samples,
            &collectives(&design, 3),
            5,
        );
    }
    samples
}

fn model(procs: usize) -> Model {
    fit(&samples(procs), &FitOptions::default()).unwrap().model
}

fn operation(algorithm: Algorithm, root: u32, procs: usize, size: u64) -> Query {
    Query::Experiment(collective(CollectiveKind::Scatter, algorithm, root, procs, size))
}

fn alarms(model: &Model, kind: ModelKind, query: &Query) -> Vec<Alarm> {
    Predictor::new(model, kind).unwrap().predict(query).unwrap().alarms
}

/// The names of the alarms but that for operations that were not measured.
fn names(model: &Model, query: &Query) -> Vec<&'static str> {
    let all = alarms(model, ModelKind::Lmo, query);
    all.iter().map(Alarm::name).filter(|name| *name != "unmeasured").collect()
}

fn is_unmeasured(model: &Model, query: &Query) -> bool {
    alarms(model, ModelKind::Lmo, query).iter().any(|alarm| alarm.name() == "unmeasured")
}

#[test]
fn messages_outside_the_measured_sizes_are_named() {
    let model = model(0);
    let message =
        |size| Query::PointToPoint { from: Processor(0), to: Processor(1), size: Bytes::new(size) };
    assert_eq!(names(&model, &message(M.get())), [""; 0]);
    let outside = alarms(&model, ModelKind::Lmo, &message(M.get() + 1));
    let sizes = (Bytes::new(M.get() + 1), Bytes::new(M.get() + 1));
    assert_eq!(outside, [Alarm::Size { sizes, measured: (Bytes::ZERO, M) }]);
    // A binomial tree sends several blocks in a message, a linear one does not.
    assert_eq!(names(&model, &operation(Algorithm::Linear, 0, 3, M.get())), [""; 0]);
    assert_eq!(names(&model, &operation(Algorithm::Binomial, 0, 3, M.get())), [""; 0]);
    assert_eq!(names(&model, &operation(Algorithm::Binomial, 0, 6, M.get())), ["size"]);
}

#[test]
fn operations_that_were_not_measured_are_named() {
    let six = operation(Algorithm::Linear, 0, 6, 1024);
    let [Alarm::Unmeasured { algorithm, processors: 6, sizes, factor, per_host: None, .. }] =
        alarms(&model(0), ModelKind::Lmo, &six)[..]
    else {
        panic!("{:?}", alarms(&model(0), ModelKind::Lmo, &six));
    };
    assert_eq!(algorithm.to_string(), "scatter/linear");
    assert_eq!(sizes, (Bytes::new(1024), Bytes::new(1024)));
    assert!((1.5..3.0).contains(&factor), "{factor}");
    let mut of_two = model(0);
    of_two.provenance.set(PROCESSES_PER_HOST, "2".to_owned());
    let per_host = |alarm: &Alarm| matches!(alarm, Alarm::Unmeasured { per_host: Some(2), .. });
    assert!(alarms(&of_two, ModelKind::Lmo, &six).iter().all(per_host));
    // A measurement settles the alarm for itself and for alike operations, not for others.
    let measured = model(6);
    assert!(!is_unmeasured(&measured, &six));
    assert!(!is_unmeasured(&measured, &operation(Algorithm::Linear, 0, 6, 2048)));
    let other = collective(CollectiveKind::Alltoall, Algorithm::Bruck, 0, 6, 1024);
    let part =
        |query: &Query| measured.predict(ModelKind::Lmo, query).unwrap().uncertainty.model.unwrap();
    assert!(part(&Query::Experiment(other)) > 2.0 * part(&six));
    // The validation measures them.
    let validation = validate(&model(0), &samples(6), &[ModelKind::Lmo], 0.95).unwrap();
    assert!(validation.rows.iter().all(|row| row.predicted.alarms.is_empty()));
}

/// Exchanges of all processors in pairs load ports and links, but are no collective operation: the
/// alarm remains.
#[test]
fn exchanges_of_pairs_are_no_collective_operations() {
    let truth = cluster(8, &[], 3);
    let model = fitted(&shared_links::campaign(&truth, 0.05, 3)).model;
    assert_eq!(model.measurements.exchanging, Some(8));
    let eight = operation(Algorithm::Linear, 0, 8, 1024);
    let found = alarms(&model, ModelKind::Ports, &eight);
    assert!(matches!(found[..], [Alarm::Unmeasured { processors: 8, .. }]), "{found:?}");
    let text = found[0].to_string();
    assert!(text.starts_with("scatter/linear of 1K on 8 processors from root 0 was not"), "{text}");
    // The file keeps it.
    let text = file::to_text(&model).unwrap();
    assert_eq!(file::parse(&text, "model.json").unwrap().model, model);
}

/// Queues serve both directions of a processor independently; flows share what they have in common.
#[test]
fn half_duplex_processors_that_a_model_ignores_are_named() {
    let mut truth = cluster(6, &[], 3);
    truth.both_ports_byte_delay = vec![Estimate::exact(0.0); 6];
    for one in [2, 4] {
        truth.both_ports_byte_delay[one] = truth.port_byte_delay[one];
    }
    let model = Model::new(6).with(ModelKind::Ports, &truth);
    let size = Bytes::new(1024);
    let collective = |kind: CollectiveKind, procs| {
        Query::Experiment(collective(kind, kind.algorithms()[0], 0, procs, 1024))
    };
    let exchange =
        |i, j| Query::Experiment(Experiment::Exchange { i: Processor(i), j: Processor(j), size });
    let named = |query: &Query| alarms(&model, ModelKind::Ports, query);
    let of = |first, processors| Alarm::HalfDuplex {
        model: ModelKind::Ports,
        first: Processor(first),
        processors,
    };
    assert_eq!(named(&exchange(0, 4)), [of(4, 1)]);
    assert_eq!(named(&exchange(2, 4)), [of(2, 2)]);
    assert_eq!(
        (named(&exchange(0, 1)), named(&collective(CollectiveKind::Scatter, 6))),
        (vec![], vec![])
    );
    // They are played by flows.
    assert_eq!(named(&collective(CollectiveKind::Alltoall, 6)), []);
    assert_eq!(named(&collective(CollectiveKind::Allgather, 4)), []);
    assert_eq!(alarms(&model, ModelKind::PortsFlows, &exchange(0, 4)), []);
    assert_eq!(
        of(2, 2).to_string(),
        "processor 2 and 1 more are half duplex, which ports ignores; predict by ports-flows"
    );
}

#[test]
fn changes_of_protocol_that_were_not_measured_are_named() {
    let mut model = model(6);
    let threshold = |root| Thresholds {
        scatter_threshold: Some(Estimate::exact(8192.0)),
        ..Thresholds::none(CollectiveKind::Scatter, Processor(root), 6)
    };
    assert_eq!(names(&model, &operation(Algorithm::Linear, 3, 6, 16 << 10)), [""; 0]);
    model.thresholds.push(threshold(0));
    assert_eq!(names(&model, &operation(Algorithm::Linear, 0, 6, 16 << 10)), [""; 0]);
    assert_eq!(names(&model, &operation(Algorithm::Linear, 3, 6, 8192)), [""; 0]);
    assert_eq!(names(&model, &operation(Algorithm::Linear, 3, 6, 8193)), ["protocol"]);
    // Thresholds do not apply to trees. The sweep of root 0 ended at 16 KiB.
    assert_eq!(names(&model, &operation(Algorithm::Binomial, 3, 6, 8193)), [""; 0]);
    let beyond = alarms(&model, ModelKind::Lmo, &operation(Algorithm::Linear, 0, 6, 20_000));
    let Alarm::Protocol { change, measured, .. } = beyond[0] else { panic!("{beyond:?}") };
    assert_eq!((change, measured), (Bytes::new(8192), Some(Bytes::new(16 << 10))));
    // A model file without a record of its measurements has thresholds for all sizes.
    model.measurements = orrery::model::Measurements::default();
    assert_eq!(names(&model, &operation(Algorithm::Linear, 0, 6, 20_000)), [""; 0]);
}

#[test]
fn processors_that_change_nothing_are_named() {
    let estimate = Estimate::exact(1e-6);
    let hlmo =
        Hlmo::from_estimates([estimate, Estimate::exact(1e-9), estimate, Estimate::exact(1e-9)]);
    let model = Model::new(4).with(ModelKind::Hlmo, &hlmo);
    let of_root =
        |root| alarms(&model, ModelKind::Hlmo, &operation(Algorithm::Linear, root, 4, 1024));
    assert_eq!(
        (of_root(0), of_root(2)),
        (vec![], vec![Alarm::NoEffect { model: ModelKind::Hlmo }])
    );
}

/// Samples of these launches; each is slower than a campaign with a spread of 5 % by its factor.
fn launches(factors: &[f64]) -> Samples {
    let (layout, truth) = differing(6, true, 4.0, 3);
    let mut all = Samples::new(Provenance::new());
    for (launch, factor) in (0..).zip(factors) {
        let network = LmoNetwork::from_parameters(layout, truth.clone());
        let samples = campaign(network, 0.05, 40 + u64::from(launch), 5, Design::Spread);
        for sample in samples.iter() {
            all.push(Sample {
                launch,
                seconds: Seconds::new(sample.seconds.get() * factor),
                ..sample
            });
        }
    }
    all
}

#[test]
fn launches_that_disagree_are_named() {
    let query = operation(Algorithm::Linear, 0, 3, 1024);
    let fitted = |samples: &Samples| fit(samples, &FitOptions::default()).unwrap().model;
    for _ in 0..5 {
        assert_eq!(names(&fitted(&launches(&[1.0, 1.0, 1.0])), &query), [""; 0]);
    }
    let model = fitted(&launches(&[1.0, 1.2, 1.1]));
    let found = alarms(&model, ModelKind::Lmo, &query);
    let difference = found.iter().find_map(|alarm| match alarm {
        Alarm::Launches(difference) => Some(difference),
        _ => None,
    });
    let difference = difference.unwrap();
    assert_eq!(difference.launches, 3);
    assert!(difference.between > 0.06 && difference.between < 0.14, "{difference:?}");
    assert!(difference.expected > 0.01 && difference.expected < 0.05, "{difference:?}");
    // Two files of one launch each, with the same numbers of launches.
    let mut files = launches(&[1.0]);
    files.extend(&launches(&[1.3]));
    assert_eq!(names(&fitted(&files), &query), ["launches"]);
    // The file keeps all of it.
    let text = file::to_text(&model).unwrap();
    assert_eq!(file::parse(&text, "model.json").unwrap().model, model);
}

#[test]
fn a_choice_has_the_alarms_of_its_predictions_once() {
    let algorithms = [Algorithm::Linear, Algorithm::Binomial]
        .map(|algorithm| Candidate { algorithm, root: Processor(0) });
    let choice = choice(CollectiveKind::Scatter, 6, algorithms.to_vec(), (1, 1 << 20));
    let ranges = choose(&model(0), ModelKind::Lmo, &choice).unwrap();
    let last = &ranges.last().unwrap().alarms;
    let names: Vec<&str> = last.iter().map(Alarm::name).collect();
    // One for each algorithm.
    assert_eq!(names.iter().filter(|name| **name == "unmeasured").count(), 2, "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "size").count(), 1, "{names:?}");
}

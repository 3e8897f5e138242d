//! Models of measured hosts, extended to others of the same classes.

use orrery::machine::{Machine as _, SelectedProcessors};
use orrery::model::{ALL_HOSTS, Connections, HostClasses, HostClassesError, file};
use orrery::request::fit_samples;

use crate::prelude::*;
use crate::support::M;

/// Eight hosts: the first five are of class 1, the others of class 2.
const HOSTS: [&str; 8] = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3"];

fn class(processor: usize) -> usize {
    if processor < 5 { 1 } else { 2 }
}

fn classes() -> HostClasses {
    HostClasses::new(
        HOSTS.iter().enumerate().map(|(one, name)| ((*name).to_owned(), class(one))).collect(),
    )
}

/// LMO whose parameters follow from the classes.
fn truth() -> LmoNetwork {
    let of = |values: [f64; 2]| -> Vec<f64> { (0..8).map(|one| values[class(one) - 1]).collect() };
    let pairs = Pairs::of(8);
    let between = |values: [f64; 3]| -> Vec<f64> {
        let of_pair = |pair: usize| {
            let (i, j) = pairs.get(pair).unwrap();
            values[class(i.index()) + class(j.index()) - 2]
        };
        (0..pairs.count()).map(of_pair).collect()
    };
    let (latencies, delays) = (between([20e-6, 30e-6, 50e-6]), between([8e-9, 10e-9, 80e-9]));
    LmoNetwork::new(&of([10e-6, 15e-6]), &of([1e-9, 3e-9]), Some(&latencies), &delays)
}

/// Readings of these processors, with the names of their hosts.
fn readings(processors: &[usize], noise: f64) -> Samples {
    let machine = SimulatedMachine::new(truth(), noise, 3);
    let chosen = processors.iter().map(|one| Processor(*one as u32)).collect();
    let mut machine = SelectedProcessors::new(Box::new(machine), chosen).unwrap();
    let mut samples = Samples::default();
    let count = machine.processors();
    let trips = round_trips(count, &[Bytes::ZERO, M], 1);
    let mut campaign = Campaign::new(&mut machine, &mut samples);
    let precision = Precision { min_reps: 5, max_reps: 5, ..Precision::default() };
    campaign = campaign.precision(precision);
    campaign.run("round trips", &trips).unwrap();
    let plan = one_to_twos(TripletDesign::Full, campaign.samples(), count, M, 1).unwrap();
    campaign.run("one-to-two", &plan).unwrap();
    let hosts = processors.iter().map(|one| HOSTS[*one]).collect::<Vec<_>>();
    samples.provenance.set("hosts", hosts.join(" "));
    samples
}

/// The fitted kinds of models.
fn options() -> FitOptions {
    FitOptions { kinds: Some(vec![ModelKind::Lmo, ModelKind::Hockney]), ..FitOptions::default() }
}

/// The model of these processors.
fn measured(processors: &[usize], noise: f64) -> Model {
    fit(&readings(processors, noise), &options()).unwrap().model
}

#[test]
fn a_fit_to_some_hosts_of_each_class_is_the_model_of_all() {
    let mut samples = readings(&[0, 2, 3, 5, 7], 0.02);
    let own = fit_samples(&options(), &samples).unwrap();
    assert_eq!((own.outcome.model.processors(), &own.all_hosts), (5, &None));
    samples.provenance.set(ALL_HOSTS, classes().to_string());
    let fitted = fit_samples(&options(), &samples).unwrap();
    let all = fitted.outcome.model.with_host_classes(&classes()).unwrap();
    assert_eq!(fitted.diagnostics, own.diagnostics);
    assert_eq!((fitted.into_model(), all.processors()), (all, 8));
}

#[test]
fn hosts_that_were_not_measured_are_like_those_of_their_class() {
    let some = measured(&[0, 2, 3, 5, 7], 0.0);
    let all = some.with_host_classes(&classes()).unwrap();
    // Measured hosts keep the numbers that they have in their samples.
    let order = [0, 2, 3, 5, 7, 1, 4, 6];
    assert_eq!(all.hosts, order.map(|one| HOSTS[one].to_owned()));
    let whole = measured(&order, 0.0);
    for kind in [ModelKind::Lmo, ModelKind::Hockney] {
        for (i, j) in [(0, 2), (0, 1), (1, 4), (4, 6), (6, 7), (1, 5), (3, 6)] {
            for size in [0, 1000, M.get()] {
                let query = Query::message(Processor(i), Processor(j), Bytes::new(size));
                let time = |model: &Model| model.predict(kind, &query).unwrap().seconds.get();
                let (found, expected) = (time(&all), time(&whole));
                assert!(
                    (found / expected - 1.0).abs() < 1e-9,
                    "{kind} {i}-{j} {size}: {found}, {expected}"
                );
            }
        }
    }
}

/// With noise, the intervals of hosts that were not measured contain the spread of their class.
#[test]
fn intervals_contain_the_spread_of_a_class() {
    let some = measured(&[0, 2, 3, 5, 6, 7], 0.05);
    let all = some.with_host_classes(&classes()).unwrap();
    let width = |i, j| {
        let query = Query::message(Processor(i), Processor(j), M);
        let prediction = all.predict(ModelKind::Hockney, &query).unwrap();
        let (low, high) = prediction.interval.unwrap();
        (high - low).get() / prediction.seconds.get()
    };
    // Two measured hosts, and two others.
    assert!(width(6, 7) > width(0, 2), "{} {}", width(6, 7), width(0, 2));
}

/// Hosts that were not measured may differ from those of their class however alike these are: they
/// widen intervals and have an alarm, also after the model was written and read.
#[test]
fn hosts_that_were_not_measured_are_doubted() {
    let all = measured(&[0, 2, 3, 5, 6, 7], 0.01).with_host_classes(&classes()).unwrap();
    let text = file::to_text(&all).unwrap();
    let all = file::parse(text, "all.json").unwrap().model;
    let predict = |i, j| {
        let query = Query::message(Processor(i), Processor(j), M);
        let prediction = all.predict(ModelKind::Lmo, &query).unwrap();
        let (_, high) = prediction.interval.unwrap();
        let doubts = prediction.alarms.iter().filter_map(|alarm| match alarm {
            Alarm::UnmeasuredHosts { first, processors } => Some((first.0, *processors)),
            _ => None,
        });
        (high / prediction.seconds, doubts.collect::<Vec<_>>())
    };
    let (known, none) = predict(0, 5);
    let (one, of_one) = predict(0, 6);
    let (two, of_two) = predict(6, 7);
    assert!(known < 1.1 && one > 2.2 && two > 2.2, "{known} {one} {two}");
    assert_eq!((none, of_one, of_two), (vec![], vec![(6, 1)], vec![(6, 2)]));

    let mut connections = Connections::new(&all, ModelKind::Lmo).unwrap();
    let latency = connections.latency_along(&[Processor(0), Processor(6)]).unwrap();
    let (low, high) = latency.interval.unwrap();
    assert!(high / low > 4.0 && latency.alarms.len() == 1, "{latency:?}");
    let broadcast = Experiment::Collective {
        kind: CollectiveKind::Broadcast,
        algorithm: Algorithm::Binomial,
        root: Processor(0),
        procs: 8,
        size: M,
    };
    let prediction = all.predict(ModelKind::Lmo, &Query::Experiment(broadcast)).unwrap();
    assert!(prediction.interval.unwrap().1 / prediction.seconds > 2.2, "{prediction:?}");
    let words = "processor 6 and 1 more were not measured and count as others of the same class";
    assert!(prediction.alarms.iter().any(|alarm| alarm.to_string().starts_with(words)));
}

#[test]
fn missing_hosts_and_links_are_named() {
    let some = measured(&[0, 2, 3, 5], 0.0);
    assert_eq!(some.with_host_classes(&classes()), Err(HostClassesError::NoLink(2, 2)));
    let unknown = Model { hosts: vec!["x".to_owned(); 4], ..some.clone() };
    assert_eq!(
        unknown.with_host_classes(&classes()),
        Err(HostClassesError::NoClass("x".to_owned()))
    );
    let one = measured(&[0, 2, 3], 0.0);
    assert_eq!(one.with_host_classes(&classes()), Err(HostClassesError::NotMeasured(2)));
    assert!("n1=1 n2".parse::<HostClasses>().is_err() && "=1".parse::<HostClasses>().is_err());
    assert_eq!(classes().to_string().parse(), Ok(classes()));
}

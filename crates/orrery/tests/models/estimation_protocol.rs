//! The measuring protocol: its order, its decisions, and what a program can stop and resume.

use std::error::Error;
use std::time::Duration;

use orrery::estimation::Estimation;
use orrery::measure::{Parallelism, Sink};
use orrery::sample::ExperimentKind;

use crate::prelude::*;

/// Four processors whose fixed delays are 10, 20, 30 and 40 µs.
fn machine(noise: f64) -> SimulatedMachine<LmoNetwork> {
    let network =
        LmoNetwork::new(&[10e-6, 20e-6, 30e-6, 40e-6], &[1e-9; 4], Some(&[20e-6; 6]), &[8e-9; 6]);
    SimulatedMachine::new(network, noise, 1)
}

/// The kinds of experiments in the order in which they were first measured.
#[derive(Default)]
struct Order(Vec<ExperimentKind>);

impl Sink for Order {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        for kind in readings.iter().map(|reading| reading.experiment.kind()) {
            if !self.0.contains(&kind) {
                self.0.push(kind);
            }
        }
        Ok(())
    }
}

#[test]
fn an_exact_machine_is_recovered_with_defaults() {
    let estimated =
        Estimation::lmo().estimate(&mut machine(0.0)).expect("the machine has enough processors");
    let lmo: Lmo = estimated.fit.model.get(ModelKind::Lmo).expect("it was requested");
    for (i, delay) in lmo.fixed_delay.iter().enumerate() {
        let truth = 10e-6 * (i + 1) as f64;
        assert!((delay.value / truth - 1.0).abs() < 1e-6, "processor {i}: {}", delay.value);
    }
    assert_eq!(estimated.measured.end, CampaignEnd::Complete);
    assert_eq!(estimated.measured.size.expect("all was measured").size(), Bytes::new(32 << 10));
    assert!(estimated.measured.parallel && estimated.measured.interference.is_some());
}

#[test]
fn experiments_are_measured_in_the_order_of_the_protocol() {
    let mut order = Order::default();
    let estimation =
        Estimation { thresholds: true, ..Estimation::of([ModelKind::Lmo, ModelKind::LogGp]) };
    let samples = Samples::new(Provenance::new());
    estimation.resume(&mut machine(0.01), samples, Some(&mut order)).expect("nothing fails");
    let at = |kind| order.0.iter().position(|known| *known == kind);
    let kinds = [
        ExperimentKind::Collective,
        ExperimentKind::RoundTrip,
        ExperimentKind::OneToTwo,
        ExperimentKind::Train,
    ];
    let places: Vec<Option<usize>> = kinds.into_iter().map(at).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{:?}", order.0);
}

#[test]
fn known_readings_are_not_measured_again() {
    let estimation = Estimation { precision: Precision::within(0.02), ..Estimation::lmo() };
    let complete = estimation.measure(&mut machine(0.02)).expect("nothing fails").samples;
    let mut again = Order::default();
    let resumed = estimation
        .resume(&mut machine(0.02), complete.clone(), Some(&mut again))
        .expect("nothing fails");
    assert_eq!((resumed.samples.count(), again.0), (complete.count(), Vec::new()));
}

#[test]
fn a_time_limit_ends_the_campaign_and_a_resumed_one_completes_it() {
    let limit = Duration::from_micros(100);
    let estimation = Estimation { parallelism: Parallelism::Off, ..Estimation::lmo() };
    let stopped = Estimation { time_limit: Some(limit.into()), ..estimation.clone() }
        .measure(&mut machine(0.02))
        .expect("nothing fails");
    assert!(
        matches!(stopped.end, CampaignEnd::OutOfTime { stage: "round trips", .. }),
        "{:?}",
        stopped.end
    );
    let resumed =
        estimation.resume(&mut machine(0.02), stopped.samples, None).expect("nothing fails");
    assert_eq!(resumed.end, CampaignEnd::Complete);
}

#[test]
fn shared_links_are_searched_between_hosts_only() {
    let estimation = Estimation::default();
    let size = Bytes::new(1024);
    let searches =
        |hosts: &str| estimation.design(size, &Provenance::new().with("hosts", hosts)).shared_links;
    assert!(searches("a a b b") && !searches("a a a a"));
    assert!(estimation.design(size, &machine(0.0).provenance()).shared_links);
    assert!(!Estimation::lmo().design(size, &Provenance::new().with("hosts", "a b")).shared_links);
}

/// The case of the papers: sixteen processors at the speeds of Gigabit Ethernet, estimated within a
/// second of the network's time, as by `orrery_lmo_estimate` with messages of 16 KiB and the brief
/// design; means of the errors stay below 6 %.
#[test]
fn sixteen_processors_are_estimated_within_a_second() {
    let pairs = 16 * 15 / 2;
    let delays: Vec<f64> = (0..16).map(|i| 40e-6 + 2.5e-6 * f64::from(i)).collect();
    let byte_delays: Vec<f64> = (0..16).map(|i| 2e-9 + 0.5e-9 * f64::from(i % 3)).collect();
    let network =
        LmoNetwork::new(&delays, &byte_delays, Some(&vec![30e-6; pairs]), &vec![8e-9; pairs]);
    let mut errors = Vec::new();
    for triplets in [TripletDesign::Brief, TripletDesign::Spread] {
        let mut machine = SimulatedMachine::new(network.clone(), 0.02, 1);
        let mut estimation = Estimation { size: Some(Bytes::new(16 << 10)), ..Estimation::lmo() };
        estimation.experiments.triplets = triplets;
        let estimated =
            estimation.estimate(&mut machine).expect("the machine has enough processors");
        assert!(estimated.measured.parallel);
        let seconds = machine.elapsed().get();
        assert_eq!(seconds < 1.0, triplets == TripletDesign::Brief, "{triplets:?}: {seconds} s");
        let lmo: Lmo = estimated.fit.model.get(ModelKind::Lmo).expect("it was requested");
        let error = |found: f64, truth: f64| (found / truth - 1.0).abs();
        let of_delays =
            lmo.fixed_delay.iter().zip(&delays).map(|(found, truth)| error(found.value, *truth));
        let of_links = lmo.link_byte_delay.values().iter().map(|found| error(found.value, 8e-9));
        errors.push((of_delays.sum::<f64>() / 16.0, of_links.sum::<f64>() / pairs as f64));
    }
    let [(delays, links), ..] = errors[..] else { panic!() };
    assert!(delays < 0.06 && links < 0.06, "{errors:?}");
}

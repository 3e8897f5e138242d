//! Processors whose messages in both directions share one capacity, found by exchanges of single
//! pairs.

use crate::coverage_count::Coverage;
use crate::prelude::*;
use crate::shared_links::{campaign, cluster, fitted};

/// A cluster with these groups, in which some processors share a capacity of their out-port times
/// this factor.
fn half_duplex(
    processors: usize,
    groups: &[(Vec<u32>, f64)],
    shares: &[(usize, f64)],
    seed: u64,
) -> Ports {
    let mut truth = cluster(processors, groups, seed);
    let mut both = vec![Estimate::exact(0.0); processors];
    for &(one, factor) in shares {
        both[one] = Estimate::exact(truth.port_byte_delay[one].value * factor);
    }
    truth.both_ports_byte_delay = both;
    truth
}

/// The fit of a campaign with and without noise.
fn outcome(truth: &Ports, noise: f64, seed: u64) -> (FitOutcome, Ports, Samples) {
    let samples = campaign(truth, noise, seed);
    let outcome = fitted(&samples);
    let ports = outcome.model.get::<Ports>(ModelKind::Ports).unwrap();
    (outcome, ports, samples)
}

fn found(outcome: &FitOutcome) -> Vec<usize> {
    outcome.half_duplex.iter().flatten().map(|one| one.processor.index()).collect()
}

#[test]
fn half_duplex_processors_return_without_noise() {
    let cases: [(usize, &[usize], f64); 5] = [
        (6, &[2], 1.0),
        (8, &[0, 3, 5], 1.0),
        (9, &[4, 8], 0.9),
        (8, &[0, 1, 2, 3, 4, 5, 6, 7], 1.0),
        (12, &[11], 1.0),
    ];
    for (seed, (processors, shares, factor)) in cases.into_iter().enumerate() {
        let shares: Vec<(usize, f64)> = shares.iter().map(|&one| (one, factor)).collect();
        let truth = half_duplex(processors, &[], &shares, seed as u64);
        let (outcome, ports, _) = outcome(&truth, 0.0, seed as u64);
        let expected: Vec<usize> = shares.iter().map(|(one, _)| *one).collect();
        assert_eq!(found(&outcome), expected, "{seed}");
        // Where all processors are half duplex, the fastest ones appear as slow as their partners.
        let mut hidden = 0;
        for one in expected {
            let (value, truth) =
                (ports.both_ports_byte_delay[one].value, truth.both_ports_byte_delay[one].value);
            hidden += usize::from(value > truth * (1.0 + 1e-6));
            assert!(value >= truth * (1.0 - 1e-6), "{seed}, {one}: {value}, {truth}");
        }
        assert!(
            if shares.len() < processors { hidden == 0 } else { hidden <= processors / 4 },
            "{seed}: {hidden}"
        );
        assert!(outcome.shared_links.unwrap().links.is_empty());
    }
}

/// Without half duplex, the model has no such capacity; with noise neither.
#[test]
fn independent_directions_stay_independent() {
    for (seed, noise) in [(1, 0.0), (2, 0.05), (3, 0.05), (4, 0.05)] {
        let truth = cluster(8, &[(vec![0, 1, 2, 3], 1.0)], seed);
        let (outcome, ports, _) = outcome(&truth, noise, seed);
        assert_eq!((found(&outcome), ports.both_ports_byte_delay.len()), (vec![], 0));
    }
}

/// An exchange that takes long although both of its processors exchange faster with others is no
/// evidence: the library may send one direction after the other.
#[test]
fn a_pair_that_contradicts_others_is_not_half_duplex() {
    let measured = campaign(&cluster(8, &[], 1), 0.0, 1);
    let mut samples = Samples::new(measured.provenance.clone());
    let is_slow = |one: &Experiment| {
        matches!(one, Experiment::Exchanges { i: Processor(0), j: Processor(1), pairs: 1, .. })
    };
    for series in measured.in_order() {
        let factor = if is_slow(&series.experiment) { 1.8 } else { 1.0 };
        for (rep, seconds) in (0..).zip(series.seconds()) {
            let seconds = Seconds::new(factor * seconds);
            samples.push(Sample { experiment: series.experiment, launch: 0, rep, seconds });
        }
    }
    assert!(samples.in_order().any(|series| is_slow(&series.experiment)));
    assert_eq!(found(&fitted(&samples)), [0; 0]);
}

/// A shared link is found beside half-duplex processors, and both with noise.
#[test]
fn shared_links_are_found_beside() {
    let groups = [(vec![0, 1, 2, 3], 1.0)];
    for noise in [0.0, 0.03] {
        let truth = half_duplex(8, &groups, &[(1, 1.0), (6, 1.0)], 5);
        let (outcome, ports, _) = outcome(&truth, noise, 7);
        assert_eq!(found(&outcome), [1, 6], "{noise}");
        let links = outcome.shared_links.unwrap().links;
        let group: Vec<Processor> = (0..4).map(Processor).collect();
        let other: Vec<Processor> = (4..8).map(Processor).collect();
        assert!(
            links.len() == 1 && [&group, &other].contains(&&links[0].group),
            "{noise}: {links:?}"
        );
        let (uplink, truth) =
            (ports.uplinks.byte_delay()[0].value, truth.uplinks.byte_delay()[0].value);
        let limit = if noise > 0.0 { 0.1 } else { 1e-6 };
        assert!((uplink / truth - 1.0).abs() <= limit, "{noise}: {uplink}, {truth}");
    }
}

/// Intervals contain the truth.
#[test]
fn intervals_cover() {
    let mut coverage = Coverage::default();
    for seed in 0..20 {
        let truth = half_duplex(8, &[], &[(1, 1.0), (4, 1.0), (6, 0.9)], seed);
        let (outcome, ports, _) = outcome(&truth, 0.05, seed);
        assert_eq!(found(&outcome), [1, 4, 6], "{seed}");
        for one in [1, 4, 6] {
            let truth = truth.both_ports_byte_delay[one].value;
            coverage.estimate(&ports.both_ports_byte_delay[one], truth);
        }
    }
    assert!(coverage.part() >= 0.85 && coverage.all == 60, "{coverage:?}");
}

/// Flows predict exchanges of half-duplex processors; queues take half the time, without error.
#[test]
fn flows_predict_exchanges() {
    let truth = half_duplex(6, &[], &[(2, 1.0)], 3);
    let model = outcome(&truth, 0.0, 3).0.model;
    let size = Bytes::new(1 << 20);
    let exchange =
        |i, j| Query::Experiment(Experiment::Exchange { i: Processor(i), j: Processor(j), size });
    let time = |kind, i, j| {
        let mut predictor = Predictor::new(&model, kind).unwrap();
        predictor.predict(&exchange(i, j)).unwrap().seconds.get()
    };
    let both = 2.0 * size.get() as f64 * truth.both_ports_byte_delay[2].value;
    let slowed = time(ModelKind::PortsFlows, 2, 4);
    assert!(slowed > both && slowed < 1.1 * both, "{slowed}, {both}");
    assert!(time(ModelKind::Ports, 2, 4) < 0.8 * both);
    let (flows, queues) = (time(ModelKind::PortsFlows, 0, 1), time(ModelKind::Ports, 0, 1));
    assert!((flows / queues - 1.0).abs() < 0.01, "{flows}, {queues}");
}

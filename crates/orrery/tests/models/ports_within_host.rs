//! The model `ports` of hosts with several processors: memory and network have delays of their own.

use orrery::comm::ports::{Layout, fit};
use orrery::model::file::{parse, to_text};
use orrery::platform::{Hosts, LinkClass};

use crate::prelude::*;
use crate::support::{Design, M, campaign, collective, fit_kind};

/// Three hosts with several processors, and one with a single processor.
const HOSTS: &str = "a a b b b c c c c d";

/// The network of these hosts: an overhead of 0.3 to 0.4 µs in memory and of 3 to 4 µs across
/// hosts, and ports of the network that are four times as slow as memory.
fn network() -> (PortsNetwork, Vec<f64>) {
    let hosts = Hosts::new(HOSTS.split(' '));
    let n = HOSTS.split(' ').count();
    let layout = Layout::new(n).with_within_host();
    let is_within =
        |(a, b): (Processor, Processor)| hosts.class(a, b) == Some(LinkClass::WithinHost);
    let of_pair = |within: f64, across: f64| {
        layout.pairs().iter().map(|pair| if is_within(pair) { within } else { across }).collect()
    };
    let spread = |value: f64| (0..n).map(|i| value * (1.0 + 0.3 * i as f64 / n as f64)).collect();
    let latencies: Vec<f64> = of_pair(0.5e-6, 5e-6);
    // Those of a host share its memory; one that is alone on its host has no messages within it.
    let within = |value: f64| {
        let of_host = |i| match hosts.number(Processor(i)) {
            Some(host) if host < 3 => value * (1.0 + 0.2 * host as f64),
            _ => 0.0,
        };
        (0..n as u32).map(of_host).collect::<Vec<f64>>()
    };
    let truth: [Vec<f64>; 8] = [
        spread(3e-6),
        spread(0.1e-9),
        spread(0.8e-9),
        of_pair(0.0, 0.0),
        latencies,
        within(0.3e-6),
        within(0.05e-9),
        within(0.2e-9),
    ];
    let truth = truth.concat();
    (PortsNetwork::new(layout, truth.clone()).with_hosts(hosts), truth)
}

/// The samples of a campaign on these hosts.
fn samples(noise: f64) -> Samples {
    let mut samples = campaign(network().0, noise, 1, 5, Design::Full);
    samples.provenance = samples.provenance.with("hosts", HOSTS);
    samples
}

#[test]
fn parameters_of_memory_and_network_return_without_noise() {
    let ports = fit(&Observations::from_samples(&samples(0.0), |_| true), 0.95).unwrap().0;
    for (p, (estimate, truth)) in ports.estimates().iter().zip(network().1).enumerate() {
        assert!((estimate.value - truth).abs() <= 1e-6 * truth.max(1e-9), "{p}: {estimate:?}");
    }
    let again = Ports::from_set(&ports.to_set()).unwrap();
    assert_eq!(again.on_hosts(&HOSTS.split(' ').map(Into::into).collect::<Vec<_>>()), ports);
}

/// Linear broadcasts of small messages take an overhead of the network for each processor on
/// another host, and one of memory for each on the same host.
#[test]
fn predictions_distinguish_memory_and_network() {
    let model = fit_kind(&samples(0.0), ModelKind::Ports);
    let text = to_text(&model).unwrap();
    let model = parse(text, "model.json").unwrap().model;
    for kind in [ModelKind::Ports, ModelKind::PortsFlows] {
        let mut predictor = Predictor::new(&model, kind).unwrap();
        for size in [0, 1000, M.get()] {
            let experiment = collective(CollectiveKind::Broadcast, Algorithm::Linear, 8, 10, size);
            let predicted = predictor.predict(&Query::Experiment(experiment)).unwrap();
            let (program, placement) = experiment.program().unwrap();
            let mut truth = network().0;
            let mut engine = Engine::new();
            let outcome = engine.run(&program, &placement, &mut truth).unwrap();
            let expected = outcome.read(program.reading()).get();
            let tolerance = if kind == ModelKind::Ports { 1e-6 } else { 0.1 };
            assert!(
                (predicted.seconds.get() / expected - 1.0).abs() <= tolerance,
                "{kind}, {size}: {predicted:?}, {expected}"
            );
        }
    }
}

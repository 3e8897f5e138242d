//! Intervals of predictions by flows contain the errors of shared links.

use orrery::model::Prediction;

use crate::prelude::*;
use crate::shared_links::cluster;
use crate::support::BLOCKING;

const N: usize = 12;

/// The relative error of shared links.
const ERROR: f64 = 0.1;

/// An estimate with an interval of this relative half-width.
fn known(value: f64, half_width: f64) -> Estimate {
    let interval =
        Interval { low: value * (1.0 - half_width), high: value * (1.0 + half_width), level: 0.95 };
    Estimate { value, interval: Some(interval), samples: Some(9) }
}

/// A model whose parameters are exact apart from its shared links.
fn model(ports: &Ports, uplinks: &[f64]) -> Model {
    let exact = |all: &[Estimate]| all.iter().map(|one| known(one.value, 0.0)).collect::<Vec<_>>();
    let pairs =
        |all: &PerPair<Estimate>| PerPair::from_fn(N, |i, j| known(all.get(i, j).value, 0.0));
    let delays = uplinks.iter().map(|&delay| known(delay, ERROR)).collect();
    let ports = Ports {
        fixed_delay: exact(&ports.fixed_delay),
        byte_delay: exact(&ports.byte_delay),
        port_byte_delay: exact(&ports.port_byte_delay),
        link_latency: pairs(&ports.link_latency),
        flow_byte_delay: pairs(&ports.flow_byte_delay),
        uplinks: ports.uplinks.clone().with_byte_delay(delays),
        ..ports.clone()
    };
    Model::new(N).with(ModelKind::Ports, &ports)
}

/// The prediction of a collective operation by flows.
fn predict(model: &Model, experiment: Experiment) -> Prediction {
    Predictor::new(model, ModelKind::PortsFlows)
        .unwrap()
        .of_known_kind()
        .predict(&Query::Experiment(experiment))
        .unwrap()
}

/// Scatters and gathers through links that are as fast as ports, slower, and faster.
#[test]
fn intervals_contain_the_times_with_other_rates_of_shared_links() {
    let mut wide = 0;
    for rate in [0.5, 0.9, 1.5] {
        let groups = [((0..4).collect(), rate), ((4..8).collect(), rate), ((0..8).collect(), rate)];
        let truth = cluster(N, &groups, 1);
        let delays: Vec<f64> = truth.uplinks.byte_delay().iter().map(|delay| delay.value).collect();
        for (kind, algorithm, root) in BLOCKING[..2].iter().flat_map(|&(kind, algorithms)| {
            algorithms
                .iter()
                .flat_map(move |&algorithm| [0, 5, 9].map(|root| (kind, algorithm, root)))
        }) {
            let size = Bytes::new(64 << 10);
            let experiment =
                Experiment::Collective { kind, algorithm, root: Processor(root), procs: N, size };
            let prediction = predict(&model(&truth, &delays), experiment);
            let (low, high) = prediction.interval.unwrap();
            let mut spread = 0.0;
            for (link, factor) in
                (0..delays.len()).flat_map(|link| [(link, 1.0 - ERROR), (link, 1.0 + ERROR)])
            {
                let mut changed = delays.clone();
                changed[link] *= factor;
                let seconds = predict(&model(&truth, &changed), experiment).seconds;
                let is_inside =
                    low.get() <= seconds.get() * 1.001 && seconds.get() <= high.get() * 1.001;
                assert!(
                    is_inside,
                    "{kind} {algorithm} {root}, link {link} {factor}: {seconds} in {low} to {high}"
                );
                spread += (seconds - prediction.seconds).get().abs();
            }
            // The errors of all links together are no larger than the sum of each.
            let width = (high - low).get();
            assert!(
                width <= 1.3 * spread + 1e-3 * prediction.seconds.get(),
                "{kind} {algorithm} {root}: {width}, {spread}"
            );
            wide += usize::from(width > 0.01 * prediction.seconds.get());
        }
    }
    assert!(wide > 10, "{wide}");
}

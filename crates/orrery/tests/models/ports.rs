//! The model `ports`: estimation from simulated campaigns, and the laws of its network.

use orrery::comm::ports::{Layout, SizeEffect, fit};
use orrery::measure::two_to_ones;
use orrery::sample::ExperimentKind;

use crate::coverage_count::Coverage;
use crate::prelude::*;
use crate::support::{Design, M, campaign, run};

/// Parameters of n processors with ports of 8 to 80 ns/B and fast processing. `limited` pairs have
/// flows that are twice as slow as their ports.
pub fn truth(processors: usize, limited: usize, seed: u64) -> (Layout, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spread = |low: f64, high: f64| low * (high / low).powf(rng.random_range(0.0..1.0));
    let layout = Layout::new(processors);
    let pairs = layout.pairs().count();
    let mut truth: Vec<f64> = (0..processors).map(|_| spread(6e-6, 60e-6)).collect();
    truth.extend((0..processors).map(|_| spread(0.1e-9, 1e-9)));
    truth.extend((0..processors).map(|_| spread(8e-9, 80e-9)));
    truth.extend(vec![0.0; pairs]);
    truth.extend((0..pairs).map(|_| spread(10e-6, 60e-6)));
    for pair in (0..pairs).step_by(pairs.div_ceil(limited.max(1))).take(limited) {
        let (a, b) = layout.pairs().iter().nth(pair).unwrap();
        let port = |p: Processor| truth[layout.port_byte_delay(p.index())];
        truth[layout.flow_byte_delay(pair)] = 2.0 * port(a).max(port(b));
    }
    (layout, truth)
}

fn assert_recovered(model: &Ports, truth: &[f64]) {
    for (p, (estimate, truth)) in model.estimates().iter().zip(truth).enumerate() {
        let error = (estimate.value - truth).abs();
        assert!(error <= 1e-6 * truth.max(1e-9), "{p}: {estimate:?}, {truth}");
    }
}

fn estimated(samples: &Samples) -> Ports {
    fit(&Observations::from_samples(samples, |_| true), 0.95).unwrap().0
}

#[test]
fn parameters_return_without_noise() {
    for (seed, (processors, limited)) in
        [(3, 0), (6, 0), (9, 4), (12, 0), (12, 10), (16, 3)].into_iter().enumerate()
    {
        let (layout, truth) = truth(processors, limited, seed as u64);
        let network = PortsNetwork::new(layout, truth.clone());
        let samples = campaign(network.clone(), 0.0, 1, 1, Design::Full);
        let model = estimated(&samples);
        assert_recovered(&model, &truth);
    }
}

/// Effective sizes and fixed times return without noise, and the other parameters with them.
#[test]
fn size_laws_return_without_noise() {
    let (layout, truth) = truth(8, 0, 5);
    let effects = [
        (0, 0.0, 50e-6),
        (1024, 3000.0, 60e-6),
        (8192, 5000.0, 45e-6),
        (M.get(), M.get() as f64, 50e-6),
    ];
    let effect = |&(size, effective, fixed): &(u64, f64, f64)| SizeEffect {
        size: Bytes::new(size),
        effective,
        fixed,
    };
    let law = SizeLaw::new(effects.iter().map(effect).collect()).unwrap();
    let network = PortsNetwork::new(layout, truth.clone()).with_size_law(law.clone());
    let mut machine = SimulatedMachine::new(network, 0.0, 1);
    let mut samples = Samples::new(Provenance::new());
    let sizes = [Bytes::ZERO, Bytes::new(1024), Bytes::new(8192), M];
    run(&mut machine, &mut samples, &round_trips(8, &sizes, 1), 1);
    let plan = one_to_twos(Design::Full, &samples, 8, M, 1).unwrap();
    run(&mut machine, &mut samples, &plan, 1);
    let model = estimated(&samples);
    assert_recovered(&model, &truth);
    for size in [100, 1024, 5000, 8192, 20_000, 40_000].map(Bytes::new) {
        let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-6 * scale;
        assert!(
            close(model.size_law.effective(size), law.effective(size), 1e4),
            "{size}: {:?}",
            model.size_law
        );
        assert!(
            close(model.size_law.latency(size), law.latency(size), 1e-5),
            "{size}: {:?}",
            model.size_law
        );
    }
    // The parameters of a model file are the same law.
    assert_eq!(Ports::from_set(&model.to_set()), Some(model));
}

/// Times that are linear in the size have no law, also with noise.
#[test]
fn linear_times_have_no_size_law() {
    let (layout, truth) = truth(8, 0, 6);
    let mut machine = SimulatedMachine::new(PortsNetwork::new(layout, truth), 0.05, 1);
    let mut samples = Samples::new(Provenance::new());
    run(
        &mut machine,
        &mut samples,
        &round_trips(8, &[Bytes::ZERO, Bytes::new(16 << 10), M], 1),
        20,
    );
    let plan = one_to_twos(Design::Full, &samples, 8, M, 1).unwrap();
    run(&mut machine, &mut samples, &plan, 20);
    assert!(estimated(&samples).size_law.is_linear());
}

/// The time of a collective operation on a network.
fn time(
    network: &mut dyn Network,
    kind: CollectiveKind,
    algorithm: Algorithm,
    root: u32,
    block: u64,
) -> f64 {
    let ranks = network.processors();
    let collective =
        Collective { kind, algorithm, root: Rank(root), ranks, block: Bytes::new(block) };
    let program = Program::Collective(collective);
    let mut engine = Engine::new();
    let outcome = engine.run(&program, &Placement::identity(ranks), network).unwrap();
    outcome.read(program.reading()).get()
}

/// Linear scatters and gathers of large blocks are bound by the port of the root; the other ports
/// work beside it.
#[test]
fn the_port_of_the_root_bounds_linear_operations() {
    const BLOCK: f64 = 1e6;
    let (processors, ports) = (8, [80e-9, 10e-9, 20e-9, 20e-9, 40e-9, 10e-9, 20e-9, 20e-9]);
    let layout = Layout::new(processors);
    let pairs = layout.pairs().count();
    let truth =
        [&[1e-6; 8][..], &[1e-11; 8], &ports, &vec![0.0; pairs], &vec![1e-6; pairs]].concat();
    let mut network = PortsNetwork::new(layout, truth);
    for kind in [CollectiveKind::Scatter, CollectiveKind::Gather] {
        let seconds = time(&mut network, kind, Algorithm::Linear, 0, BLOCK as u64);
        assert!((seconds / (7.0 * BLOCK * ports[0]) - 1.0).abs() < 1e-3, "{kind}: {seconds}");
        // The port of root 1 is fast: it has sent all blocks when the slowest receiver is busy with
        // its own.
        let seconds = time(&mut network, kind, Algorithm::Linear, 1, BLOCK as u64);
        let slowest = BLOCK * ports[0];
        assert!(
            seconds >= slowest && seconds < slowest + 7.0 * BLOCK * ports[1],
            "{kind}: {seconds}"
        );
    }
}

/// The time of a single message is that of the slowest of both ports and the flow.
#[test]
fn messages_alone_take_the_time_of_the_formula() {
    let (layout, truth) = truth(6, 3, 9);
    let mut network = PortsNetwork::new(layout, truth.clone());
    for (pair, (a, b)) in layout.pairs().iter().enumerate() {
        let of = |numbering: fn(Layout, usize) -> usize, at: usize| truth[numbering(layout, at)];
        let (i, j, m) = (a.index(), b.index(), 10_000.0);
        let slowest = of(Layout::port_byte_delay, i).max(of(Layout::port_byte_delay, j));
        let expected = of(Layout::fixed_delay, i)
            + of(Layout::fixed_delay, j)
            + of(Layout::link_latency, pair)
            + m * (of(Layout::byte_delay, i) + of(Layout::byte_delay, j))
            + m * slowest.max(of(Layout::flow_byte_delay, pair));
        for (from, to) in [(a, b), (b, a)] {
            let size = Bytes::new(10_000);
            let program = Explicit::new(vec![
                vec![Operation::send(Rank(1), size)],
                vec![Operation::receive(Rank(0), size)],
            ]);
            let outcome = Engine::new()
                .run(&program, &Placement::new([from, to]), &mut network)
                .unwrap()
                .end()
                .get();
            assert!((outcome / expected - 1.0).abs() < 1e-12, "{from}→{to}: {outcome}, {expected}");
        }
    }
}

/// A truth whose in-ports are slower or faster than the out-ports by these factors, in turn.
pub fn with_in_ports(layout: Layout, mut truth: Vec<f64>, factors: &[f64]) -> (Layout, Vec<f64>) {
    for i in 0..layout.processors() {
        truth.push(truth[layout.port_byte_delay(i)] * factors[i % factors.len()]);
    }
    (layout.with_in_ports(), truth)
}

/// A campaign with two-to-one experiments.
fn whole_campaign(layout: Layout, truth: &[f64], noise: f64, seed: u64, reps: u32) -> Samples {
    let network = PortsNetwork::new(layout, truth.to_vec());
    let mut samples = campaign(network.clone(), noise, seed, reps, Design::Spread);
    let plan = two_to_ones(&[], &samples, layout.processors(), M, seed).unwrap();
    run(&mut SimulatedMachine::new(network, noise, seed + 1000), &mut samples, &plan, reps);
    samples
}

/// In-ports return without noise, and the other parameters with them. One that is so fast that no
/// message waits for it is 0.
#[test]
fn in_ports_return_without_noise() {
    let factors: [&[f64]; 6] =
        [&[0.5], &[2.0], &[1.0, 1.0, 3.0], &[0.6, 1.5], &[0.3, 1.0, 1.0, 1.0], &[1.3, 0.8]];
    let sizes = [(4, 0), (6, 0), (9, 0), (12, 4), (16, 3), (5, 0)];
    for (seed, ((processors, limited), factors)) in sizes.into_iter().zip(factors).enumerate() {
        let (layout, truth) = truth(processors, limited, seed as u64);
        let (layout, truth) = with_in_ports(layout, truth, factors);
        let model = estimated(&whole_campaign(layout, &truth, 0.0, 1, 1));
        assert_eq!(model.in_port_byte_delay.len(), processors);
        let slowest =
            truth[layout.port_byte_delay(0)..][..processors].iter().copied().fold(0.0, f64::max);
        for (p, (estimate, truth)) in model.estimates().iter().zip(&truth).enumerate() {
            let is_hidden = p >= layout.in_port_byte_delay(0)
                && *truth < slowest / 2.0
                && estimate.samples == Some(0);
            let scale = truth.max(1e-9);
            let is_close = (estimate.value - truth).abs() <= 1e-6 * scale;
            assert!(is_hidden || is_close, "{factors:?}, {p}: {estimate:?}, {truth}");
        }
        let hidden = model.in_port_byte_delay.iter().filter(|one| one.samples == Some(0)).count();
        assert!(hidden <= processors / 4, "{factors:?}: {hidden}");
        assert_eq!(Ports::from_set(&model.to_set()), Some(model));
    }
}

/// Where in-ports are like out-ports, two-to-one experiments change nothing.
#[test]
fn equal_ports_have_one_capacity() {
    for (seed, noise) in
        [(1, 0.0), (2, 0.0), (3, 0.05), (4, 0.05), (5, 0.05), (6, 0.05), (7, 0.05), (8, 0.05)]
    {
        let (layout, truth) = truth(8, 0, seed);
        let samples = whole_campaign(layout, &truth, noise, seed, 10);
        let model = estimated(&samples);
        assert!(model.in_port_byte_delay.is_empty(), "{seed}: {:?}", model.in_port_byte_delay);
        let without =
            Observations::from_samples(&samples, |one| one.kind() != ExperimentKind::TwoToOne);
        let without = fit(&without, 0.95).unwrap().0;
        for (one, other) in model.estimates().iter().zip(without.estimates()) {
            assert!(
                (one.value - other.value).abs() <= 1e-6 * other.value.max(1e-9),
                "{one:?}, {other:?}"
            );
        }
    }
}

/// A processor whose in-port was not tested has that of its out-port.
#[test]
fn untested_in_ports_are_like_out_ports() {
    let (layout, truth) = truth(8, 0, 3);
    let (layout, truth) = with_in_ports(layout, truth, &[1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    let samples = whole_campaign(layout, &truth, 0.0, 1, 1);
    let is_kept =
        |one: &Experiment| one.kind() != ExperimentKind::TwoToOne || one.reader() == Processor(2);
    let model = fit(&Observations::from_samples(&samples, is_kept), 0.95).unwrap().0;
    for i in 0..8 {
        let expected = truth[layout.in_port_byte_delay(i)];
        assert!(
            (model.in_port(i).value - expected).abs() <= 1e-6 * expected,
            "{i}: {:?}, {expected}",
            model.in_port(i)
        );
    }
}

/// Intervals of parameters contain the truth as often as they say, also where in-ports differ.
#[test]
fn intervals_cover_with_in_ports() {
    let mut coverage = [Coverage::default(); 2];
    for seed in 0..30 {
        let (layout, truth) = truth(8, 0, seed);
        let (layout, truth) = with_in_ports(layout, truth, &[1.0, 2.0, 1.0, 0.7]);
        let model = estimated(&whole_campaign(layout, &truth, 0.05, seed, 10));
        assert_eq!(model.in_port_byte_delay.len(), 8, "{seed}");
        for (p, (estimate, truth)) in model.estimates().iter().zip(&truth).enumerate() {
            coverage[usize::from(p >= layout.in_port_byte_delay(0))].estimate(estimate, *truth);
        }
    }
    for of_kind in coverage {
        assert!((0.92..=0.985).contains(&of_kind.part()), "{coverage:?}");
    }
}

/// Intervals of parameters contain the truth as often as they say.
#[test]
fn intervals_cover() {
    let mut coverage = Coverage::default();
    for seed in 0..20 {
        let (layout, truth) = truth(8, 0, seed);
        let network = PortsNetwork::new(layout, truth.clone());
        let samples = campaign(network, 0.05, seed, 10, Design::Full);
        for (estimate, truth) in estimated(&samples).estimates().iter().zip(&truth) {
            coverage.estimate(estimate, *truth);
        }
    }
    assert!((0.92..=0.985).contains(&coverage.part()), "{coverage:?}");
}

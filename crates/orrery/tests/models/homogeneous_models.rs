//! LogP, LogGP, PLogP and HLMO: what their networks occupy, and fit(simulate(model)) = model.

use orrery::comm::plogp::{Curve, ProtocolSwitch};
use orrery::comm::{FitError, LogGp, PLogP, lmo, loggp, plogp};
use orrery::measure::{initial_train_sizes, refined_train_sizes};
use orrery::schedule::{GoalText, RoundTrip, Schedule, Train, TrainKind};
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::GoalGraph;
use proptest::prelude::*;

use crate::prelude::*;
use crate::support::{self, Design, M, all, campaign, run};

/// L, o_s, o_r, g and, unless it is LogP, G.
fn loggp_of(values: &[f64]) -> LogGp {
    LogGp::from_estimates(&values.iter().copied().map(Estimate::exact).collect::<Vec<_>>()).unwrap()
}

const LOGGP: [f64; 5] = [12e-6, 2e-6, 3e-6, 5e-6, 0.8e-9];

fn curve(points: &[(u64, f64)]) -> Curve {
    let (sizes, values) =
        points.iter().map(|&(size, value)| (Bytes::new(size), Estimate::exact(value))).unzip();
    Curve::new(sizes, values).unwrap()
}

/// A protocol that changes above 8 KiB: gaps and overheads leap.
fn plogp_of_two_protocols() -> PLogP {
    PLogP {
        latency: Estimate::exact(9e-6),
        send_overhead: curve(&[(0, 1e-6), (8192, 3e-6), (8193, 5e-6), (32768, 12e-6)]),
        receive_overhead: curve(&[(0, 2e-6), (8192, 6e-6), (8193, 4e-6), (32768, 9e-6)]),
        gap: curve(&[(0, 4e-6), (8192, 14e-6), (8193, 24e-6), (32768, 48e-6)]),
    }
}

fn time(network: &mut dyn Network, program: &Program) -> f64 {
    let ranks = program.ranks();
    let mut engine = Engine::new();
    engine.run(program, &Placement::identity(ranks), network).unwrap().read(program.reading()).get()
}

fn train(kind: TrainKind, size: u64, count: u32, delay: u64) -> Program {
    Program::Train(Train { kind, size: Bytes::new(size), reply: Bytes::ZERO, count, delay })
}

fn assert_close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found:e} instead of {expected:e}");
}

#[test]
fn train_readings_equal_overheads_and_gaps() {
    let [l, o_s, o_r, g, gap] = LOGGP;
    let trip =
        |out, back| Program::RoundTrip(RoundTrip { out: Bytes::new(out), back: Bytes::new(back) });
    let sends = |size| train(TrainKind::SendOverhead, size, 10, 100_000);
    let receives = |size| train(TrainKind::ReceiveOverhead, size, 10, 100_000);
    let gaps = |size, count| train(TrainKind::Gap, size, count, 0);
    let one = 2.0 * (l + o_s + o_r);
    let mut network = loggp_of(&LOGGP).network(2);
    for (program, expected) in [
        (trip(0, 0), one),
        (trip(1001, 1), one + 1000.0 * gap),
        (sends(1001), 10.0 * o_s),
        (receives(1), 10.0 * o_r),
        (gaps(1, 50), one + 49.0 * g),
        (gaps(1001, 50), one + 1000.0 * gap + 49.0 * (g + 1000.0 * gap)),
        (train(TrainKind::Prtt, 1, 50, 100_000), one + 49.0 * (o_s + 100e-6)),
    ] {
        assert_close(time(&mut network, &program), expected);
    }
    let mut network = plogp_of_two_protocols().network(2);
    for (program, expected) in [
        (trip(8192, 0), 2.0 * 9e-6 + 14e-6 + 4e-6),
        (sends(4096), 10.0 * 2e-6),
        (receives(8192), 10.0 * 6e-6),
        (gaps(8192, 20), 2.0 * 9e-6 + 20.0 * 14e-6 + 4e-6),
    ] {
        assert_close(time(&mut network, &program), expected);
    }
}

/// Flat and binomial collectives by the closed formulas for g ≥ o.
#[test]
fn collectives_agree_with_the_closed_formulas() {
    let ([l, o_s, o_r, g, gap], m, p) = (LOGGP, 1001, 8);
    let scatter = |algorithm| {
        let (kind, root) = (CollectiveKind::Scatter, Rank(0));
        Program::Collective(Collective { kind, algorithm, root, ranks: p, block: Bytes::new(m) })
    };
    let bytes = (m - 1) as f64 * gap;
    let linear = l + o_s + o_r + bytes + (p - 2) as f64 * (g + bytes);
    assert_close(time(&mut loggp_of(&LOGGP).network(p), &scatter(Algorithm::Linear)), linear);
    let plogp = plogp_of_two_protocols();
    let linear = 9e-6 + (p - 1) as f64 * plogp.gap.at(Bytes::new(m));
    assert_close(time(&mut plogp.network(p), &scatter(Algorithm::Linear)), linear);
}

/// Schedules in which no message arrives before its rank has come to it. Where one does, LogGOPSim
/// serves it at once, while here it waits for its receive.
fn unblocked_programs() -> impl Strategy<Value = Program> {
    let size = || (0_u64..40_000).prop_map(Bytes::new);
    let trip = (size(), size()).prop_map(|(out, back)| Program::RoundTrip(RoundTrip { out, back }));
    let train =
        (0_u64..3_000, 1_u32..40).prop_map(|(size, count)| train(TrainKind::Gap, size, count, 0));
    let algorithm = prop::sample::select(vec![Algorithm::Linear, Algorithm::Binomial]);
    let scatter =
        (algorithm, 2_usize..20, 0_u32..20, size()).prop_map(|(algorithm, ranks, root, block)| {
            let (kind, root) = (CollectiveKind::Scatter, Rank(root % ranks as u32));
            Program::Collective(Collective { kind, algorithm, root, ranks, block })
        });
    prop_oneof![trip, train, scatter]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn loggp_times_equal_loggopsim(program in unblocked_programs()) {
        let model = LogGops { eager: u64::MAX, ..LogGops::default() };
        let text = GoalText(&program).to_string();
        let expected = replay(&GoalGraph::read(text.as_bytes(), "prompt.goal").unwrap(), &model).unwrap().finish;
        let LogGops { latency, send_overhead: overhead, gap, byte_gap, .. } = model;
        let values = [latency, overhead, overhead, gap, byte_gap].map(|nanoseconds| nanoseconds * 1e-9);
        let ranks = program.ranks();
        let mut network = loggp_of(&values).network(ranks);
        let mut engine = Engine::new();
        let outcome = engine.run(&program, &Placement::identity(ranks), &mut network).unwrap();
        for (rank, expected) in expected.iter().enumerate() {
            let found = outcome.finish(Rank(rank as u32)).get() * 1e9;
            prop_assert!((found - expected).abs() < 1e-3, "rank {rank}: {found} instead of \
                {expected}\n{text}");
        }
    }
}

const TRAINS: OverheadDesign =
    OverheadDesign { pairs: TrainPairs::All, calls: 10, train: 64, prtt: false };

/// A campaign of overheads on a simulated machine, at these sizes, or adaptive up to the last.
fn overheads(
    network: impl Network,
    what: &OverheadDesign,
    noise: f64,
    sizes: &[u64],
    adaptive: bool,
) -> Samples {
    let processors = network.processors();
    let mut machine = SimulatedMachine::new(network, noise, 3);
    let mut samples = Samples::new(Provenance::new());
    let mut sizes: Vec<Bytes> = sizes.iter().copied().map(Bytes::new).collect();
    if adaptive {
        sizes = initial_train_sizes(&samples, *sizes.last().unwrap());
    }
    while !sizes.is_empty() {
        run(&mut machine, &mut samples, &what.round_trips(processors, &sizes, 1), 5);
        let plan = what.trains(&samples, processors, &sizes, 1).unwrap();
        run(&mut machine, &mut samples, &plan, 5);
        sizes = if adaptive { refined_train_sizes(&samples, 0.1) } else { Vec::new() };
    }
    samples
}

fn assert_recovered(found: &[Estimate], truth: &[f64], tolerance: f64) {
    for (place, (found, truth)) in found.iter().zip(truth).enumerate() {
        let error = (found.value / truth - 1.0).abs();
        assert!(
            error <= tolerance,
            "parameter {place}: {:e} instead of {truth:e}: {error:e}",
            found.value
        );
    }
}

#[test]
fn loggp_and_logp_recover_themselves() {
    for what in [TRAINS, OverheadDesign { pairs: TrainPairs::Ring, prtt: true, ..TRAINS }] {
        let samples = overheads(loggp_of(&LOGGP).network(5), &what, 0.0, &[0, 1, 32768], false);
        let model = loggp::fit(&all(&samples), true, 0.95).unwrap().0;
        assert_recovered(&model.estimates(), &LOGGP, 1e-9);
        let samples = overheads(loggp_of(&LOGGP[..4]).network(5), &what, 0.0, &[8], false);
        let model = loggp::fit(&all(&samples), false, 0.95).unwrap().0;
        assert_recovered(&model.estimates(), &LOGGP[..4], 1e-9);
    }
}

#[test]
fn single_pair_has_its_own_parameters() {
    let (layout, truth) = support::differing(4, true, 10.0, 5);
    let samples = overheads(
        LmoNetwork::from_parameters(layout, truth.clone()),
        &TRAINS,
        0.0,
        &[0, 4096],
        false,
    );
    let pair = Some((Processor(2), Processor(1)));
    let options = FitOptions { kinds: Some(vec![ModelKind::LogGp]), pair, ..FitOptions::default() };
    let model = fit(&samples, &options).unwrap().model.get::<LogGp>(ModelKind::LogGp).unwrap();
    // From 1 to 2, as LogGP sees it: C of the sender, C of the receiver, and the link.
    let link = truth[layout.link_latency(layout.pairs().index(Processor(1), Processor(2)))];
    assert_close(model.send_overhead.value, truth[1]);
    assert_close(model.receive_overhead.value, truth[1]);
    assert!((model.latency.value - (link + truth[2] - truth[1])).abs() < 1e-12);
    let none = FitOptions { pair: Some((Processor(0), Processor(9))), ..options };
    let error = fit(&samples, &none).unwrap_err().to_string();
    assert!(error.contains("round trip, send-overhead, receive-overhead, gap"), "{error}");
}

#[test]
fn gap_below_the_overheads_is_estimated_as_an_overhead() {
    let truth = [12e-6, 2e-6, 3e-6, 1e-6, 0.8e-9];
    let samples = overheads(loggp_of(&truth).network(3), &TRAINS, 0.0, &[0, 32768], false);
    let model = loggp::fit(&all(&samples), true, 0.95).unwrap().0;
    assert_recovered(&model.estimates(), &[12e-6, 2e-6, 3e-6, 3e-6, 0.8e-9], 1e-9);
}

#[test]
fn intervals_of_loggp_cover_the_truth() {
    let samples = overheads(loggp_of(&LOGGP).network(6), &TRAINS, 0.03, &[0, 32768], false);
    let model = loggp::fit(&all(&samples), true, 0.99).unwrap().0;
    for (estimate, truth) in model.estimates().iter().zip(LOGGP) {
        let interval = estimate.interval.unwrap();
        assert!(interval.low <= truth && truth <= interval.high, "{truth:e}: {interval:?}");
        assert!(interval.high - interval.low < 0.2 * truth, "{truth:e}: {interval:?}");
    }
}

#[test]
fn plogp_recovers_itself_and_its_protocol_switch() {
    let truth = plogp_of_two_protocols();
    let samples = overheads(truth.network(3), &TRAINS, 0.0, &[32768], true);
    let found = plogp::fit(&all(&samples), 0.95).unwrap();
    assert_recovered(&[found.latency], &[9e-6], 1e-6);
    for ((_, found), (name, truth)) in found.functions().into_iter().zip(truth.functions()) {
        assert!(found.sizes().len() < 60, "{name}: {}", found.sizes().len());
        for (size, estimate) in found.sizes().iter().zip(found.values()) {
            assert_recovered(&[*estimate], &[truth.at(*size)], 1e-6);
        }
    }
    assert_eq!(
        found.switches(),
        [ProtocolSwitch { last: Bytes::new(8192), first: Bytes::new(8192 + 64) }]
    );
    let samples = overheads(truth.network(3), &TRAINS, 0.01, &[32768], true);
    let noisy = plogp::fit(&all(&samples), 0.95).unwrap().switches();
    assert!(
        matches!(noisy[..], [ProtocolSwitch { last, first }] if last == Bytes::new(8192) && first <= Bytes::new(8192 + 128)),
        "{noisy:?}"
    );
    let samples = overheads(loggp_of(&LOGGP).network(3), &TRAINS, 0.01, &[32768], true);
    assert_eq!(plogp::fit(&all(&samples), 0.95).unwrap().switches(), []);
}

#[test]
fn hlmo_recovers_itself() {
    let truth = [11e-6, 0.6e-9, 21e-6, 8e-9];
    let model = Hlmo::from_estimates(truth.map(Estimate::exact));
    for processors in [3, 7] {
        let samples = campaign(model.network(processors), 0.0, 1, 2, Design::Spread);
        assert_recovered(
            &lmo::homogeneous(&all(&samples), 0.95).unwrap().0.estimates(),
            &truth,
            1e-9,
        );
    }
    let samples = campaign(model.network(2), 0.0, 1, 2, Design::Spread);
    assert!(matches!(
        lmo::homogeneous(&all(&samples), 0.95),
        Err(FitError::Processors { needed: 3, .. })
    ));
}

#[test]
fn missing_trains_are_named() {
    let samples = overheads(loggp_of(&LOGGP).network(3), &TRAINS, 0.0, &[0, 32768], false);
    let without = |kind: TrainKind| {
        let wanted = |e: &Experiment| !matches!(e, Experiment::Train { i: Processor(0), train, .. } if train.kind == kind);
        loggp::fit(&Observations::from_samples(&samples, wanted), true, 0.95)
            .unwrap_err()
            .to_string()
    };
    assert!(without(TrainKind::Gap).contains("loggp lacks 1 experiment: gap 0-1"));
    assert!(without(TrainKind::SendOverhead).contains("send-overhead 0-1"));
    let small = |e: &Experiment| e.size() < Bytes::new(100);
    let error = loggp::fit(&Observations::from_samples(&samples, small), true, 0.95)
        .unwrap_err()
        .to_string();
    assert!(error.contains("gap of large messages"), "{error}");
    let trips = campaign(loggp_of(&LOGGP).network(3), 0.0, 1, 2, Design::Spread);
    let error = plogp::fit(&all(&trips), 0.95).unwrap_err().to_string();
    assert_eq!(error, "plogp lacks 3 experiments: send-overhead, receive-overhead, gap");
    let no_pairs =
        Observations::from_samples(&trips, |e| matches!(e, Experiment::RoundTrip { size: M, .. }));
    let error = lmo::homogeneous(&no_pairs, 0.95).unwrap_err().to_string();
    assert!(
        error.contains("round trip (0 out, 0 back)") && error.contains("one-to-two (0)"),
        "{error}"
    );
}

/// Sizes are added at kinks of any of the three functions, not only of the gap.
#[test]
fn adaptive_campaign_refines_around_a_kink_of_one_overhead() {
    let line = |at_0: f64| curve(&[(0, at_0), (32768, at_0 + 20e-6)]);
    let leaping = |at_0: f64| {
        curve(&[(0, at_0), (11_000, at_0 + 3e-6), (11_001, at_0 + 9e-6), (32768, at_0 + 14e-6)])
    };
    let truth = |send, receive| PLogP {
        latency: Estimate::exact(9e-6),
        send_overhead: send,
        receive_overhead: receive,
        gap: line(30e-6),
    };
    let sizes_of = |model: &PLogP, noise| {
        let samples = overheads(model.network(3), &TRAINS, noise, &[32768], true);
        let fitted = plogp::fit(&all(&samples), 0.95).unwrap();
        let sizes: Vec<u64> =
            fitted.receive_overhead.sizes().iter().map(|size| size.get()).collect();
        (fitted, sizes)
    };
    let (_, straight) = sizes_of(&truth(line(2e-6), line(3e-6)), 0.0);
    assert_eq!(
        straight.len(),
        initial_train_sizes(&Samples::default(), Bytes::new(32768)).len(),
        "{straight:?}"
    );
    for noise in [0.0, 0.01] {
        for (send, receive) in [(line(2e-6), leaping(3e-6)), (leaping(2e-6), line(3e-6))] {
            let (fitted, sizes) = sizes_of(&truth(send.clone(), receive.clone()), noise);
            let behind = sizes.partition_point(|size| *size <= 11_000);
            assert!(sizes[behind] - sizes[behind - 1] <= 64, "{sizes:?}");
            assert!(sizes.len() < 40, "{sizes:?}");
            for (found, truth) in
                [(&fitted.send_overhead, &send), (&fitted.receive_overhead, &receive)]
            {
                let off = |m: u64| (found.at(Bytes::new(m)) / truth.at(Bytes::new(m)) - 1.0).abs();
                let most =
                    [100, 5_000, 10_900, 11_100, 20_000].map(off).into_iter().fold(0.0, f64::max);
                assert!(most < 0.001 + 3.0 * noise, "off by {most}");
            }
        }
    }
}

#[test]
fn adaptive_campaign_does_not_refine_noise() {
    let samples = overheads(loggp_of(&LOGGP).network(3), &TRAINS, 0.05, &[65536], true);
    let sizes = initial_train_sizes(&samples, Bytes::new(65536)).len();
    assert!((12..20).contains(&sizes), "{sizes}");
}

/// Mean error of the linear scatter and gather that each model predicts for a heterogeneous LMO
/// cluster, fitted to readings that spread by 5 %.
fn errors(processors: usize, times: f64, seed: u64) -> Vec<(ModelKind, f64)> {
    let (layout, truth) = support::differing(processors, true, times, seed);
    let network = LmoNetwork::from_parameters(layout, truth);
    let mut samples = campaign(network.clone(), 0.05, seed, 5, Design::Spread);
    samples.extend(&overheads(network.clone(), &TRAINS, 0.05, &[32768], true));
    let model = fit(&samples, &FitOptions::default()).unwrap().model;
    let what = CollectiveDesign {
        operations: CollectiveKind::SCATTER_GATHER.map(|kind| (kind, Algorithm::Linear)).to_vec(),
        roots: Processor::first(processors).collect(),
        ..CollectiveDesign::new(processors, [1024, 4096, 16384, 32768].map(Bytes::new).to_vec())
    };
    let mut observed = Samples::new(Provenance::new());
    run(
        &mut SimulatedMachine::new(network, 0.0, seed),
        &mut observed,
        &collectives(&what, seed),
        1,
    );
    let kinds = [
        ModelKind::Lmo,
        ModelKind::HockneyMean,
        ModelKind::LogGp,
        ModelKind::PLogP,
        ModelKind::Hlmo,
    ];
    let validation = validate(&model, &observed, &kinds, 0.95).unwrap();
    let all = validation.summary.iter().filter(|summary| summary.operation == "all");
    all.map(|summary| (summary.model, summary.mean_error)).collect()
}

#[test]
fn lmo_predicts_heterogeneous_collectives_better_than_mean_models() {
    for (processors, times, seed) in
        [(8, 1.0, 1), (8, 2.0, 2), (8, 4.0, 1), (8, 10.0, 2), (8, 100.0, 3), (16, 10.0, 4)]
    {
        let errors = errors(processors, times, seed);
        let (lmo, others) = errors.split_first().unwrap();
        for (kind, error) in others.iter().filter(|(kind, _)| *kind != ModelKind::Hlmo) {
            assert!(
                *error > 5.0 * lmo.1 && *error > 0.05,
                "{processors} up to {times} times: {kind} {error}, lmo {}",
                lmo.1
            );
        }
    }
}

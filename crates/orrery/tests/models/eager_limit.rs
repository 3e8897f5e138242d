//! The limits of protocols: the largest eager message, from receives that are posted late, and the
//! largest buffered one, from the times of sends.

use orrery::comm::ports::{Layout, ProtocolLimits};
use orrery::measure::Design as _;
use orrery::measure::{TrainDesign, TrainSizes};
use orrery::schedule::{Request, Schedule as _, Tag, Transfer};

use crate::prelude::*;
use crate::support::{Design, campaign, collective, fit_kind};

const PROCESSORS: usize = 4;

/// Unequal ports, and messages that wait for their receive above this size.
fn network(limit: Option<u64>) -> PortsNetwork {
    let layout = Layout::new(PROCESSORS);
    let pairs = layout.pairs().count();
    let truth = [
        &[10e-6; 4][..],
        &[1e-10; 4],
        &[8e-9, 8e-9, 16e-9, 20e-9],
        &vec![0.0; pairs],
        &vec![20e-6; pairs],
    ]
    .concat();
    PortsNetwork::new(layout, truth).with_eager_limit(limit.map(Bytes::new))
}

/// A campaign of round trips and one-to-two experiments, and one of overheads with adaptive sizes
/// or with these.
fn samples(limit: Option<u64>, noise: f64, sizes: Option<&[u64]>) -> Samples {
    let mut samples = campaign(network(limit), noise, 1, 5, Design::Full);
    let mut machine = SimulatedMachine::new(network(limit), noise, 2);
    let sizes = match sizes {
        Some(sizes) => TrainSizes::Listed(sizes.iter().copied().map(Bytes::new).collect()),
        None => TrainSizes::Adaptive { largest: Bytes::new(256 << 10), tolerance: 0.1 },
    };
    let overheads = OverheadDesign { pairs: TrainPairs::Ring, calls: 4, train: 16, prtt: false };
    let precision = Precision { min_reps: 5, max_reps: 5, ..Precision::default() };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision);
    TrainDesign { overheads, sizes, send_receives: Vec::new() }.measure(&mut campaign).unwrap();
    samples
}

fn fitted(samples: &Samples) -> Ports {
    fit_kind(samples, ModelKind::Ports).get(ModelKind::Ports).unwrap()
}

#[test]
fn the_limit_returns_between_two_sizes() {
    for (limit, noise) in
        [(4096, 0.0), (8192, 0.05), (65_535, 0.0), (65_536, 0.05), (100_000, 0.02)]
    {
        let ports = fitted(&samples(Some(limit), noise, None));
        let estimate = ports.eager_limit.unwrap();
        let interval = estimate.interval.unwrap();
        let is_inside = interval.low <= limit as f64 && limit as f64 <= interval.high;
        assert!(is_inside && interval.high - interval.low <= 64.0, "{limit}: {estimate:?}");
        assert!(estimate.samples.unwrap() > 0);
        assert_eq!(Ports::from_set(&ports.to_set()), Some(ports));
    }
}

/// Sends beyond the second limit hold their rank; it is the eager limit if all that wait do.
#[test]
fn the_largest_buffered_message_returns_between_two_sizes() {
    let limits = |eager, buffered| ProtocolLimits {
        eager: Some(Bytes::new(eager)),
        buffered: Some(Bytes::new(buffered)),
    };
    let sizes = [0, 4096, 8192, 16_384, 32_768, 65_536].map(Bytes::new);
    for (eager, buffered, noise) in [(9000, 20_000, 0.0), (9000, 40_000, 0.05), (9000, 0, 0.05)] {
        let network = network(None).with_limits(limits(eager, buffered));
        let mut samples = campaign(network.clone(), noise, 1, 5, Design::Full);
        let mut machine = SimulatedMachine::new(network, noise, 2);
        let overheads = OverheadDesign { pairs: TrainPairs::Ring, calls: 1, train: 4, prtt: false };
        let design = TrainDesign {
            overheads,
            sizes: TrainSizes::Listed(sizes.to_vec()),
            send_receives: Vec::new(),
        };
        let precision = Precision { min_reps: 5, max_reps: 5, ..Precision::default() };
        let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision);
        design.measure(&mut campaign).unwrap();
        let ports = fitted(&samples);
        let interval = ports.buffered_limit.unwrap().interval.unwrap();
        let limit = buffered.max(eager) as f64;
        assert!(interval.low <= limit && limit <= interval.high, "{limit}: {interval:?}");
        assert_eq!(Ports::from_set(&ports.to_set()), Some(ports));
    }
}

/// Where sends beyond the eager limit return at once, as over TCP, none is held.
#[test]
fn sends_that_return_at_once_have_no_limit() {
    for noise in [0.0, 0.05] {
        let ports = fitted(&samples(Some(8192), noise, None));
        assert!(ports.eager_limit.is_some() && ports.buffered_limit.is_none(), "{noise}");
    }
}

/// Without messages that wait, no limit is invented; without the experiment neither.
#[test]
fn without_messages_that_wait_there_is_no_limit() {
    for noise in [0.0, 0.05, 0.1] {
        assert_eq!(fitted(&samples(None, noise, None)).eager_limit, None, "{noise}");
    }
    assert_eq!(fitted(&campaign(network(Some(1000)), 0.0, 1, 5, Design::Full)).eager_limit, None);
}

/// If all measured messages wait, the limit is below the smallest one.
#[test]
fn a_limit_below_all_sizes_is_an_interval_from_0() {
    let estimate =
        fitted(&samples(Some(500), 0.0, Some(&[4096, 8192, 16_384]))).eager_limit.unwrap();
    let interval = estimate.interval.unwrap();
    assert_eq!((estimate.value, interval.low, interval.high), (0.0, 0.0, 4095.0));
}

/// Gathers of large blocks are predicted as they are: one block after the other, also by flows.
#[test]
fn gathers_beyond_the_limit_are_serial() {
    let model = |limit| fit_kind(&samples(limit, 0.0, None), ModelKind::Ports);
    let (limited, eager) = (model(Some(40_000)), model(None));
    for kind in [ModelKind::Ports, ModelKind::PortsFlows] {
        let time_by = |kind, model, size| {
            let (gather, linear) = (CollectiveKind::Gather, Algorithm::Linear);
            let query = Query::Experiment(collective(gather, linear, 0, PROCESSORS, size));
            Predictor::new(model, kind).unwrap().predict(&query).unwrap().seconds.get()
        };
        let time = |model, size| time_by(kind, model, size);
        // Eager blocks share the port of the root.
        let together = time_by(ModelKind::PortsFlows, &eager, 16_000);
        assert!((time(&limited, 16_000) / together - 1.0).abs() < 1e-6);
        // The slower ports of two senders, one after the other.
        let serial = 200e3 * (8e-9 + 16e-9 + 20e-9);
        assert!(
            (time(&limited, 200_000) / serial - 1.0).abs() < 0.05,
            "{kind}: {}",
            time(&limited, 200_000)
        );
        assert!(time(&eager, 200_000) < 0.7 * serial, "{kind}: {}", time(&eager, 200_000));
    }
}

/// The root of a binomial scatter sends large messages at the same time, smaller ones one after the
/// other: the rank that passes most blocks on has them later or earlier.
#[test]
fn large_messages_of_a_rank_share_its_port() {
    let ports = Ports {
        eager_limit: Some(Estimate::exact(40_000.0)),
        port_byte_delay: vec![Estimate::exact(PORT); PROCESSORS],
        in_port_byte_delay: Vec::new(),
        ..fitted(&samples(None, 0.0, Some(&[0])))
    };
    let model = Model::new(PROCESSORS).with(ModelKind::Ports, &ports);
    let time = |kind, size| {
        let (scatter, binomial) = (CollectiveKind::Scatter, Algorithm::Binomial);
        let query = Query::Experiment(collective(scatter, binomial, 0, PROCESSORS, size));
        let mut predictor = Predictor::new(&model, kind).unwrap();
        let seconds = predictor.predict(&query).unwrap().seconds;
        assert_eq!(predictor.expected_time(&query), Ok(seconds));
        seconds.get()
    };
    // Two blocks are 40 000 bytes, which are eager; then 40 002.
    let ratio = |size| time(ModelKind::PortsFlows, size) / time(ModelKind::Ports, size);
    assert!(ratio(20_000) > 1.1, "{}", ratio(20_000));
    assert!((ratio(20_001) - 1.0).abs() < 1e-9, "{}", ratio(20_001));
}

/// The ends of the ranks of a program on the ports of the network, as flows.
fn ends(limit: Option<u64>, ranks: Vec<Vec<Operation>>) -> Vec<f64> {
    let schedule = Explicit::new(ranks);
    let ports = Ports {
        eager_limit: limit.map(|limit| Estimate::exact(limit as f64)),
        ..fitted(&samples(None, 0.0, Some(&[0])))
    };
    let placement = Placement::identity(schedule.ranks());
    SharedPorts::new(&ports)
        .ends(&schedule, &placement, false)
        .unwrap()
        .iter()
        .map(|end| end.get())
        .collect()
}

/// The delay per byte of the port of processors 0 and 1.
const PORT: f64 = 8e-9;

/// Messages between two hosts follow each other, so that the first one arrives before the second
/// one.
#[test]
fn flows_of_one_connection_are_in_order() {
    let m = 1_000_000;
    let send = |to, size| Transfer::Send { to: Rank(to), size: Bytes::new(size), tag: Tag(0) };
    let receive = |from, size| Operation::receive(Rank(from), Bytes::new(size));
    let [first, second] = [Request(0), Request(1)];
    let posts = |to: [u32; 2]| {
        vec![
            Operation::Post(send(to[0], m), first),
            Operation::Post(send(to[1], m), second),
            Operation::Wait(first),
            Operation::Wait(second),
        ]
    };
    let one = ends(
        None,
        vec![
            posts([1, 1]),
            vec![receive(0, m), Operation::send(Rank(2), Bytes::ZERO), receive(0, m)],
            vec![receive(1, 0)],
        ],
    );
    let transfer = m as f64 * PORT;
    assert!(
        (one[2] / transfer - 1.0).abs() < 0.05 && (one[1] / transfer - 2.0).abs() < 0.05,
        "{one:?}"
    );
    // To different hosts they share the port.
    let two = ends(None, vec![posts([1, 2]), vec![receive(0, m)], vec![receive(0, m)]]);
    assert!(two[1..].iter().all(|end| end / transfer > 1.5), "{two:?}");
}

/// The root of a linear scatter is held by each block beyond the limit, so that blocks follow each
/// other, also as flows.
#[test]
fn scatters_beyond_the_buffered_limit_are_serial() {
    let limit = |limit| Some(Estimate::exact(limit));
    let ports = Ports {
        eager_limit: limit(10_000.0),
        buffered_limit: limit(40_000.0),
        ..fitted(&samples(None, 0.0, Some(&[0])))
    };
    let model = Model::new(PROCESSORS).with(ModelKind::Ports, &ports);
    for kind in [ModelKind::Ports, ModelKind::PortsFlows] {
        let time = |size| {
            let (scatter, linear) = (CollectiveKind::Scatter, Algorithm::Linear);
            let query = Query::Experiment(collective(scatter, linear, 0, PROCESSORS, size));
            Predictor::new(&model, kind).unwrap().predict(&query).unwrap().seconds.get()
        };
        // The port of the root sends one block while the slower port of the last one receives.
        let serial = |size: f64| size * (8e-9 + 16e-9 + 20e-9);
        let ratios = [40_000.0, 40_001.0].map(|size| time(size as u64) / serial(size));
        assert!(ratios[0] < 0.9 && (1.0..1.2).contains(&ratios[1]), "{kind}: {ratios:?}");
    }
}

/// A send beyond the limit waits until its receive is posted, and then completes before its message
/// has arrived.
#[test]
fn flows_beyond_the_limit_wait_for_their_receive() {
    let (m, late) = (1_000_000, 0.1);
    for (limit, received) in [(None, late), (Some(1000), late + m as f64 * PORT)] {
        let of = |operation| vec![Operation::Compute(Seconds::new(late)), operation];
        let ends = ends(
            limit,
            vec![
                vec![Operation::send(Rank(1), Bytes::new(m))],
                of(Operation::receive(Rank(0), Bytes::new(m))),
            ],
        );
        let sent = if limit.is_some() { late } else { 0.0 };
        assert!(
            (ends[0] - sent).abs() < 2e-4 && (ends[1] / received - 1.0).abs() < 0.02,
            "{limit:?}: {ends:?}"
        );
    }
}

//! The data ahead of handshakes, from send-receive experiments, and what it does to pipelines.

use std::sync::Arc;

use orrery::comm::ports::Layout;
use orrery::measure::{Design as _, TrainDesign, TrainSizes};
use orrery::request::{EagerLimits, SimulatedApplication, SimulatedPlatform};
use orrery::trace::tit::Reader;
use orrery::units::Seconds;

use crate::prelude::*;
use crate::support::{Design, campaign, collective, fit_kind};

const PROCESSORS: usize = 4;

/// The delay per byte of all ports.
const PORT: f64 = 80e-9;

/// The size of the largest eager message.
const EAGER: u64 = 64 << 10;

/// Equal processors with this data ahead of handshakes.
fn network(queue: f64) -> PortsNetwork {
    let layout = Layout::new(PROCESSORS);
    let pairs = layout.pairs().count();
    let truth =
        [&[10e-6; 4][..], &[1e-10; 4], &[PORT; 4], &vec![0.0; pairs], &vec![20e-6; pairs]].concat();
    PortsNetwork::new(layout, truth).with_eager_limit(Some(Bytes::new(EAGER))).with_queue(queue)
}

/// The model that is fitted to a campaign on such a machine.
fn fitted(queue: f64, noise: f64, send_receives: &[u64]) -> Ports {
    let mut samples: Samples = campaign(network(queue), noise, 1, 5, Design::Full);
    let mut machine = SimulatedMachine::new(network(queue), noise, 2);
    let sizes = TrainSizes::Listed([0, 1 << 10, EAGER, EAGER + 1].map(Bytes::new).to_vec());
    let overheads = OverheadDesign { pairs: TrainPairs::Ring, calls: 2, train: 16, prtt: false };
    let precision = Precision { min_reps: 5, max_reps: 5, ..Precision::default() };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision);
    let send_receives = send_receives.iter().copied().map(Bytes::new).collect();
    TrainDesign { overheads, sizes, send_receives }.measure(&mut campaign).unwrap();
    fit_kind(&samples, ModelKind::Ports).get(ModelKind::Ports).unwrap()
}

#[test]
fn the_queue_of_a_machine_returns() {
    for queue in [0.0, 30_000.0, 200_000.0] {
        let found = fitted(queue, 0.0, &[128 << 10, 512 << 10]);
        let estimate = found.queue.unwrap();
        assert!((estimate.value - queue).abs() <= 1e-3 * queue + 100.0, "{queue}: {estimate:?}");
        assert_eq!(Ports::from_set(&found.to_set()), Some(found));
        let estimate = fitted(queue, 0.03, &[128 << 10, 512 << 10]).queue.unwrap();
        let interval = estimate.interval.unwrap();
        assert!(
            interval.low <= queue && queue <= interval.high && interval.high - interval.low < 60e3,
            "{estimate:?}"
        );
    }
}

/// Without experiments beyond the eager limit the queue is not known.
#[test]
fn without_experiments_no_queue_is_invented() {
    assert_eq!(fitted(100_000.0, 0.0, &[]).queue, None);
    assert_eq!(fitted(100_000.0, 0.0, &[EAGER]).queue, None);
}

/// Rank 0 sends messages to rank 1, which passes them on to rank 2, and so on.
fn pipeline(messages: usize, size: u64) -> Explicit {
    let one = |rank: u32| {
        let receive = (rank > 0).then(|| Operation::receive(Rank(rank - 1), Bytes::new(size)));
        let send = (rank as usize + 1 < PROCESSORS)
            .then(|| Operation::send(Rank(rank + 1), Bytes::new(size)));
        (0..messages).flat_map(|_| [receive, send]).flatten().collect()
    };
    Explicit::new((0..PROCESSORS as u32).map(one).collect())
}

/// The consent to each message waits in the port of the rank that passes the one before it on, by
/// queues and by flows. A rank posts the next receive when the consent to its own send has come, so
/// that a short queue counts twice.
#[test]
fn messages_of_a_pipeline_wait_for_the_one_before() {
    let (messages, placement) = (20, Placement::identity(PROCESSORS));
    for (size, queue, ahead) in [
        (EAGER, 1e9, 0.0),
        (EAGER + 1, 1e9, (EAGER + 1) as f64),
        (512 << 10, 100_000.0, 200_000.0),
        (512 << 10, 0.0, 0.0),
    ] {
        let program = pipeline(messages, size);
        let ports = Ports { queue: Some(Estimate::exact(queue)), ..fitted(0.0, 0.0, &[]) };
        let of_queues =
            Engine::new().run(&program, &placement, &mut ports.network()).unwrap().end().get();
        let of_flows = SharedPorts::new(&ports).ends(&program, &placement, false).unwrap();
        let of_flows = of_flows.iter().map(|end| end.get()).fold(0.0, f64::max);
        // The first message passes all ranks, each further one follows after its own time and the
        // wait.
        let expected = PORT
            * ((PROCESSORS - 1) as f64 * size as f64
                + (messages - 1) as f64 * (size as f64 + ahead));
        for time in [of_queues, of_flows] {
            assert!((time / expected - 1.0).abs() < 0.05, "{size}, {queue}: {time}, {expected}");
        }
    }
}

/// A trace on the model waits as the pipeline above.
#[test]
fn a_simulated_trace_waits_for_the_queue() {
    let (messages, size, last) = (20, 512 << 10, PROCESSORS - 1);
    let line = |rank: usize| {
        let receive = (rank > 0).then(|| format!("{rank} recv {} 0 {size}\n", rank - 1));
        let send = (rank < last).then(|| format!("{rank} send {} 0 {size}\n", rank + 1));
        receive.unwrap_or_default() + &send.unwrap_or_default()
    };
    let text: String = (0..PROCESSORS).map(|rank| line(rank).repeat(messages)).collect();
    let mut reader = Reader::default();
    reader.shared("pipeline", text.as_bytes()).unwrap();
    let trace = Arc::new(reader.finish().unwrap());
    let application = SimulatedApplication::of_trace("pipeline", trace, false);
    let end = |queue: f64| {
        let ports = Ports { queue: Some(Estimate::exact(queue)), ..fitted(0.0, 0.0, &[]) };
        let hosts = vec![String::new(); PROCESSORS];
        let model = Model { hosts, ..Model::default() }.with(ModelKind::Ports, &ports);
        let limits = EagerLimits::default();
        let platform = SimulatedPlatform::of_model(model, ModelKind::Ports, None, limits).unwrap();
        let placed = platform.place([(&application, None, Seconds::ZERO)]).unwrap();
        platform.run(&[&placed[0]], false, None).unwrap().end.get()
    };
    // Each message but the first waits for twice the queue.
    let expected = (messages - 1) as f64 * 2.0 * 100_000.0 * PORT;
    let waits = end(100_000.0) - end(0.0);
    assert!((waits / expected - 1.0).abs() < 0.05, "{waits}, {expected}");
}

/// Predictions of operations that pass large messages on say that waits were not measured.
#[test]
fn waits_that_were_not_measured_are_named() {
    let unknown = fitted(0.0, 0.0, &[]);
    let known = Ports { queue: Some(Estimate::exact(0.0)), ..unknown.clone() };
    let has_alarm = |ports: &Ports, kind, algorithm, size| {
        let hosts = vec![String::new(); PROCESSORS];
        let model = Model { hosts, ..Model::default() }.with(ModelKind::Ports, ports);
        let query = Query::Experiment(collective(kind, algorithm, 0, PROCESSORS, size));
        let prediction = Predictor::new(&model, ModelKind::Ports).unwrap().predict(&query).unwrap();
        prediction.alarms.contains(&Alarm::Handshakes)
    };
    let (allgather, gather) = (CollectiveKind::Allgather, CollectiveKind::Gather);
    assert!(has_alarm(&unknown, allgather, Algorithm::Ring, EAGER + 1));
    assert!(!has_alarm(&unknown, allgather, Algorithm::Ring, EAGER));
    assert!(!has_alarm(&known, allgather, Algorithm::Ring, EAGER + 1));
    // The root only receives.
    assert!(!has_alarm(&unknown, gather, Algorithm::Linear, EAGER + 1));
}

//! Clusters of switches with uplinks: fits of the model `ports` with shared links, as parts of a
//! fit of the same samples without exchanges, and predictions of an alltoall by flows, as parts of
//! those by queues; growth with the number of processors. A number of processors as argument takes
//! that one alone; `seed=N` takes another cluster and other noise; `linear` adds an alltoall whose
//! messages are all posted at once.

#[path = "../tests/common/equal_ports.rs"]
mod equal_ports;
#[path = "../tests/common/flows.rs"]
mod flows;

use std::time::Instant;

use orrery::comm::Ports;
use orrery::comm::ports::Uplinks;
use orrery::machine::SimulatedMachine;
use orrery::measure::{Campaign, CommDesign, Precision};
use orrery::model::{FitOptions, Model, ModelKind, Predictor, Query, SharedPorts, fit};
use orrery::numeric::Estimate;
use orrery::platform::{PerPair, Placement, Processor};
use orrery::sample::{Experiment, Provenance, Samples};
use orrery::schedule::{
    Algorithm, CollectiveKind, Cursor, Operation, Rank, Request, Schedule, Tag, Transfer,
};
use orrery::units::Bytes;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use equal_ports::equal_ports;
use flows::Flows;

/// The largest number of seconds of a fit and of a prediction at 256 processors.
const FIT_LIMIT: f64 = 3.0;
const PREDICTION_LIMIT: f64 = 1.0;

/// The size of the messages of an alltoall.
const BLOCK: Bytes = Bytes::new(32 << 10);

/// The noise of readings.
const NOISE: f64 = 0.02;

/// A cluster of switches of 16 processors, each with an uplink as fast as 10 ports; each four of
/// them have a common one as fast as 30.
fn cluster(processors: u32, seed: u64) -> Ports {
    let n = processors as usize;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spread =
        |low: f64, high: f64| Estimate::exact(low * (high / low).powf(rng.random_range(0.0..1.0)));
    let port_byte_delay: Vec<Estimate> = (0..n).map(|_| spread(8e-9, 12e-9)).collect();
    let groups = |size: u32| {
        (0..processors / size).map(move |k| (k * size..(k + 1) * size).map(Processor).collect())
    };
    let mut members: Vec<Vec<Processor>> = groups(16).collect();
    let switches = members.len();
    members.extend(groups(64).filter(|group: &Vec<Processor>| group.len() < n));
    let ports = |group: usize| if group < switches { 10.0 } else { 30.0 };
    let delays = (0..members.len()).map(|group| Estimate::exact(10e-9 / ports(group))).collect();
    Ports {
        fixed_delay: (0..n).map(|_| spread(6e-6, 20e-6)).collect(),
        byte_delay: (0..n).map(|_| spread(0.1e-9, 0.5e-9)).collect(),
        port_byte_delay,
        link_latency: PerPair::from_fn(n, |_, _| spread(20e-6, 30e-6)),
        uplinks: Uplinks::new(members, delays).expect("groups form a tree"),
        ..equal_ports(n, [Estimate::exact(0.0); 5])
    }
}

/// The samples of a campaign with the search for shared links.
fn campaign(truth: &Ports, seed: u64) -> Samples {
    let machine = SimulatedMachine::new(truth.network(), NOISE, seed);
    let mut machine = machine.with_flows(Box::new(Flows(SharedPorts::new(truth))));
    let mut samples = Samples::new(Provenance::new());
    let precision = Precision { min_reps: 5, max_reps: 5, ..Precision::default() };
    let design = CommDesign { shared_links: true, ..CommDesign::new(Bytes::new(32 << 10)) };
    Campaign::new(&mut machine, &mut samples)
        .precision(precision)
        .measure(&design)
        .expect("a simulated campaign does not fail");
    samples
}

/// An alltoall in which each rank posts all receives and all sends at once.
struct LinearAlltoall {
    ranks: u32,
    block: Bytes,
}

impl Schedule for LinearAlltoall {
    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let (step, others) = (cursor.advance() as u32, self.ranks - 1);
        let (phase, place) = (step / others, step % others);
        let peer = Rank((rank.0 + 1 + place) % self.ranks);
        let (size, tag) = (self.block, Tag(0));
        match phase {
            0 => Some(Operation::Post(Transfer::Receive { from: peer, size, tag }, Request(place))),
            1 => Some(Operation::Post(
                Transfer::Send { to: peer, size, tag },
                Request(others + place),
            )),
            2 => Some(Operation::Wait(Request(place))),
            3 => Some(Operation::Wait(Request(others + place))),
            _ => None,
        }
    }
}

/// Seconds of a simulation of a linear alltoall by flows.
fn simulated_linear(truth: &Ports, ranks: u32) -> f64 {
    let schedule = LinearAlltoall { ranks, block: BLOCK };
    let placement = Placement::new((0..ranks).map(Processor));
    let machine = SharedPorts::new(truth);
    let start = Instant::now();
    machine.ends(&schedule, &placement, false).expect("the operation runs to its end");
    start.elapsed().as_secs_f64()
}

/// The samples without exchanges.
fn without_exchanges(samples: &Samples) -> Samples {
    let mut fewer = Samples::new(Provenance::new());
    let is_kept = |experiment: &Experiment| !matches!(experiment, Experiment::Exchanges { .. });
    samples
        .iter()
        .filter(|sample| is_kept(&sample.experiment))
        .for_each(|sample| fewer.push(sample));
    fewer
}

/// Seconds of a fit of the model `ports`, with the model and the groups that share links.
fn fitted(samples: &Samples) -> (f64, Model, Vec<Vec<Processor>>) {
    let options = FitOptions { kinds: Some(vec![ModelKind::Ports]), ..FitOptions::default() };
    let start = Instant::now();
    let outcome = fit(samples, &options).expect("the campaign identifies the model");
    let links = outcome.shared_links.map_or(Vec::new(), |found| found.links);
    (
        start.elapsed().as_secs_f64(),
        outcome.model,
        links.into_iter().map(|link| link.group).collect(),
    )
}

/// The groups that share links, each with the group of all other processors: exchanges cannot
/// distinguish the two.
fn distinct_groups(truth: &Ports) -> Vec<[Vec<Processor>; 2]> {
    let mut distinct: Vec<[Vec<Processor>; 2]> = Vec::new();
    for group in truth.uplinks.groups() {
        let others = Processor::first(truth.port_byte_delay.len())
            .filter(|one| !group.contains(one))
            .collect();
        if !distinct.iter().any(|known| known.contains(group)) {
            distinct.push([group.clone(), others]);
        }
    }
    distinct
}

/// Seconds of a prediction of an alltoall, without reading the model, and the predicted seconds.
fn predicted(model: &Model, kind: ModelKind, procs: usize) -> (f64, f64) {
    let (collective, algorithm) = (CollectiveKind::Alltoall, Algorithm::Pairwise);
    let size = BLOCK;
    let experiment =
        Experiment::Collective { kind: collective, algorithm, root: Processor(0), procs, size };
    let mut predictor = Predictor::new(model, kind).expect("the model has this kind");
    let start = Instant::now();
    let prediction =
        predictor.predict(&Query::Experiment(experiment)).expect("the operation runs to its end");
    (start.elapsed().as_secs_f64(), prediction.seconds.get())
}

/// A verdict about a limit at 256 processors.
fn verdict(processors: u32, seconds: f64, limit: f64) -> String {
    match processors {
        256 if seconds <= limit => format!("≤ {limit} s  ok"),
        256 => format!("≤ {limit} s  MISSED"),
        _ => String::new(),
    }
}

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let only: Option<u32> = words.iter().find_map(|word| word.parse().ok());
    let seed: u64 =
        words.iter().find_map(|word| word.strip_prefix("seed=")?.parse().ok()).unwrap_or(1);
    let mut last: Option<[f64; 2]> = None;
    println!(
        "model `ports` with shared links; growth is the exponent of the number of processors since \
            the line before"
    );
    for processors in [64, 128, 256] {
        if only.is_some_and(|only| only != processors) {
            continue;
        }
        let truth = cluster(processors, seed);
        let start = Instant::now();
        let samples = campaign(&truth, seed);
        println!(
            "{processors:>4} processors, {} readings in {:.1} s",
            samples.count(),
            start.elapsed().as_secs_f64()
        );
        let (plain, ..) = fitted(&without_exchanges(&samples));
        let (fit, model, links) = fitted(&samples);
        let all = distinct_groups(&truth);
        let right =
            links.iter().filter(|group| all.iter().any(|same| same.contains(group))).count();
        let procs = processors as usize;
        let (by_queues, queued) = predicted(&model, ModelKind::Ports, procs);
        let (by_flows, flowing) = predicted(&model, ModelKind::PortsFlows, procs);
        let growth = |place: usize, seconds: f64| {
            last.map_or(String::new(), |last| {
                format!(", growth {:.1}", (seconds / last[place]).log2())
            })
        };
        println!(
            "     fit {fit:.2} s, {:.1} of {plain:.2} s without links{}; {right} of {} links, {} \
                others  {}",
            fit / plain,
            growth(0, fit),
            all.len(),
            links.len() - right,
            verdict(processors, fit, FIT_LIMIT),
        );
        println!(
            "     alltoall by flows {by_flows:.2} s, {:.1} of {by_queues:.2} s by queues{}; {:.1} \
                and {:.1} ms predicted  {}",
            by_flows / by_queues,
            growth(1, by_flows),
            flowing * 1e3,
            queued * 1e3,
            verdict(processors, by_flows, PREDICTION_LIMIT),
        );
        if words.iter().any(|word| word == "linear") {
            println!("     linear alltoall by flows {:.1} s", simulated_linear(&truth, processors));
        }
        last = Some([fit, by_flows]);
    }
}

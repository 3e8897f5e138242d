//! Derivatives of ends of ranks by delays of links, against finite differences of whole
//! simulations.

use orrery::platform::{HostId, HostOverheads, LinkId, Topology};
use orrery::schedule::{Request, Schedule, Tag, Transfer};
use orrery::simulate::{FlowModel, Simulation};
use orrery::units::BytesPerSecond;

use crate::prelude::*;
use crate::shared_links::cluster;

const N: usize = 10;

/// The relative change of a delay in both directions.
const STEP: f64 = 1e-5;

/// The largest difference of derivatives, relative to the largest one of a program.
const TOLERANCE: f64 = 1e-6;

/// Two groups of processors, one of them in two parts, with links slower and faster than their
/// ports; limits of every third flow, and two processors whose directions share a link.
fn machine(seed: u64) -> Ports {
    let groups = [((0..4).collect(), 1.3), ((4..8).collect(), 0.6), ((0..8).collect(), 0.9)];
    let mut ports = cluster(N, &groups, seed);
    ports.both_ports_byte_delay = vec![Estimate::exact(0.0); N];
    for i in [2, 9] {
        ports.both_ports_byte_delay[i] = Estimate::exact(0.9 * ports.port_byte_delay[i].value);
    }
    ports.flow_byte_delay = PerPair::from_fn(N, |i, j| {
        let limit = (14.0 + 0.37 * (i.index() as f64) + 0.11 * j.index() as f64) * 1e-9;
        Estimate::exact(if (i.index() + j.index()) % 3 == 0 { limit } else { 0.0 })
    });
    ports
}

/// The links of each delay per byte, by the names of [`Ports::platform`]; links that bound no
/// message have none.
fn parameters(topology: &Topology) -> Vec<Vec<LinkId>> {
    let mut by_name: Vec<(String, Vec<LinkId>)> = Vec::new();
    let bounds_messages = |link: &LinkId| topology.links[link.index()].bandwidth.get() < 1e14;
    for link in (0..topology.links.len() as u32).map(LinkId).filter(bounds_messages) {
        let name = &topology.links[link.index()].name;
        let name = name.trim_end_matches("-in").trim_end_matches("-out");
        let name = name.trim_start_matches("in-").trim_start_matches("out-").to_owned();
        match by_name.iter_mut().find(|(other, _)| *other == name) {
            Some((_, links)) => links.push(link),
            None => by_name.push((name, vec![link])),
        }
    }
    by_name.into_iter().map(|(_, links)| links).collect()
}

/// A simulated machine with a program.
struct Case<'a> {
    topology: Topology,
    overheads: HostOverheads,
    hosts: Vec<HostId>,
    model: FlowModel,
    program: &'a dyn Schedule,
}

impl Case<'_> {
    fn ends(&self, topology: &Topology) -> Vec<f64> {
        let simulation = Simulation::new(topology, &self.hosts, self.model.clone())
            .with_overheads(&self.overheads);
        simulation.run(self.program).unwrap().tasks.iter().map(|task| task.end.get()).collect()
    }

    /// The derivative of the end of each rank by a delay.
    fn difference(&self, links: &[LinkId]) -> Vec<f64> {
        let delay = 1.0 / self.topology.links[links[0].index()].bandwidth.get();
        let [before, after] = [-STEP, STEP].map(|step| {
            let mut topology = self.topology.clone();
            for link in links {
                topology.links[link.index()].bandwidth =
                    BytesPerSecond::new(1.0 / (delay * (1.0 + step)));
            }
            self.ends(&topology)
        });
        before
            .iter()
            .zip(after)
            .map(|(before, after)| (after - before) / (2.0 * STEP * delay))
            .collect()
    }

    /// Compares the derivatives by all delays; returns the number of those of each kind of link
    /// that are not 0: of ports and shared links, and of limits of flows.
    fn compare(&self, name: &str) -> [usize; 2] {
        let parameters = parameters(&self.topology);
        let simulation = Simulation::new(&self.topology, &self.hosts, self.model.clone())
            .with_overheads(&self.overheads);
        let (outcome, derivatives) =
            simulation.run_with_derivatives(self.program, &parameters).unwrap();
        let ends: Vec<f64> = outcome.tasks.iter().map(|task| task.end.get()).collect();
        assert_eq!(ends, self.ends(&self.topology), "{name}");
        let differences: Vec<Vec<f64>> =
            parameters.iter().map(|links| self.difference(links)).collect();
        let largest = differences.iter().flatten().fold(0.0, |most: f64, one| most.max(one.abs()));
        assert!(largest > 0.0, "{name}: no delay matters");
        let mut counts = [0, 0];
        for (parameter, (links, differences)) in parameters.iter().zip(&differences).enumerate() {
            let link = &self.topology.links[links[0].index()];
            for (rank, difference) in differences.iter().enumerate() {
                let derivative = derivatives[rank][parameter];
                let is_close = (derivative - difference).abs() <= TOLERANCE * largest;
                assert!(
                    is_close,
                    "{name}, rank {rank}, {}: {derivative}, by differences {difference}",
                    link.name
                );
                counts[usize::from(link.is_fatpipe)] +=
                    usize::from(difference.abs() > 0.01 * largest);
            }
        }
        counts
    }
}

/// Compares the derivatives of a program with eager, waiting and serial sends, each on another
/// machine.
fn compare(name: &str, program: &dyn Schedule, placement: &Placement) -> [usize; 2] {
    let mut counts = [0, 0];
    for (seed, sends, model) in [
        (1, "eager", FlowModel::PORTS.with_eager(Bytes::new(u64::MAX))),
        (2, "rendezvous", FlowModel::PORTS.with_eager(Bytes::new(1000))),
        (3, "serial", FlowModel::PORTS.with_synchronous_sends()),
    ] {
        let (topology, overheads) = machine(seed).platform(&[], &[]);
        let hosts = placement.processors().iter().map(|processor| HostId(processor.0)).collect();
        let case = Case { topology, overheads, hosts, model, program };
        let of_case = case.compare(&format!("{name}, {sends} sends"));
        counts = [0, 1].map(|kind| counts[kind] + of_case[kind]);
    }
    counts
}

/// All ranks, each on the processor of its number.
fn all() -> Placement {
    Placement::new((0..N as u32).map(Processor))
}

#[test]
fn derivatives_of_collective_operations_are_differences() {
    let of_kind = [
        (CollectiveKind::Scatter, Algorithm::Linear),
        (CollectiveKind::Scatter, Algorithm::Binomial),
        (CollectiveKind::Gather, Algorithm::Linear),
        (CollectiveKind::Gather, Algorithm::Binomial),
        (CollectiveKind::Alltoall, Algorithm::Pairwise),
        (CollectiveKind::Alltoall, Algorithm::LinearNonblocking),
        (CollectiveKind::Allgather, Algorithm::Ring),
    ];
    for (kind, algorithm) in of_kind {
        let root = Processor(if kind.has_root() { 5 } else { 0 });
        let experiment =
            Experiment::Collective { kind, algorithm, root, procs: N, size: Bytes::new(40_000) };
        let (program, placement) = experiment.program().unwrap();
        let [links, flows] = compare(&format!("{kind} {algorithm}"), &program, &placement);
        assert!(links > 20 && flows > 10, "{kind} {algorithm}: {links}, {flows}");
    }
}

#[test]
fn derivatives_of_chains_are_differences() {
    // Each rank passes messages of different sizes to the next one.
    let sizes = [30_000, 70_000, 50_000].map(Bytes::new);
    let operations = |rank: u32| {
        let receive = |size| (rank > 0).then(|| Operation::receive(Rank(rank - 1), size));
        let send = |size| (rank + 1 < N as u32).then(|| Operation::send(Rank(rank + 1), size));
        sizes
            .into_iter()
            .flat_map(move |size| receive(size).into_iter().chain(send(size)))
            .collect()
    };
    let [links, flows] =
        compare("chain", &Explicit::new((0..N as u32).map(operations).collect()), &all());
    assert!(links > 20 && flows > 10, "{links}, {flows}");
}

#[test]
fn derivatives_of_late_receives_are_differences() {
    // Each rank posts messages to all others in its half, computes nothing, and receives in the
    // opposite order. Messages of one pair flow one after the other.
    let operations = |rank: u32| {
        let half = N as u32 / 2;
        let others: Vec<u32> =
            (1..half).map(|step| (rank + step) % half + rank / half * half).collect();
        let size = |from: u32, to: u32, k: u64| {
            Bytes::new(20_000 + 1700 * u64::from(from) + 900 * u64::from(to) + 7000 * k)
        };
        let request = |place: usize, k: u64| Request(2 * place as u32 + k as u32);
        let (post, wait) = (Operation::Post, Operation::Wait);
        let sends = others.iter().enumerate().flat_map(|(place, &to)| {
            let transfer = move |k| Transfer::Send {
                to: Rank(to),
                size: size(rank, to, k),
                tag: Tag::default(),
            };
            [0, 1].map(|k| post(transfer(k), request(place, k)))
        });
        let receives = others
            .iter()
            .rev()
            .flat_map(|&from| [0, 1].map(|k| Operation::receive(Rank(from), size(from, rank, k))));
        let waits = (0..others.len()).flat_map(|place| [0, 1].map(|k| wait(request(place, k))));
        sends.chain(receives).chain(waits).collect()
    };
    let [links, flows] =
        compare("late receives", &Explicit::new((0..N as u32).map(operations).collect()), &all());
    assert!(links > 20 && flows > 10, "{links}, {flows}");
}

//! What finding rates costs by itself, without what a replay does besides: the messages of a replay flow and end again as they
//! did in it, and rates are found anew each time. Max-min fairness beside the laws of sharing, each on the messages of its
//! own replay, which a law that lets them end at more instants has to settle more often.

#[path = "../tests/simgrid/traces.rs"]
mod traces;

use std::time::Instant;

use orrery::platform::{HostId, Seating, Topology, xml};
use orrery::sharing::maxmin::{Demand, MaxMin};
use orrery::sharing::{Gige, Infiniband, Law, Transfer, Underway};
use orrery::simulate::{FlowModel, Simulation};
use orrery::trace::file;

/// Each is played so many times, all of them in turn.
const ROUNDS: usize = 9;

/// Dates that differ by less, relative to the time, are one instant.
const INSTANT: f64 = 1e-12;

/// What happens to one of the messages, which have small numbers while they flow.
#[derive(Clone, Copy)]
enum Event {
    Start { number: usize, from: HostId, to: HostId },
    Stop { number: usize },
}

/// The messages of a replay as they come and go, an instant after the other.
fn instants(topology: &Topology, model: &FlowModel, name: &str) -> Vec<Vec<Event>> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = |rank: usize| folder.path().join(format!("rank-{rank}.txt"));
    let traces = traces::named(name);
    let index: String = (0..traces.len()).map(|rank| path(rank).display().to_string() + "\n").collect();
    std::fs::write(folder.path().join("index"), index).expect("a file can be written");
    for (rank, text) in traces.iter().enumerate() {
        std::fs::write(path(rank), text).expect("a file can be written");
    }
    let trace = file::load(&folder.path().join("index")).expect("it is a trace");
    let hosts = Seating::RoundRobinNode.hosts(topology, trace.ranks());
    let speeds = vec![1e9; trace.ranks()];
    let schedule = trace.schedule(&speeds, model.test_time());
    let outcome = Simulation::new(topology, &hosts, model.clone()).with_conflicts().run(&schedule);
    let messages = outcome.expect("the trace runs to its end").communications;
    let mut changes: Vec<(f64, bool, usize)> = Vec::new();
    for (k, message) in messages.iter().enumerate() {
        let start = message.end - message.flowed();
        if start == message.end {
            continue;
        }
        changes.extend([(start.get(), true, k), (message.end.get(), false, k)]);
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut numbers, mut free, mut used) = (vec![0; messages.len()], Vec::new(), 0);
    let mut instants = Vec::new();
    for together in changes.chunk_by(|a, b| b.0 <= a.0 * (1.0 + INSTANT)) {
        let event = |&(_, starts, k): &(f64, bool, usize)| {
            if !starts {
                free.push(numbers[k]);
                return Event::Stop { number: numbers[k] };
            }
            numbers[k] = free.pop().unwrap_or_else(|| {
                used += 1;
                used - 1
            });
            let [from, to] = [messages[k].from, messages[k].to].map(|rank| hosts[rank.index()]);
            Event::Start { number: numbers[k], from, to }
        };
        instants.push(together.iter().map(event).collect());
    }
    instants
}

/// Seconds that max-min fairness takes.
fn fair(topology: &Topology, instants: &[Vec<Event>]) -> f64 {
    let capacities: Vec<f64> = topology.links.iter().map(|link| link.bandwidth.get()).collect();
    let demand = |from, to| {
        let mut links = Vec::new();
        topology.add_route(from, to, &mut links);
        let bound = links.iter().map(|link| capacities[link.index()]).fold(f64::INFINITY, f64::min);
        Demand { uses: links.iter().map(|link| (link.index(), 1.0)).collect(), share: 1.0, bound }
    };
    let demands: Vec<Vec<Option<Demand>>> = instants
        .iter()
        .map(|events| {
            let of = |event: &Event| match *event {
                Event::Start { from, to, .. } => Some(demand(from, to)),
                Event::Stop { .. } => None,
            };
            events.iter().map(of).collect()
        })
        .collect();
    let mut sharing = MaxMin::new(&capacities);
    let start = Instant::now();
    for (events, demands) in instants.iter().zip(&demands) {
        for (event, demand) in events.iter().zip(demands) {
            match (event, demand) {
                (Event::Start { number, .. }, Some(demand)) => sharing.start(*number, demand),
                (Event::Start { number, .. } | Event::Stop { number }, _) => sharing.stop(*number),
            }
        }
        sharing.settle();
    }
    start.elapsed().as_secs_f64()
}

/// Seconds that a law takes.
fn penalised(law: Law, instants: &[Vec<Event>]) -> f64 {
    let mut underway = Underway::new(law);
    let start = Instant::now();
    for events in instants {
        for event in events {
            match *event {
                Event::Start { number, from, to } => underway.start(number, Transfer::between(from.0, to.0)),
                Event::Stop { number } => underway.stop(number),
            }
        }
        underway.settle().expect("the law is local");
    }
    start.elapsed().as_secs_f64()
}

fn main() {
    let laws =
        [Law::Gige(Gige::new(0.75, 0.115, 0.036).expect("published parameters")), Law::Infiniband(Infiniband::SIMGRID)];
    println!("finding rates alone, each on the messages of its own replay");
    for name in ["stencil64", "stencil64_imb", "ring64", "stencil1024", "stencil1024_imb"] {
        let topology =
            xml::parse(&traces::cluster(traces::named(name).len()), "cluster.xml").expect("it is a platform");
        let of_fair = instants(&topology, &FlowModel::MAXMIN, name);
        let of_laws = laws.map(|law| instants(&topology, &FlowModel::of(law), name));
        let mut times = vec![Vec::new(); 1 + laws.len()];
        for _ in 0..ROUNDS {
            times[0].push(fair(&topology, &of_fair));
            for (k, law) in laws.into_iter().enumerate() {
                times[k + 1].push(penalised(law, &of_laws[k]));
            }
        }
        let middle = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let times: Vec<f64> = times.iter_mut().map(middle).collect();
        println!("{name:<16} maxmin {:.2} ms, {} instants", times[0] * 1e3, of_fair.len());
        for ((law, time), instants) in laws.iter().zip(&times[1..]).zip(&of_laws) {
            let ratio = time / times[0];
            let verdict = if ratio <= 1.0 { "ok" } else { "MISSED" };
            println!(
                "{:16} {:<10} {:.2} ms, {} instants: {ratio:.2} of maxmin  {verdict}",
                "",
                law.word(),
                time * 1e3,
                instants.len()
            );
        }
    }
}

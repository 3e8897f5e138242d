//! What finding rates costs by itself, without what a replay does besides: the messages of a replay
//! flow and end again as they did in it, and rates are found anew each time. Max-min fairness
//! beside the laws of sharing, each on the messages of its own replay, which a law that lets them
//! end at more instants has to settle more often.

#[path = "support/files.rs"]
mod files;
#[path = "../tests/simulation/traces.rs"]
mod traces;
#[path = "support/turns.rs"]
mod turns;

use std::time::Instant;

use orrery::platform::{HostId, Topology};
use orrery::sharing::maxmin::{Demand, MaxMin};
use orrery::sharing::{ActiveTransfers, GigabitEthernet, Infiniband, SharingLaw, Transfer};
use orrery::simulate::{FlowModel, Simulation};

use files::{Files, Loaded};

/// Dates that differ by less, relative to the time, are one instant.
const INSTANT: f64 = 1e-12;

/// So many numbers of messages a rank gets at a time.
const TOGETHER: usize = 4;

/// What happens to one of the messages, which have small numbers while they flow.
#[derive(Clone, Copy)]
enum Event {
    Start { number: usize, from: HostId, to: HostId },
    Stop { number: usize },
}

/// The messages of a replay as they come and go, an instant after the other.
fn instants(loaded: &Loaded, model: &FlowModel) -> Vec<Vec<Event>> {
    let Loaded { topology, trace, hosts, speeds } = loaded;
    let schedule = trace.schedule(speeds, model.test_time());
    let outcome = Simulation::new(topology, hosts, model.clone()).with_conflicts().run(&schedule);
    let messages = outcome.expect("the trace runs to its end").communications;
    let mut changes: Vec<(f64, bool, usize)> = Vec::new();
    for (k, message) in messages.iter().enumerate() {
        let start = message.end - message.flow_duration();
        if start == message.end {
            continue;
        }
        changes.extend([(start.get(), true, k), (message.end.get(), false, k)]);
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // As in a replay, messages to one rank have neighbouring numbers.
    let (mut numbers, mut free, mut used) =
        (vec![0; messages.len()], vec![Vec::new(); trace.ranks()], 0);
    let mut instants = Vec::new();
    for together in changes.chunk_by(|a, b| b.0 <= a.0 * (1.0 + INSTANT)) {
        let event = |&(_, starts, k): &(f64, bool, usize)| {
            let free = &mut free[messages[k].to.index()];
            if !starts {
                free.push(numbers[k]);
                return Event::Stop { number: numbers[k] };
            }
            numbers[k] = free.pop().unwrap_or_else(|| {
                used += TOGETHER;
                free.extend((used - TOGETHER + 1..used).rev());
                used - TOGETHER
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
        topology.append_route(from, to, &mut links);
        let bound = links.iter().map(|link| capacities[link.index()]).fold(f64::INFINITY, f64::min);
        Demand {
            links: links.iter().map(|link| (link.index(), 1.0)).collect(),
            inverse_weight: 1.0,
            bound,
        }
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
        sharing.update_rates();
    }
    start.elapsed().as_secs_f64()
}

/// Seconds that a law takes.
fn penalised(law: SharingLaw, instants: &[Vec<Event>]) -> f64 {
    let mut underway = ActiveTransfers::new(law);
    let start = Instant::now();
    for events in instants {
        for event in events {
            match *event {
                Event::Start { number, from, to } => {
                    underway.start(number, Transfer::between(from.0, to.0));
                }
                Event::Stop { number } => underway.stop(number),
            }
        }
        underway.update_penalties().expect("the law is local");
    }
    start.elapsed().as_secs_f64()
}

fn main() {
    let laws = [
        SharingLaw::GigabitEthernet(
            GigabitEthernet::new(0.75, 0.115, 0.036).expect("published parameters"),
        ),
        SharingLaw::Infiniband(Infiniband::SIMGRID),
    ];
    println!("finding rates alone, each on the messages of its own replay");
    for name in ["stencil64", "stencil64_imb", "ring64", "stencil1024", "stencil1024_imb"] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let files = Files::write(folder.path(), name);
        let loaded = files.load();
        let of_fair = instants(&loaded, &FlowModel::MAXMIN);
        println!("{name:<16} {} ranks; maxmin: {} instants", files.ranks, of_fair.len());
        for law in laws {
            let of_law = instants(&loaded, &FlowModel::from_law(law));
            let times = turns::in_turn(&[&|| fair(&loaded.topology, &of_fair), &|| {
                penalised(law, &of_law)
            }]);
            let [fair, penalised] =
                [&times[0], &times[1]].map(|times| turns::quartiles(times.clone())[1]);
            println!(
                "{:16} {:<10} {}; {:.2} of {:.2} ms, {} instants",
                "",
                law.name(),
                turns::parts(&times[1], &times[0]),
                penalised * 1e3,
                fair * 1e3,
                of_law.len()
            );
        }
    }
}

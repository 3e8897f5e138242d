use std::collections::BTreeMap;

use super::communication::Communication;
use super::error::SimulationError;
use super::flow_model::FlowModel;
use super::simulation::Simulation;
use orrery_base::units::BytesPerSecond;
use orrery_cluster::platform::{Host, HostId, Port, Topology};
use orrery_cluster::sharing::scheme::Scheme;
use orrery_cluster::sharing::{Node, SharingLaw};
use orrery_program::schedule::{Explicit, Operation, Rank};

/// Simulates the transfers of a scheme, each from its delay on, with the penalties of the transfers
/// under way.
///
/// Every node sends and receives at `bandwidth` at most, without latency. Returns the communication
/// of each transfer without the division of its losses among other transfers; `None` for a transfer
/// within a node, which uses no network. Transfers of equal sizes, starts and penalties take the
/// times of a static prediction; otherwise the remaining transfers are faster once others have
/// ended.
///
/// ```
/// use orrery_cluster::sharing::{GigabitEthernet, SharingLaw, scheme};
/// use orrery_play::simulate::replay_scheme;
/// use orrery_base::units::BytesPerSecond;
/// // Two transfers from one node take 1.5 times as long while both are under way.
/// let scheme = scheme::parse("0 -> 1 1000000B\n0 -> 2 2000000B").unwrap();
/// let law = SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, 0.115, 0.036)?);
/// let replayed = replay_scheme(&scheme, BytesPerSecond::new(1e6), law)?;
/// let ends: Vec<f64> = replayed.iter().flatten().map(|one| one.end.get()).collect();
/// assert_eq!(ends, [1.5, 2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the law cannot be evaluated for the transfers under way.
pub fn replay_scheme(
    scheme: &Scheme,
    bandwidth: BytesPerSecond,
    law: SharingLaw,
) -> Result<Vec<Option<Communication>>, SimulationError> {
    let arcs: Vec<_> = scheme.arcs.iter().filter(|arc| !arc.transfer.is_local()).collect();
    let mut nodes: BTreeMap<Node, HostId> = BTreeMap::new();
    for arc in &arcs {
        for node in [arc.transfer.source, arc.transfer.destination] {
            let next = HostId(nodes.len() as u32);
            nodes.entry(node).or_insert(next);
        }
    }
    // Each transfer has a sender and a receiver of its own.
    let (mut programs, mut hosts) = (Vec::new(), Vec::new());
    for (arc, place) in arcs.iter().zip(0..) {
        let (sender, receiver) = (Rank(2 * place), Rank(2 * place + 1));
        programs.push(vec![Operation::Spin(arc.delay), Operation::send(receiver, arc.size)]);
        programs.push(vec![Operation::Spin(arc.delay), Operation::receive(sender, arc.size)]);
        hosts.extend([nodes[&arc.transfer.source], nodes[&arc.transfer.destination]]);
    }
    let topology = crossbar(nodes.len(), bandwidth);
    let simulation = Simulation::new(&topology, &hosts, FlowModel::from_law(law)).with_penalties();
    let outcome = simulation.run(&Explicit::new(programs))?;
    let mut communications: Vec<Option<Communication>> = vec![None; scheme.arcs.len()];
    let crossing = (0..scheme.arcs.len()).filter(|&k| !scheme.arcs[k].transfer.is_local());
    let crossing: Vec<usize> = crossing.collect();
    for communication in outcome.communications {
        let place = crossing[communication.from.index() / 2];
        communications[place] = Some(communication);
    }
    Ok(communications)
}

/// A crossbar: each host has an outgoing and an incoming link of this bandwidth, without latency.
fn crossbar(hosts: usize, bandwidth: BytesPerSecond) -> Topology {
    let mut topology = Topology::default();
    for number in 0..hosts as u32 {
        topology.hosts.push(Host { name: format!("node-{number}"), speed: 1e9, cores: 1 });
        let [up, down] = ["out", "in"].map(|direction| {
            topology.add_link(format!("{direction}-{number}"), (bandwidth.get(), 0.0), false)
        });
        let port = Port { up, down, uplink: None, backbone: None, loopback: None, cluster: 0 };
        topology.ports.push(Some(port));
    }
    topology
}

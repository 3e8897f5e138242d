//! Replays whose messages share links, or slow each other by a law.

mod buffers;
mod laws;
mod losses;
mod schemes;

use orrery::platform::{HostId, Topology, xml};
use orrery::schedule::{Explicit, Operation, Rank};
use orrery::sharing::{GigabitEthernet, Infiniband, Myrinet, SharingLaw};
use orrery::simulate::{FlowModel, Outcome, Simulation};
use orrery::units::{Bytes, Seconds};

/// Bytes per second of each link of the cluster.
const BANDWIDTH: f64 = 1e8;
/// Of each link; a message crosses two.
const LATENCY: f64 = 5e-6;

/// Eight hosts on a switch.
fn cluster() -> Topology {
    let text = r#"<platform version="4.1">
      <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="100MBps" lat="5us"/>
    </platform>"#;
    xml::parse(text, "cluster.xml").expect("the platform can be read").topology
}

/// From which host to which, how many bytes, and when.
type Message = (u32, u32, u64, f64);

/// Messages each with a sender and a receiver of its own on their hosts.
fn play(messages: &[Message], model: FlowModel) -> Outcome {
    let (mut programs, mut hosts) = (Vec::new(), Vec::new());
    for (&(from, to, size, at), place) in messages.iter().zip(0..) {
        let (size, at) = (Bytes::new(size), Seconds::new(at));
        programs.push(vec![Operation::Spin(at), Operation::send(Rank(2 * place + 1), size)]);
        programs.push(vec![Operation::Spin(at), Operation::receive(Rank(2 * place), size)]);
        hosts.extend([HostId(from), HostId(to)]);
    }
    let topology = cluster();
    let simulation = Simulation::new(&topology, &hosts, model).with_conflicts();
    simulation.run(&Explicit::new(programs)).expect("all messages arrive")
}

fn gige() -> SharingLaw {
    SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, 0.115, 0.036).unwrap())
}

/// Max-min fairness, each law without shared links, and a law with shared links.
fn models() -> Vec<FlowModel> {
    let laws = [
        gige(),
        SharingLaw::Myrinet(Myrinet::default()),
        SharingLaw::Infiniband(Infiniband::SIMGRID),
    ];
    let alone = laws.map(FlowModel::from_law);
    let besides = alone.clone().map(FlowModel::with_shared_links);
    [FlowModel::MAXMIN].into_iter().chain(alone).chain(besides).collect()
}

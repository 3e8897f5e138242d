//! Replays a trace on a cluster whose links are shared, and compares it with links of its own for
//! each message.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use orrery::platform::{HostId, file};
use orrery::simulate::without_sharing;
use orrery::trace::tit;
use orrery::{FlowModel, Seconds, Simulation};

/// Two hosts of two cores on Gigabit Ethernet.
const CLUSTER: &str = r#"
[[hosts]]
names = "node-[0-1]"
kind = "opteron"
cores = 2
speed = "1Gf"

[links]
bandwidth = "125MBps"
latency = "50us"
"#;

/// Ranks 0 and 1 compute for 10⁶ operations and send 10⁶ doubles each to ranks 2 and 3.
const TRACE: &str = "0 compute 1e6\n1 compute 1e6\n0 send 2 0 1000000\n1 send 3 0 1000000\n2 recv \
    0 0 1000000\n3 recv 1 0 1000000\n";

/// Writes the completion times.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let topology = file::network(CLUSTER, Path::new("cluster.toml"))?.topology;
    let mut reader = tit::Reader::default();
    reader.shared("trace", TRACE.as_bytes())?;
    let trace = reader.finish()?;
    // Two ranks on each host, so that both messages cross the same links.
    let hosts = [0, 0, 1, 1].map(HostId);
    let speeds = hosts.map(|host| topology.hosts[host.index()].speed);
    let schedule = trace.schedule(&speeds, Seconds::ZERO);
    for (links, topology) in [("shared", &topology), ("not shared", &without_sharing(&topology))] {
        let outcome = Simulation::new(topology, &hosts, FlowModel::MAXMIN).run(&schedule)?;
        writeln!(out, "links {links}: {}", outcome.end)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}

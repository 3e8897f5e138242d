//! The cluster that a local machine emulates.

use crate::platform::{HostId, HostOverheads, LinkId, PiecewiseTime, Topology};

/// A cluster to be emulated: one worker for each host; its messages pass a switch that delays them as
/// the links of the cluster would, and each send and receive occupies its worker for the overhead of its host.
///
/// ```
/// use orrery::machine::local::Emulation;
/// use orrery::platform::file;
/// let text = r#"
/// hosts = [{ names = "n[1-3]", kind = "k", cores = 1, speed = "1Gf", fixed_delay = "1ms" }]
/// links = { bandwidth = "10MBps", latency = "200us" }
/// "#;
/// let network = file::network(text, "three.toml")?;
/// let emulation = Emulation::new("three.toml", network.topology, network.overheads)?;
/// assert_eq!(emulation.hosts(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Emulation {
    name: String,
    topology: Topology,
    overheads: HostOverheads,
}

/// The reason why a cluster cannot be emulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmulationError {
    /// Too few or too many hosts.
    #[error("the number of hosts is {0}; an emulated cluster has 2 to {MAX_HOSTS}")]
    HostCount(usize),
    /// Two hosts without a route.
    #[error("there is no route from host {from:?} to host {to:?}; connect them by links")]
    NoRoute {
        /// The name of the first host.
        from: String,
        /// The name of the second host.
        to: String,
    },
}

/// The largest number of hosts. The switch has a connection for each ordered pair of hosts, and a process usually may
/// have 1024 open files.
const MAX_HOSTS: usize = 24;

impl Emulation {
    /// An emulation of these hosts and links; `name` is stored with samples.
    ///
    /// # Errors
    ///
    /// With fewer than two or more than 24 hosts, and with hosts that no route connects.
    pub fn new(name: impl Into<String>, topology: Topology, overheads: HostOverheads) -> Result<Self, EmulationError> {
        let hosts = topology.hosts.len();
        if !(2..=MAX_HOSTS).contains(&hosts) {
            return Err(EmulationError::HostCount(hosts));
        }
        let emulation = Self { name: name.into(), topology, overheads };
        let name = |host: usize| emulation.topology.hosts[host].name.clone();
        for from in 0..hosts {
            if let Some(to) = (0..hosts).find(|&to| to != from && emulation.route(from, to).is_empty()) {
                return Err(EmulationError::NoRoute { from: name(from), to: name(to) });
            }
        }
        Ok(emulation)
    }

    /// The number of hosts.
    pub fn hosts(&self) -> usize {
        self.topology.hosts.len()
    }

    /// The name of the cluster.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The names of the hosts.
    pub(super) fn host_names(&self) -> impl Iterator<Item = &str> {
        self.topology.hosts.iter().map(|host| host.name.as_str())
    }

    /// The processor times of a blocking send, a posted send and a receive on a host.
    pub(super) fn overheads(&self, host: usize) -> [PiecewiseTime; 3] {
        self.overheads.of(HostId(host as u32))
    }

    /// The bandwidth in bytes per second and the latency in seconds of each link.
    pub(super) fn links(&self) -> Vec<(f64, f64)> {
        self.topology.links.iter().map(|link| (link.bandwidth.get(), link.latency.get())).collect()
    }

    /// The links from one host to another, by index; empty without a route.
    pub(super) fn route(&self, from: usize, to: usize) -> Vec<usize> {
        let route = self.topology.route(HostId(from as u32), HostId(to as u32)).unwrap_or_default();
        route.into_iter().map(LinkId::index).collect()
    }
}

//! The cluster that a local machine emulates.

use orrery_base::file::Fault;
use orrery_cluster::platform::{HostId, HostOverheads, Link, LinkId, PiecewiseTime, Topology};

/// A cluster to be emulated: one or more workers for each host, those of a host in succession.
/// Their messages pass a switch that delays them as the links of the cluster would, and each send
/// and receive occupies its worker for the overhead of its host. Messages within a host pass its
/// memory link, where it has one, which each pair of workers has for itself.
///
/// ```
/// use orrery_measure::machine::local::Emulation;
/// use orrery_cluster::platform::file;
/// let text = r#"
/// hosts = [{ names = "n[1-3]", kind = "k", cores = 1, speed = "1Gf", fixed_delay = "1ms" }]
/// links = { bandwidth = "10MBps", latency = "200us" }
/// "#;
/// let network = file::network(text, "three.toml")?;
/// let emulation = Emulation::new("three.toml", network.topology, network.overheads, 2)?;
/// assert_eq!(emulation.workers(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Emulation {
    name: String,
    topology: Topology,
    overheads: HostOverheads,
    /// The number of workers on each host.
    per_host: usize,
}

/// The largest number of workers. The switch has a connection for each ordered pair of workers, and
/// a process usually may have 1024 open files.
const MAX_WORKERS: usize = 24;

/// The bandwidth in bytes per second and the latency in seconds of a link.
pub(super) type LinkCosts = (f64, f64);

impl Emulation {
    /// An emulation of these hosts and links with `per_host` workers on each host; `name` is stored
    /// with samples.
    ///
    /// # Errors
    ///
    /// With fewer than two hosts, with more than 24 workers, and with hosts that no route connects.
    pub fn new(
        name: impl Into<String>,
        topology: Topology,
        overheads: HostOverheads,
        per_host: usize,
    ) -> Result<Self, Fault> {
        let hosts = topology.hosts.len();
        if !(2..=MAX_WORKERS).contains(&hosts) {
            return Err(Fault::new(format!(
                "the number of hosts is {hosts}; an emulated cluster has 2 to {MAX_WORKERS}"
            )));
        }
        if per_host == 0 || hosts.saturating_mul(per_host) > MAX_WORKERS {
            return Err(Fault::new(format!(
                "{per_host} ranks on each of {hosts} hosts; an emulated cluster has at most \
                    {MAX_WORKERS} ranks, and one or more on a host"
            )));
        }
        let emulation = Self { name: name.into(), topology, overheads, per_host };
        let name = |host: usize| &emulation.topology.hosts[host].name;
        let has_route = |from, to| {
            emulation.topology.route(HostId(from), HostId(to)).is_some_and(|all| !all.is_empty())
        };
        for from in 0..hosts {
            let is_used = |to: usize| to != from || per_host > 1;
            if let Some(to) =
                (0..hosts).find(|&to| is_used(to) && !has_route(from as u32, to as u32))
            {
                return Err(Fault::new(format!(
                    "there is no route from host {:?} to host {:?}; connect them by links",
                    name(from),
                    name(to)
                )));
            }
        }
        Ok(emulation)
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        self.topology.hosts.len() * self.per_host
    }

    /// The name of the cluster.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The host of a worker.
    fn host(&self, worker: usize) -> HostId {
        HostId((worker / self.per_host) as u32)
    }

    /// The name of the host of each worker.
    pub(super) fn host_names(&self) -> impl Iterator<Item = &str> {
        (0..self.workers())
            .map(|worker| self.topology.hosts[self.host(worker).index()].name.as_str())
    }

    /// The processor times of a blocking send, a posted send and a receive of a worker.
    pub(super) fn overheads(&self, worker: usize) -> [PiecewiseTime; 3] {
        self.overheads.of(self.host(worker))
    }

    /// The links, and the numbers of those from each worker to each worker, in the order of senders
    /// and then of receivers. The way of a worker to itself has none.
    ///
    /// Of a link that gives each transfer the whole bandwidth every pair of workers has a copy.
    pub(super) fn routes(&self) -> (Vec<LinkCosts>, Vec<Vec<usize>>) {
        let cost = |link: &Link| (link.bandwidth.get(), link.latency.get());
        let mut links: Vec<LinkCosts> = self.topology.links.iter().map(cost).collect();
        let mut routes = Vec::new();
        for (from, to) in
            (0..self.workers()).flat_map(|from| (0..self.workers()).map(move |to| (from, to)))
        {
            let way = self
                .topology
                .route(self.host(from), self.host(to))
                .filter(|_| from != to)
                .unwrap_or_default();
            let own = |link: LinkId| {
                let shared = &self.topology.links[link.index()];
                if !shared.is_fatpipe {
                    return link.index();
                }
                links.push(cost(shared));
                links.len() - 1
            };
            routes.push(way.into_iter().map(own).collect());
        }
        (links, routes)
    }
}

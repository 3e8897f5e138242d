use std::collections::BTreeMap;

use orrery_base::units::{BytesPerSecond, Seconds};

/// A host of a topology, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// A link of a topology, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl HostId {
    /// The number as an index into arrays per host.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// The number as an index into arrays per link.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A host: its name, the speed of each core, and the number of cores.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// The name.
    pub name: String,
    /// Floating-point operations per second of one core.
    pub speed: f64,
    /// The number of cores.
    pub cores: u32,
}

/// A network link between hosts and switches.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The name.
    pub name: String,
    /// The bandwidth, in bytes per second.
    pub bandwidth: BytesPerSecond,
    /// The latency that each message pays.
    pub latency: Seconds,
    /// True if each transfer has the whole bandwidth (SimGrid's FATPIPE); false if transfers share
    /// it.
    pub is_fatpipe: bool,
}

/// The two links that the messages between a group of hosts and all others share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uplink {
    /// The link for messages that leave the group.
    pub up: LinkId,
    /// The link for messages to the group.
    pub down: LinkId,
}

/// The links that connect a host of a cluster to the other hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    /// The link for outgoing messages.
    pub up: LinkId,
    /// The link for incoming messages; may be the same one.
    pub down: LinkId,
    /// The links of a group of hosts to the others, if the host belongs to one.
    pub uplink: Option<Uplink>,
    /// The link between the ports of the cluster, if any.
    pub backbone: Option<LinkId>,
    /// The link of messages within the host, if any.
    pub loopback: Option<LinkId>,
    /// The number of the cluster; ports connect hosts of the same cluster only.
    pub cluster: u32,
}

/// Hosts, links and the routes between hosts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The links.
    pub links: Vec<Link>,
    /// The port of each host; `None` for hosts outside clusters.
    pub ports: Vec<Option<Port>>,
    /// Explicit routes; they take precedence over ports.
    pub routes: BTreeMap<(HostId, HostId), Vec<LinkId>>,
}

impl Topology {
    /// The links from one host to another, in order: the explicit route, or the ports of the hosts;
    /// `None` without a route.
    ///
    /// In a cluster without loopback links, messages within a host use its outgoing and its
    /// incoming link.
    pub fn route(&self, from: HostId, to: HostId) -> Option<Vec<LinkId>> {
        let mut links = Vec::new();
        self.append_route(from, to, &mut links).then_some(links)
    }

    /// Appends the links of [`Topology::route`] to `links`; returns false without a route, and
    /// `links` may then have some links more.
    pub fn append_route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        if let Some(route) = self.routes.get(&(from, to)) {
            links.extend_from_slice(route);
            return true;
        }
        let port = |host: HostId| self.ports.get(host.index()).copied().flatten();
        let (Some(near), Some(far)) = (port(from), port(to)) else { return false };
        if let (true, Some(loopback)) = (from == to, near.loopback) {
            links.push(loopback);
            return true;
        }
        links.push(near.up);
        let [out, back] =
            if near.uplink == far.uplink { [None, None] } else { [near.uplink, far.uplink] };
        links.extend(out.map(|uplink| uplink.up));
        links.extend(near.backbone);
        links.extend(back.map(|uplink| uplink.down));
        links.push(far.down);
        near.cluster == far.cluster
    }

    /// Adds a link with a bandwidth in bytes per second and a latency in seconds.
    pub fn add_link(
        &mut self,
        name: String,
        (bandwidth, latency): (f64, f64),
        is_fatpipe: bool,
    ) -> LinkId {
        let (bandwidth, latency) = (BytesPerSecond::new(bandwidth), Seconds::new(latency));
        self.links.push(Link { name, bandwidth, latency, is_fatpipe });
        LinkId(self.links.len() as u32 - 1)
    }

    /// The host with this name; `None` if there is none.
    pub fn host(&self, name: &str) -> Option<HostId> {
        self.hosts.iter().position(|host| host.name == name).map(|place| HostId(place as u32))
    }
}

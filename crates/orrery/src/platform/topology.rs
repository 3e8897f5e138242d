use std::collections::BTreeMap;

use crate::units::{BytesPerSecond, Seconds};

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

/// A host: its name, how fast each of its cores is, and how many there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// The name.
    pub name: String,
    /// Floating-point operations per second of one core.
    pub speed: f64,
    /// Cores.
    pub cores: u32,
}

/// A link between hosts and switches.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The name.
    pub name: String,
    /// What it carries.
    pub bandwidth: BytesPerSecond,
    /// What a message waits in it.
    pub latency: Seconds,
    /// Whether every transfer has the whole bandwidth for itself.
    pub is_fatpipe: bool,
}

/// How a host of a cluster is joined to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    /// The link on the way out.
    pub up: LinkId,
    /// The link on the way in; may be the same.
    pub down: LinkId,
    /// The link that joins the switch, where there is one.
    pub backbone: Option<LinkId>,
    /// The link to itself, where there is one.
    pub loopback: Option<LinkId>,
    /// The cluster; only hosts of one cluster are joined by their ports.
    pub cluster: u32,
}

/// Hosts, links and the routes between hosts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The links.
    pub links: Vec<Link>,
    /// For each host that belongs to a cluster, its port.
    pub ports: Vec<Option<Port>>,
    /// Routes that are told one by one.
    pub routes: BTreeMap<(HostId, HostId), Vec<LinkId>>,
}

impl Topology {
    /// The links from a host to another, in order: as told, or through their ports; `None` where nothing joins them.
    ///
    /// In a cluster without loopback, messages from a host to itself go out through its port and come back.
    pub fn route(&self, from: HostId, to: HostId) -> Option<Vec<LinkId>> {
        let mut links = Vec::new();
        self.append_route(from, to, &mut links).then_some(links)
    }

    /// Adds the links of [`Topology::route`] to others; tells whether there is a route.
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
        links.extend(near.backbone);
        links.push(far.down);
        near.cluster == far.cluster
    }

    /// The host of this name.
    pub fn host(&self, name: &str) -> Option<HostId> {
        self.hosts.iter().position(|host| host.name == name).map(|place| HostId(place as u32))
    }
}

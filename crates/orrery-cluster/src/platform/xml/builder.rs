//! A topology under construction, with its hosts and links by name.

use std::collections::BTreeMap;

use super::element::{Element, duplicate, invalid_value, too_many, undefined};
use crate::platform::host_names::name_memory;
use crate::platform::{Host, HostId, LinkId, Port, Topology};
use orrery_base::budget::Budget;
use orrery_base::file::{Fault, Result};

/// The maximum number of hosts, and of cores, of a platform.
pub(super) const MAX_HOSTS: usize = 1 << 20;

/// The hosts, links and routes read so far.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) topology: Topology,
    pub(super) clusters: u32,
    cores: u64,
    budget: Budget,
    /// The memory of the names of hosts and links, in bytes.
    memory: u64,
    hosts: BTreeMap<String, HostId>,
    /// Links by name: up and down; the same one twice if the directions share it.
    links: BTreeMap<String, [LinkId; 2]>,
}

impl Builder {
    /// An empty platform, of a text of this number of bytes.
    pub(super) fn new(length: usize) -> Self {
        let budget = Budget::of_input(length as u64);
        let (hosts, links) = (BTreeMap::new(), BTreeMap::new());
        Self {
            topology: Topology::default(),
            clusters: 0,
            cores: 0,
            budget,
            memory: 0,
            hosts,
            links,
        }
    }

    /// Returns the host whose name is the value of an attribute; an error at the element if it is
    /// not defined.
    pub(super) fn find_host(
        &self,
        element: Element<'_>,
        attribute: &'static str,
    ) -> Result<HostId> {
        let name = element.require(attribute)?;
        let fault = || undefined("host", name);
        self.hosts.get(name).copied().ok_or_else(|| element.error(fault()))
    }

    /// The links, up and down, of the name in the attribute `id`; an error if it is not defined.
    pub(super) fn find_links(&self, element: Element<'_>) -> Result<[LinkId; 2]> {
        let name = element.require("id")?;
        let fault = || undefined("link", name);
        self.links.get(name).copied().ok_or_else(|| element.error(fault()))
    }

    /// Adds a host and registers its name.
    pub(super) fn add_host(&mut self, element: Element<'_>, host: Host) -> Result<HostId> {
        let name = host.name.clone();
        let number = self.push_host(element, host, None)?;
        match self.hosts.insert(name.clone(), number) {
            Some(_) => Err(element.error(duplicate("host", &name))),
            None => Ok(number),
        }
    }

    /// Adds a host without registering its name; see [`Builder::register_names`]. `port` is `None`
    /// for a host outside of clusters.
    pub(super) fn push_host(
        &mut self,
        element: Element<'_>,
        host: Host,
        port: Option<Port>,
    ) -> Result<HostId> {
        let number = HostId(self.topology.hosts.len() as u32);
        self.cores += u64::from(host.cores);
        if number.index() >= MAX_HOSTS || self.cores > MAX_HOSTS as u64 {
            return Err(element.error(too_many(MAX_HOSTS)));
        }
        self.memory += name_memory(host.name.len());
        self.check_memory(element)?;
        self.topology.hosts.push(host);
        self.topology.ports.push(port);
        Ok(number)
    }

    /// Adds a link of `costs` (bandwidth in bytes per second, latency in seconds) and registers its
    /// name.
    pub(super) fn add_link(
        &mut self,
        element: Element<'_>,
        name: &str,
        costs: (f64, f64),
        is_fatpipe: bool,
    ) -> Result<LinkId> {
        let number = self.push_link(name.to_owned(), costs, is_fatpipe);
        self.check_memory(element)?;
        self.name_links(element, name, [number; 2])?;
        Ok(number)
    }

    /// Registers a name of links, up and down; an error at the element if the name is taken.
    pub(super) fn name_links(
        &mut self,
        element: Element<'_>,
        name: &str,
        links: [LinkId; 2],
    ) -> Result<()> {
        match self.links.insert(name.to_owned(), links) {
            Some(_) => Err(element.error(duplicate("link", name))),
            None => Ok(()),
        }
    }

    /// Adds a link with bandwidth in bytes per second and latency in seconds without registering
    /// its name; see [`Builder::register_names`].
    pub(super) fn push_link(
        &mut self,
        name: String,
        costs: (f64, f64),
        is_fatpipe: bool,
    ) -> LinkId {
        self.memory += name_memory(name.len());
        self.topology.add_link(name, costs, is_fatpipe)
    }

    /// Returns an error at the element if the names of hosts and links exceed the budget of memory.
    fn check_memory(&self, element: Element<'_>) -> Result<()> {
        let within = self.budget.check_memory("the platform up to here", self.memory);
        within.map_err(|error| element.error(error))
    }

    /// The numbers that the next host and link will have; an error if `hosts` more hosts are too
    /// many.
    pub(super) fn begin_cluster(
        &self,
        element: Element<'_>,
        hosts: usize,
    ) -> Result<(HostId, LinkId)> {
        let Topology { hosts: before, links, .. } = &self.topology;
        if before.len() + hosts > MAX_HOSTS {
            return Err(element.error(too_many(MAX_HOSTS)));
        }
        Ok((HostId(before.len() as u32), LinkId(links.len() as u32)))
    }

    /// Registers the names of the hosts and links from these numbers on.
    pub(super) fn register_names(
        &mut self,
        element: Element<'_>,
        (host, link): (HostId, LinkId),
    ) -> Result<()> {
        let hosts = self.topology.hosts[host.index()..].iter().map(|host| host.name.clone());
        let hosts = hosts.zip((host.0..).map(HostId)).collect();
        insert_all(&mut self.hosts, hosts)
            .map_err(|name: String| element.error(duplicate("host", &name)))?;
        let links = self.topology.links[link.index()..].iter().map(|link| link.name.clone());
        let links = links.zip((link.0..).map(|number| [LinkId(number); 2])).collect();
        insert_all(&mut self.links, links)
            .map_err(|name: String| element.error(duplicate("link", &name)))
    }
}

/// Inserts names into a map. Large sets are sorted and merged, which is faster than one insertion
/// after the other.
///
/// # Errors
///
/// A duplicate name; the map may then hold some of the new names.
fn insert_all<T>(map: &mut BTreeMap<String, T>, mut new: Vec<(String, T)>) -> Result<(), String> {
    // Merging visits all names, so that it does not pay for many small clusters.
    if new.len() < map.len() / 16 {
        for (name, value) in new {
            if map.contains_key(&name) {
                return Err(name);
            }
            map.insert(name, value);
        }
        return Ok(());
    }
    new.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(two) = new.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(two[0].0.clone());
    }
    let mut old = map.keys().peekable();
    for (name, _) in &new {
        while old.next_if(|old| *old < name).is_some() {}
        if old.peek() == Some(&name) {
            return Err(name.clone());
        }
    }
    map.append(&mut new.into_iter().collect());
    Ok(())
}

/// The numbers of a radical: single numbers and ranges, separated by commas or semicolons, as in
/// `0-99;120`.
pub(super) fn radical_numbers(text: &str) -> Result<Vec<u32>, Fault> {
    let invalid = || {
        invalid_value(
            "radical",
            text,
            "numbers and ranges are expected, such as \
        \"0-99;120\"",
        )
    };
    let mut numbers = Vec::new();
    for part in text.split([',', ';']).map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| invalid());
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(invalid());
        }
        if (last - first) as usize >= MAX_HOSTS - numbers.len() {
            return Err(too_many(MAX_HOSTS));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

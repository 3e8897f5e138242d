use std::collections::BTreeMap;

use roxmltree::{Document, ParsingOptions};

use super::cluster::cluster;
use super::element::{Element, LATENCY_EXPECTED, RATE_EXPECTED, Result, SPEED_EXPECTED};
use super::error::{Fault, XmlError};
use super::names::add_all;
use super::radical::MOST;
use crate::platform::quantity::{RATE, SECONDS, SPEED};
use crate::platform::{Host, HostId, Link, LinkId, Port, Topology};
use crate::units::{BytesPerSecond, Seconds};

/// Reads a platform; `file` is its name in errors.
///
/// Zones are taken as what is in them; routes between zones are not understood.
///
/// # Errors
///
/// What is wrong, with line and column.
pub fn parse(text: &str, file: &str) -> std::result::Result<Topology, XmlError> {
    let error = |line, column, fault| XmlError { file: file.to_owned(), line, column, fault };
    let options = ParsingOptions { allow_dtd: true, nodes_limit: 1 << 22, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|reason| {
        let position = reason.pos();
        error(position.row, position.col, Fault::Syntax(reason.to_string()))
    })?;
    platform(Element(document.root_element())).map_err(|refused| {
        let position = document.text_pos_at(refused.byte);
        error(position.row, position.col, refused.fault)
    })
}

fn platform(root: Element<'_>) -> Result<Topology> {
    if root.name() != "platform" {
        return Err(root.refuse(Fault::NoPlatform(root.name().to_owned())));
    }
    let mut reader = Reader::default();
    let mut zones = vec![root];
    while let Some(zone) = zones.pop() {
        for element in zone.children() {
            match element.name() {
                "zone" | "AS" => zones.push(element),
                "cluster" => cluster(&mut reader, element)?,
                "host" => {
                    let name = element.need("id")?.to_owned();
                    let speed = element.needed("speed", SPEED, false, SPEED_EXPECTED)?;
                    let cores = element.cores()?;
                    reader.host(element, Host { name, speed, cores })?;
                }
                "link" => reader.plain_link(element)?,
                "route" => reader.route(element)?,
                "config" | "prop" | "router" => {}
                _ => return Err(element.unknown()),
            }
        }
    }
    if reader.topology.hosts.is_empty() { Err(root.refuse(Fault::Empty)) } else { Ok(reader.topology) }
}

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) topology: Topology,
    pub(super) clusters: u32,
    cores: u64,
    hosts: BTreeMap<String, HostId>,
    /// Links in each direction; the same one twice where they share it.
    links: BTreeMap<String, [LinkId; 2]>,
}

impl Reader {
    fn host(&mut self, element: Element<'_>, host: Host) -> Result<()> {
        let name = host.name.clone();
        let number = self.unnamed_host(element, host, None)?;
        match self.hosts.insert(name.clone(), number) {
            Some(_) => Err(element.refuse(Fault::Twice { kind: "host", name })),
            None => Ok(()),
        }
    }

    /// Adds a host whose name is not known yet, see [`Reader::name_all`].
    pub(super) fn unnamed_host(&mut self, element: Element<'_>, host: Host, port: Option<Port>) -> Result<HostId> {
        let number = HostId(self.topology.hosts.len() as u32);
        self.cores += u64::from(host.cores);
        if number.index() >= MOST || self.cores > MOST as u64 {
            return Err(element.refuse(Fault::TooMany(MOST)));
        }
        self.topology.hosts.push(host);
        self.topology.ports.push(port);
        Ok(number)
    }

    fn link(&mut self, element: Element<'_>, name: String, costs: (f64, f64), is_fatpipe: bool) -> Result<LinkId> {
        let number = self.unnamed_link(name.clone(), costs, is_fatpipe);
        match self.links.insert(name.clone(), [number; 2]) {
            Some(_) => Err(element.refuse(Fault::Twice { kind: "link", name })),
            None => Ok(number),
        }
    }

    /// Adds a link of a bandwidth and a latency whose name is not known yet, see [`Reader::name_all`].
    pub(super) fn unnamed_link(&mut self, name: String, (bandwidth, latency): (f64, f64), is_fatpipe: bool) -> LinkId {
        let number = LinkId(self.topology.links.len() as u32);
        let (bandwidth, latency) = (BytesPerSecond::new(bandwidth), Seconds::new(latency));
        self.topology.links.push(Link { name, bandwidth, latency, is_fatpipe });
        number
    }

    /// Begins a cluster of so many hosts; gives what its own hosts and links are numbered from.
    pub(super) fn begin_cluster(&self, element: Element<'_>, hosts: usize) -> Result<(HostId, LinkId)> {
        let Topology { hosts: before, links, .. } = &self.topology;
        if before.len() + hosts > MOST {
            return Err(element.refuse(Fault::TooMany(MOST)));
        }
        Ok((HostId(before.len() as u32), LinkId(links.len() as u32)))
    }

    /// Makes the names of hosts and links known from these numbers on.
    pub(super) fn name_all(&mut self, element: Element<'_>, (host, link): (HostId, LinkId)) -> Result<()> {
        let hosts = self.topology.hosts[host.index()..].iter().map(|host| host.name.clone());
        let hosts = hosts.zip((host.0..).map(HostId)).collect();
        add_all(&mut self.hosts, hosts).map_err(|name| element.refuse(Fault::Twice { kind: "host", name }))?;
        let links = self.topology.links[link.index()..].iter().map(|link| link.name.clone());
        let links = links.zip((link.0..).map(|number| [LinkId(number); 2])).collect();
        add_all(&mut self.links, links).map_err(|name| element.refuse(Fault::Twice { kind: "link", name }))
    }

    /// `<link>`; one that is split is two links.
    fn plain_link(&mut self, element: Element<'_>) -> Result<()> {
        let name = element.need("id")?;
        let bandwidth = element.needed("bandwidth", RATE, false, RATE_EXPECTED)?;
        let latency = element.quantity("latency", SECONDS, true, LATENCY_EXPECTED)?.unwrap_or(0.0);
        let policies = [("SHARED", (false, false)), ("SPLITDUPLEX", (false, true)), ("FATPIPE", (true, false))];
        let expected = "SHARED, SPLITDUPLEX or FATPIPE should stand there";
        let (is_fatpipe, is_split) = element.one_of("sharing_policy", &policies, expected)?;
        if is_split {
            let up = self.link(element, format!("{name}_UP"), (bandwidth, latency), false)?;
            let down = self.link(element, format!("{name}_DOWN"), (bandwidth, latency), false)?;
            if self.links.insert(name.to_owned(), [up, down]).is_some() {
                return Err(element.refuse(Fault::Twice { kind: "link", name: name.to_owned() }));
            }
            return Ok(());
        }
        self.link(element, name.to_owned(), (bandwidth, latency), is_fatpipe).map(|_| ())
    }

    /// `<route>`: symmetrical unless told, links in reverse order and direction on the way back.
    fn route(&mut self, element: Element<'_>) -> Result<()> {
        let ends = ["src", "dst"].map(|attribute| {
            let name = element.need(attribute)?;
            let fault = || Fault::NoSuch { kind: "host", name: name.to_owned() };
            self.hosts.get(name).copied().ok_or_else(|| element.refuse(fault()))
        });
        let [from, to] = ends;
        let (from, to) = (from?, to?);
        let answers = [("YES", true), ("NO", false)];
        let both = element.one_of("symmetrical", &answers, "YES or NO should stand there")?;
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for part in element.children() {
            if part.name() != "link_ctn" {
                return Err(part.unknown());
            }
            let name = part.need("id")?;
            let fault = || Fault::NoSuch { kind: "link", name: name.to_owned() };
            let links = self.links.get(name).copied().ok_or_else(|| part.refuse(fault()))?;
            let directions = [("NONE", 0), ("UP", 0), ("DOWN", 1)];
            let direction = part.one_of("direction", &directions, "UP, DOWN or NONE should stand there")?;
            there.push(links[direction]);
            back.push(links[1 - direction]);
        }
        back.reverse();
        self.topology.routes.insert((from, to), there);
        if both && from != to {
            self.topology.routes.insert((to, from), back);
        }
        Ok(())
    }
}

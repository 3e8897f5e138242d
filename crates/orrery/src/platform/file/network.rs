//! What a cluster file says of the network: how hosts are joined, and how their transfers share links.

use super::table::{Node, Result, Table};
use crate::file::Located;
use crate::platform::quantity::{RATE, SECONDS, SPEED};
use crate::platform::{Host, Link, LinkId, Port, Topology};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// The keys of `[links]`.
const LINKS: [&str; 6] = ["bandwidth", "latency", "eager", "buffer", "backbone", "memory"];

/// The keys of a link.
const LINK: [&str; 2] = ["bandwidth", "latency"];

/// The laws of sharing that a cluster file may name, each with its parameters.
pub const SHARING_LAWS: [(&str, &[&str]); 8] = [
    ("maxmin", &[]),
    ("gige", &["beta", "gamma_out", "gamma_in"]),
    ("myrinet", &[]),
    ("infiniband", &["beta_out", "beta_in", "gamma"]),
    ("simgrid-cm02", &[]),
    ("simgrid-lv08", &[]),
    ("simgrid-smpi", &[]),
    ("simgrid-ib", &[]),
];

const RATE_EXPECTED: &str = "a rate above 0, such as \"125MBps\", \"1Gbps\" or 125e6 (bytes per second)";
const LATENCY_EXPECTED: &str = "a time from 0 up, such as \"50us\" or 50e-6 (seconds)";
const SPEED_EXPECTED: &str = "a speed above 0, such as \"2Gf\" or 2e9 (operations per second)";
const LINK_EXPECTED: &str = "a table with bandwidth and latency";

/// How transfers share links, as a cluster file says.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingSection {
    /// The word of the law, one of [`SHARING_LAWS`].
    pub law: &'static str,
    /// Its parameters by name: all that it has, or none.
    pub parameters: Vec<(&'static str, f64)>,
}

/// A cluster on which applications can be simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Hosts, and the links that join them to a switch.
    pub topology: Topology,
    /// The law by which transfers share links, where the file names one.
    pub sharing: Option<SharingSection>,
    /// Sends of fewer bytes do not wait for their receive, where the file says so.
    pub eager: Option<Bytes>,
    /// What such messages fill at most at a receiver that has not asked for them, where the file says so.
    pub buffer: Option<Bytes>,
}

/// A link as it is told: bytes per second, and seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Wire {
    bandwidth: Option<f64>,
    latency: Option<f64>,
}

/// `[links]`: what all hosts have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Links {
    wire: Wire,
    backbone: Option<(f64, f64)>,
    memory: Option<(f64, f64)>,
    pub(super) eager: Option<Bytes>,
    pub(super) buffer: Option<Bytes>,
}

/// What an entry of hosts says besides: the speed of its cores, its links, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OfHosts {
    pub(super) speed: Option<f64>,
    pub(super) wire: Option<Wire>,
}

pub(super) fn of_hosts(table: &Table<'_, '_>) -> Result<OfHosts> {
    let speed = table.get("speed").map(|node| node.quantity(SPEED, false, SPEED_EXPECTED)).transpose()?;
    let link = table.get("link").map(|node| node.table(LINK_EXPECTED).and_then(|table| wire(&table, &LINK)));
    Ok(OfHosts { speed, wire: link.transpose()? })
}

fn wire(table: &Table<'_, '_>, known: &[&'static str]) -> Result<Wire> {
    table.only(known, &[])?;
    Ok(Wire {
        bandwidth: table.get("bandwidth").map(|node| node.quantity(RATE, false, RATE_EXPECTED)).transpose()?,
        latency: table.get("latency").map(|node| node.quantity(SECONDS, true, LATENCY_EXPECTED)).transpose()?,
    })
}

/// A link of its own, with everything told.
fn whole(node: &Node<'_, '_>) -> Result<(f64, f64)> {
    let table = node.table(LINK_EXPECTED)?;
    let told = wire(&table, &LINK)?;
    table.needed("bandwidth", RATE_EXPECTED)?;
    Ok((told.bandwidth.unwrap_or_default(), told.latency.unwrap_or_default()))
}

pub(super) fn links(node: &Node<'_, '_>) -> Result<Links> {
    let table = node.table("a table [links] with bandwidth and latency")?;
    let wire = wire(&table, &LINKS)?;
    let own = |key| table.get(key).map(|node| whole(&node)).transpose();
    let limit = |key| table.get(key).map(|node| super::reader::size(&node)).transpose();
    let (eager, buffer) = (limit("eager")?, limit("buffer")?);
    Ok(Links { wire, backbone: own("backbone")?, memory: own("memory")?, eager, buffer })
}

pub(super) fn sharing(node: &Node<'_, '_>) -> Result<SharingSection> {
    const EXPECTED: &str = "maxmin, gige, myrinet, infiniband or a network of SimGrid such as simgrid-smpi, in quotes";
    let table = node.table("a table [sharing] with law")?;
    let named = table.needed("law", EXPECTED)?;
    let word = named.text(EXPECTED)?;
    let Some(&(law, names)) = SHARING_LAWS.iter().find(|(law, _)| *law == word) else {
        return Err(named.expected(EXPECTED));
    };
    table.only(&[&["law"], names].concat(), &[])?;
    let mut parameters = Vec::new();
    for &name in names {
        if names.iter().any(|other| table.get(other).is_some()) {
            let value = table.needed(name, "the law takes all its parameters, or none")?;
            parameters.push((name, value.number(-1e6..=1e6, "a number")?));
        }
    }
    Ok(SharingSection { law, parameters })
}

/// The crossbar: each host with a link to the switch and one from it.
pub(super) fn topology<'a>(
    hosts: impl Iterator<Item = (&'a Table<'a, 'a>, &'a [String], u32, OfHosts)>,
    common: Links,
) -> Result<Topology> {
    let mut topology = Topology::default();
    let add = |links: &mut Vec<Link>, name: String, bandwidth: f64, latency: f64, is_fatpipe: bool| {
        links.push(Link {
            name,
            bandwidth: BytesPerSecond::new(bandwidth),
            latency: Seconds::new(latency),
            is_fatpipe,
        });
        LinkId(links.len() as u32 - 1)
    };
    let links = &mut topology.links;
    let backbone = common.backbone.map(|(rate, latency)| add(links, "backbone".into(), rate, latency, false));
    for (table, names, cores, told) in hosts {
        let missing = |key, hint| Located { byte: table.place("names"), fault: super::Fault::Missing { key, hint } };
        let speed = told.speed.ok_or_else(|| missing("speed", SPEED_EXPECTED))?;
        let own = |of: fn(Wire) -> Option<f64>| told.wire.and_then(of).or(of(common.wire));
        let bandwidth = own(|wire| wire.bandwidth)
            .ok_or_else(|| missing("link", "bandwidth and latency, here or for all hosts in [links]"))?;
        let latency = own(|wire| wire.latency).unwrap_or_default();
        for name in names {
            let up = add(links, format!("{name}_up"), bandwidth, latency, false);
            let down = add(links, format!("{name}_down"), bandwidth, latency, false);
            let memory = common.memory.map(|(rate, wait)| add(links, format!("{name}_memory"), rate, wait, true));
            topology.hosts.push(Host { name: name.clone(), speed, cores });
            topology.ports.push(Some(Port { up, down, backbone, loopback: memory, cluster: 0 }));
        }
    }
    Ok(topology)
}

//! The network of a cluster file: links of hosts, and the sharing law.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use super::assumption::Assumption;
use super::table::{Node, Table, missing};
use crate::platform::quantity::{RATE, SECONDS, SPEED};
use crate::platform::xml::LocatedSetting;
use crate::platform::{
    Host, HostId, HostOverheads, Overheads, PiecewiseTime, Port, Topology, Uplink, host_names,
};
use crate::sharing::{LAWS, LawKind, law_names};
use orrery_base::file::{Fault, Result};
use orrery_base::names::advice;
use orrery_base::units::Bytes;

/// The keys of `[links]`.
const LINKS_KEYS: [&str; 6] = ["bandwidth", "latency", "eager", "buffer", "backbone", "memory"];

/// The keys of a link.
const LINK_KEYS: [&str; 2] = ["bandwidth", "latency"];

/// The keys of an entry of `[[uplinks]]`.
const UPLINK_KEYS: [&str; 3] = ["hosts", "bandwidth", "latency"];

/// The network models of SimGrid that a cluster file can name besides the sharing laws; they have
/// no parameters.
pub const SIMGRID_NETWORKS: [&str; 4] =
    ["simgrid-cm02", "simgrid-lv08", "simgrid-smpi", "simgrid-ib"];

/// The description of the value of `law` in messages.
static LAW_EXPECTED: LazyLock<String> =
    LazyLock::new(|| format!("{}, {}, in quotes", law_names(), SIMGRID_NETWORKS.join(", ")));

/// The valid values of a bandwidth.
const RATE_EXPECTED: &str =
    "a rate above 0, such as \"125MBps\", \"1Gbps\" or 125e6 (bytes per second)";
/// The valid values of a latency.
const LATENCY_EXPECTED: &str = "a time from 0 up, such as \"50us\" or 50e-6 (seconds)";
/// The valid values of a speed.
const SPEED_EXPECTED: &str = "a speed above 0, such as \"2Gf\" or 2e9 (operations per second)";
/// The valid values of a delay.
const DELAY_EXPECTED: &str = "a time from 0 up, such as \"500us\" or 5e-4 (seconds)";
/// The valid values of a delay per byte.
const BYTE_DELAY_EXPECTED: &str = "a time per byte from 0 up, such as \"50ns\" or 50e-9 (seconds)";
/// The valid values of the hosts of an uplink.
const UPLINK_HOSTS_EXPECTED: &str = "hosts of [[hosts]] in quotes, such as \"node[2-5]\"";
/// The valid values of a link.
const LINK_EXPECTED: &str = "a table with bandwidth and latency";

/// The section `[sharing]` of a cluster file.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingSection {
    /// The name of a sharing law, or one of [`SIMGRID_NETWORKS`].
    pub law: &'static str,
    /// The parameters by name: all of them, or none.
    pub parameters: Vec<(&'static str, f64)>,
}

/// The network of a cluster file or of a platform of SimGrid, for simulations.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Its file.
    pub path: PathBuf,
    /// Hosts, and their links to a switch.
    pub topology: Topology,
    /// The processor time of sends and receives: `fixed_delay` + `byte_delay` · size of the host.
    pub overheads: HostOverheads,
    /// The sharing law, if the file names one.
    pub sharing: Option<SharingSection>,
    /// The eager limit: smaller sends complete without their receive. `None` if the file has none.
    pub eager: Option<Bytes>,
    /// The buffer of a receiver for messages whose receive is not posted. `None` if the file has
    /// none.
    pub buffer: Option<Bytes>,
    /// The settings of a platform that change times, in the order of the file.
    pub settings: Vec<LocatedSetting>,
    /// What simulations assume where a cluster file has no value; a platform of SimGrid has all.
    pub assumed: Vec<Assumption>,
}

/// Bandwidth in bytes per second and latency in seconds of a link, as far as given.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct LinkCosts {
    bandwidth: Option<f64>,
    latency: Option<f64>,
}

/// The section `[links]`: the links of all hosts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CommonLinks {
    costs: LinkCosts,
    backbone: Option<LinkCosts>,
    memory: Option<LinkCosts>,
    pub(super) eager: Option<Bytes>,
    pub(super) buffer: Option<Bytes>,
}

/// The keys of an entry of [[hosts]] for simulations: speed of the cores, link, delays of messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HostNetwork {
    pub(super) speed: Option<f64>,
    pub(super) link: Option<LinkCosts>,
    /// The processor time of each send and receive, in seconds, and per byte.
    pub(super) delay: Option<(f64, f64)>,
}

/// Parses the keys of an entry of [[hosts]] for simulations; all of them may be missing.
pub(super) fn host_network(table: &Table<'_, '_>) -> Result<HostNetwork> {
    let speed =
        table.get("speed").map(|node| node.quantity(SPEED, false, SPEED_EXPECTED)).transpose()?;
    let link = table
        .get("link")
        .map(|node| node.table(LINK_EXPECTED).and_then(|table| link_costs(&table, &LINK_KEYS)));
    let delay = |key, expected| {
        table.get(key).map(|node| node.quantity(SECONDS, true, expected)).transpose()
    };
    let fixed = delay("fixed_delay", DELAY_EXPECTED)?;
    let per_byte = delay("byte_delay", BYTE_DELAY_EXPECTED)?;
    let delay =
        fixed.or(per_byte).map(|_| (fixed.unwrap_or_default(), per_byte.unwrap_or_default()));
    Ok(HostNetwork { speed, link: link.transpose()?, delay })
}

/// Parses bandwidth and latency of a table, as far as given; `known` are all keys that it may have.
fn link_costs(table: &Table<'_, '_>, known: &[&'static str]) -> Result<LinkCosts> {
    table.check_keys(known, &[])?;
    Ok(LinkCosts {
        bandwidth: table
            .get("bandwidth")
            .map(|node| node.quantity(RATE, false, RATE_EXPECTED))
            .transpose()?,
        latency: table
            .get("latency")
            .map(|node| node.quantity(SECONDS, true, LATENCY_EXPECTED))
            .transpose()?,
    })
}

impl LinkCosts {
    /// Bandwidth in bytes per second and latency in seconds of these links; a latency that is not
    /// given is 0, which is added to what is assumed.
    fn complete(self, links: impl FnOnce() -> String, assumed: &mut Vec<Assumption>) -> (f64, f64) {
        if self.latency.is_none() {
            assumed.push(Assumption::Latency { links: links() });
        }
        (self.bandwidth.unwrap_or_default(), self.latency.unwrap_or_default())
    }
}

/// Parses a link that must have a bandwidth.
fn complete_link(node: &Node<'_, '_>) -> Result<LinkCosts> {
    let table = node.table(LINK_EXPECTED)?;
    let costs = link_costs(&table, &LINK_KEYS)?;
    table.require("bandwidth", RATE_EXPECTED)?;
    Ok(costs)
}

/// Parses the section `[links]`.
pub(super) fn links(node: &Node<'_, '_>) -> Result<CommonLinks> {
    let table = node.table("a table [links] with bandwidth and latency")?;
    let costs = link_costs(&table, &LINKS_KEYS)?;
    let own = |key| table.get(key).map(|node| complete_link(&node)).transpose();
    let limit = |key| table.get(key).map(|node| node.size()).transpose();
    let (eager, buffer) = (limit("eager")?, limit("buffer")?);
    Ok(CommonLinks { costs, backbone: own("backbone")?, memory: own("memory")?, eager, buffer })
}

/// Parses the section `[sharing]`: the name of a law and either all its parameters or none.
pub(super) fn sharing(node: &Node<'_, '_>) -> Result<SharingSection> {
    let table = node.table("a table [sharing] with law")?;
    let named = table.require("law", &LAW_EXPECTED)?;
    let name = named.text(&LAW_EXPECTED)?;
    let simgrid = || {
        SIMGRID_NETWORKS
            .into_iter()
            .find(|network| *network == name)
            .map(|network| (network, Vec::new()))
    };
    let law =
        LawKind::from_name(name).map(|kind| (kind.name, kind.parameter_names().collect())).ok();
    let Some((law, names)) = law.or_else(simgrid) else {
        let known = LAWS.iter().map(|kind| kind.name).chain(SIMGRID_NETWORKS);
        let advice = advice(name, "laws", known);
        return Err(named.error(format!("{name:?} is no law of sharing; {advice}")));
    };
    table.check_keys(&[&["law"], names.as_slice()].concat(), &[])?;
    let mut parameters = Vec::new();
    for &name in &names {
        if names.iter().any(|other| table.get(other).is_some()) {
            let value = table.require(name, "the law takes all its parameters, or none")?;
            parameters.push((name, value.number(-1e6..=1e6, "a number")?));
        }
    }
    Ok(SharingSection { law, parameters })
}

/// The overheads of the hosts that have delays; the iterator has the names of the hosts of each
/// entry, which are numbered as in [`topology`].
pub(super) fn overheads<'a>(
    hosts: impl Iterator<Item = (&'a [String], HostNetwork)>,
) -> HostOverheads {
    let mut overheads = HostOverheads::default();
    let mut first = 0;
    for (names, network) in hosts {
        let numbers = first..first + names.len() as u32;
        first = numbers.end;
        if let Some((fixed, per_byte)) = network.delay {
            let time = Some(PiecewiseTime::new(vec![(0, fixed, per_byte)]));
            let own = Overheads { send: time.clone(), posted_send: time.clone(), receive: time };
            overheads.hosts.extend(numbers.map(|number| (HostId(number), own.clone())));
        }
    }
    overheads
}

/// Parses an entry of `[[uplinks]]` and adds its two links to the ports of its hosts, which must be
/// in the topology and behind no other uplink.
pub(super) fn add_uplink(
    table: &Table<'_, '_>,
    topology: &mut Topology,
    assumed: &mut Vec<Assumption>,
) -> Result<()> {
    let costs = link_costs(table, &UPLINK_KEYS)?;
    table.require("bandwidth", RATE_EXPECTED)?;
    let node = table.require("hosts", UPLINK_HOSTS_EXPECTED)?;
    let text = node.text(UPLINK_HOSTS_EXPECTED)?;
    let names = host_names(text).map_err(|error| node.error(Fault::new(error)))?;
    let costs = costs.complete(|| format!("the uplink of {text}"), assumed);
    let mut add = |direction| topology.add_link(format!("{text}_{direction}"), costs, false);
    let uplink = Uplink { up: add("up"), down: add("down") };
    let numbers: BTreeMap<&str, usize> = topology
        .hosts
        .iter()
        .enumerate()
        .map(|(number, host)| (host.name.as_str(), number))
        .collect();
    for name in names {
        let number = numbers.get(name.as_str()).copied();
        let Some(port) = number.and_then(|number| topology.ports[number].as_mut()) else {
            return Err(node.error(format!(
                "the host {name:?} is not described; name hosts of \
                [[hosts]]"
            )));
        };
        if port.uplink.replace(uplink).is_some() {
            return Err(node.error(format!(
                "the host {name:?} is behind another uplink already; \
                name each host once"
            )));
        }
    }
    Ok(())
}

/// A crossbar: each host has a link to the switch and one from it. The iterator has the table, the
/// names, the cores and the keys for simulations of each entry of [[hosts]].
pub(super) fn topology<'a>(
    hosts: impl Iterator<Item = (&'a Table<'a, 'a>, &'a [String], u32, HostNetwork)>,
    common: CommonLinks,
    assumed: &mut Vec<Assumption>,
) -> Result<Topology> {
    let mut topology = Topology::default();
    let mut of_all = |costs: Option<LinkCosts>, key: &str| {
        costs.map(|costs| costs.complete(|| format!("links.{key}"), assumed))
    };
    let backbone = of_all(common.backbone, "backbone");
    let memory = of_all(common.memory, "memory");
    let backbone = backbone.map(|costs| topology.add_link("backbone".into(), costs, false));
    if memory.is_none() {
        assumed.push(Assumption::Memory);
    }
    for (table, names, cores, network) in hosts {
        let missing = |key, hint| missing(key, hint).at(table.position("names"));
        let speed = network.speed.ok_or_else(|| missing("speed", SPEED_EXPECTED))?;
        let own = |of: fn(LinkCosts) -> Option<f64>| network.link.and_then(of).or(of(common.costs));
        let bandwidth = own(|costs| costs.bandwidth).ok_or_else(|| {
            missing("link", "bandwidth and latency, here or for all hosts in [links]")
        })?;
        let costs = LinkCosts { bandwidth: Some(bandwidth), latency: own(|costs| costs.latency) };
        let text = table.get("names").and_then(|node| node.text("").ok().map(str::to_owned));
        let costs = costs.complete(|| format!("the link of {}", text.unwrap_or_default()), assumed);
        for name in names {
            let [up, down] = ["up", "down"]
                .map(|direction| topology.add_link(format!("{name}_{direction}"), costs, false));
            let loopback =
                memory.map(|costs| topology.add_link(format!("{name}_memory"), costs, true));
            topology.hosts.push(Host { name: name.clone(), speed, cores });
            let port = Port { up, down, uplink: None, backbone, loopback, cluster: 0 };
            topology.ports.push(Some(port));
        }
    }
    Ok(topology)
}

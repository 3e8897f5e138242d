use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::FILE;
use super::network::{self, HostNetwork, Network};
use super::table::{Node, Table};
use crate::platform::host_names::name_memory;
use crate::platform::{Cluster, ClusterError, HostGroup, host_names, xml};
use orrery_base::budget::Budget;
use orrery_base::file::{
    self, Fault, FileError, FileKind, Position, Result, check_kind, torn_line,
};

/// The keys of an entry of [[hosts]] that describe a [`Cluster`].
const HOST_KEYS: [&str; 6] = ["names", "kind", "cores", "processes", "memory", "price"];

/// The keys of an entry of [[hosts]] for simulations and emulations.
const HOST_NETWORK_KEYS: [&str; 4] = ["speed", "link", "fixed_delay", "byte_delay"];

/// The tables that describe the network between the hosts.
const NETWORK_KEYS: [&str; 3] = ["links", "uplinks", "sharing"];

/// The maximum number of cores of a host, and of processes on an element.
const MAX_COUNT: u32 = 1_000_000;

/// The names that are stored for each host: its own, and those of its links.
const NAMES_PER_HOST: u64 = 4;

/// The content of a cluster file.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterFile {
    /// The cluster.
    pub cluster: Cluster,
    /// Valid keys that [`Cluster`] does not use; [`network()`] reads them.
    pub unused_keys: Vec<UnusedKey>,
    /// The number of the last line if it may be incomplete; see [`torn_line`].
    pub torn_line: Option<usize>,
}

/// A valid key that a [`Cluster`] does not use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedKey {
    /// The key.
    pub key: String,
    /// The number of the line, from 1.
    pub line: usize,
}

/// Reads a cluster file.
///
/// # Errors
///
/// Errors of the system, and those of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<ClusterFile, FileError> {
    let path = path.as_ref();
    let not_text = "the file is not UTF-8 text; a cluster file is TOML";
    parse(&file::read_text(path, FILE, not_text)?, path)
}

/// Parses the text of a cluster file; `path` is its name in errors.
///
/// # Errors
///
/// Invalid TOML, unknown and missing keys, invalid values, and hosts that do not form a
/// [`Cluster`].
pub fn parse(text: &str, path: impl Into<PathBuf>) -> Result<ClusterFile, FileError> {
    let path = path.into();
    let (cluster, unused_keys, _) =
        parse_content(text, false).map_err(|located| FileError::located(&path, text, located))?;
    let unused_keys = unused_keys
        .into_iter()
        .map(|(byte, key)| UnusedKey { key, line: Position::of(text, byte).line })
        .collect();
    Ok(ClusterFile { cluster, unused_keys, torn_line: torn_line(text.as_bytes()) })
}

/// Parses the text of a cluster file for simulations: hosts on a switch, each with a link in either
/// direction.
///
/// # Errors
///
/// Those of [`parse`], and hosts without speed or link.
pub fn network(text: &str, path: impl Into<PathBuf>) -> Result<Network, FileError> {
    let path = path.into();
    match parse_content(text, true) {
        Ok((_, _, Some(network))) => Ok(Network { path, ..network }),
        Ok(_) => Err(FileError::located(&path, text, Fault::new(ClusterError::empty()).at(0))),
        Err(located) => Err(FileError::located(&path, text, located)),
    }
}

/// Parses a cluster file, or a platform of SimGrid: XML by extension or first character.
///
/// # Errors
///
/// Those of [`network`] and of [`xml::parse`].
pub fn any_network(text: &str, path: impl Into<PathBuf>) -> Result<Network, FileError> {
    let path = path.into();
    let is =
        |extension: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    let starts_as_xml = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
    if !is("xml") && (is("toml") || !starts_as_xml) {
        return network(text, path);
    }
    let network = xml::parse(text, &path.display().to_string())?;
    Ok(Network { path, ..network })
}

/// Reads a cluster file, or a platform of SimGrid.
///
/// # Errors
///
/// Errors of the system, and those of [`any_network`].
pub fn read_network(path: impl AsRef<Path>) -> Result<Network, FileError> {
    let path = path.as_ref();
    let not_text = "the file is not UTF-8 text; a cluster file is TOML, a platform XML";
    any_network(&file::read_text(path, FILE, not_text)?, path)
}

/// A cluster, its unused keys with byte offsets, and its network.
type Content = (Cluster, Vec<(usize, String)>, Option<Network>);

/// Parses a whole file; the network is `None` unless `with_network`.
fn parse_content(text: &str, with_network: bool) -> Result<Content> {
    let syntax = |error: toml::de::Error| {
        let byte = error.span().map_or(text.len(), |span| span.start);
        Fault::new(format!("invalid TOML: {}", error.message())).at(byte)
    };
    check_kind(text.as_bytes(), FileKind::Cluster)?;
    let top = DeTable::parse(text).map_err(syntax)?;
    let top = Table::new(top.get_ref(), 0);
    let mut unused_keys = top.check_keys(&["hosts"], &NETWORK_KEYS)?;
    let node = top.require("hosts", "[[hosts]] with names, kind and cores")?;
    let tables = node.tables("entries [[hosts]] with names, kind and cores")?;
    let mut entries: Vec<(HostGroup, HostNetwork)> = Vec::new();
    let (budget, mut memory) = (Budget::of_input(text.len() as u64), 0);
    for table in &tables {
        unused_keys.extend(table.check_keys(&HOST_KEYS, &HOST_NETWORK_KEYS)?);
        let group = host_group(table)?;
        memory +=
            group.names.iter().map(|name| NAMES_PER_HOST * name_memory(name.len())).sum::<u64>();
        let within = budget.check_memory("the list of hosts up to here", memory);
        within.map_err(|error| Fault::from(error).at(table.position("names")))?;
        entries.push((group, network::host_network(table)?));
    }
    unused_keys.sort();
    let links = top.get("links").map(|node| network::links(&node)).transpose()?;
    let sharing = top.get("sharing").map(|node| network::sharing(&node)).transpose()?;
    let cluster = Cluster::new(entries.iter().map(|(hosts, _)| hosts.clone()).collect()).map_err(
        |error| {
            let byte = error.place.map_or(0, |(entry, key)| tables[entry].position(key));
            Fault::new(error).at(byte)
        },
    )?;
    if !with_network {
        return Ok((cluster, unused_keys, None));
    }
    let hosts = tables
        .iter()
        .zip(&entries)
        .map(|(table, (group, network))| (table, &group.names[..], group.cores, *network));
    let mut assumed = Vec::new();
    let mut topology = network::topology(hosts, links.unwrap_or_default(), &mut assumed)?;
    if let Some(node) = top.get("uplinks") {
        for table in node.tables("entries [[uplinks]] with hosts and bandwidth")? {
            network::add_uplink(&table, &mut topology, &mut assumed)?;
        }
    }
    let overheads =
        network::overheads(entries.iter().map(|(group, network)| (&group.names[..], *network)));
    let (eager, buffer) = links.map_or((None, None), |links| (links.eager, links.buffer));
    let (path, settings) = (PathBuf::new(), Vec::new());
    let network = Network { path, topology, overheads, sharing, eager, buffer, settings, assumed };
    Ok((cluster, unused_keys, Some(network)))
}

/// Parses the keys of an entry of [[hosts]] that describe a [`Cluster`].
fn host_group(table: &Table) -> Result<HostGroup> {
    let counted = "a whole number from 1 to 1000000";
    let names = table.require("names", "the names of the hosts, such as \"node[2-5]\"")?;
    let kind = table.require(
        "kind",
        "the kind of their processing elements, such as the name of a processor",
    )?;
    let cores = table.require("cores", "the number of processing elements of each host")?;
    Ok(HostGroup {
        names: host_names(names.text("names of hosts in quotes, such as \"node[2-5]\"")?)
            .map_err(|error| names.error(Fault::new(error)))?,
        kind: kind_name(&kind)?,
        cores: cores.integer(1..=MAX_COUNT, counted)?,
        processes: table
            .get("processes")
            .map_or(Ok(1), |node| node.integer(1..=MAX_COUNT, counted))?,
        memory: table.get("memory").map(|node| node.size()).transpose()?,
        price: table
            .get("price")
            .map(|node| {
                node.number(0.0..=1e6, "what an hour of one core costs, a number from 0 to 1000000")
            })
            .transpose()?,
    })
}

/// Parses the name of a kind, which may not contain characters of the notation of configurations.
fn kind_name(node: &Node) -> Result<String> {
    /// The valid names of kinds.
    const EXPECTED: &str = "the name of a kind in quotes, without blanks, \",\" and \"=\"";
    let name = node.text(EXPECTED)?;
    let strange = |c: char| c.is_whitespace() || c.is_control() || c == ',' || c == '=';
    if name.contains(strange) { Err(node.expected(EXPECTED)) } else { Ok(name.to_owned()) }
}

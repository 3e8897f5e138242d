use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::error::{ClusterFileError, Fault};
use super::network::{self, Network, OfHosts};
use super::table::{Node, Result, Table};
use crate::file::{self, Located, Position};
use crate::platform::{Cluster, ClusterError, HostGroup, host_names};
use crate::units::{Bytes, UnitError};

/// The keys of an entry of hosts.
const HOST: [&str; 6] = ["names", "kind", "cores", "processes", "memory", "price"];

/// What simulations also ask of hosts.
const OF_HOSTS: [&str; 2] = ["speed", "link"];

/// What simulations also ask of the network between the hosts.
const OF_NETWORK: [&str; 2] = ["links", "sharing"];

/// The most that a number of cores or processes can be.
const MOST: u32 = 1_000_000;

/// A cluster and what its file says besides.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The cluster.
    pub cluster: Cluster,
    /// What stands in the file and describes more than a [`Cluster`] holds: [`network()`] reads it.
    pub passed_over: Vec<PassedOver>,
}

/// A key that is right, but describes more than a [`Cluster`] holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The key.
    pub key: String,
    /// The number of the line, from 1.
    pub line: usize,
}

/// Reads a cluster file.
///
/// # Errors
///
/// What the system refuses, and whatever [`parse`] refuses.
pub fn read(path: impl AsRef<Path>) -> std::result::Result<Loaded, ClusterFileError> {
    let path = path.as_ref();
    parse(&text(path)?, path)
}

/// The text of a cluster file.
fn text(path: &Path) -> std::result::Result<String, ClusterFileError> {
    String::from_utf8(file::read(path)?).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        ClusterFileError::located(path, &valid, Located { byte: valid.len(), fault: Fault::NotText })
    })
}

/// Reads the text of a cluster file, whose name is used in errors only.
///
/// # Errors
///
/// What is no TOML, an unknown key, a missing one, a value that cannot be, and hosts that do not make a [`Cluster`].
pub fn parse(text: &str, path: impl Into<PathBuf>) -> std::result::Result<Loaded, ClusterFileError> {
    let path = path.into();
    let (cluster, passed_over, _) =
        cluster(text, false).map_err(|located| ClusterFileError::located(&path, text, located))?;
    let passed_over =
        passed_over.into_iter().map(|(byte, key)| PassedOver { key, line: Position::of(text, byte).line }).collect();
    Ok(Loaded { cluster, passed_over })
}

/// Reads the text of a cluster file for simulations: its hosts on a switch, each with a link in either direction.
///
/// # Errors
///
/// As [`parse`], and hosts without speed or link.
pub fn network(text: &str, path: impl Into<PathBuf>) -> std::result::Result<Network, ClusterFileError> {
    match cluster(text, true) {
        Ok((_, _, Some(network))) => Ok(network),
        Ok(_) => {
            Err(ClusterFileError::located(&path.into(), text, Located { byte: 0, fault: ClusterError::Empty.into() }))
        }
        Err(located) => Err(ClusterFileError::located(&path.into(), text, located)),
    }
}

type Read = (Cluster, Vec<(usize, String)>, Option<Network>);

/// Everything that a file says; the network where it is asked for.
fn cluster(text: &str, with_network: bool) -> Result<Read> {
    let syntax = |error: toml::de::Error| Located {
        byte: error.span().map_or(text.len(), |span| span.start),
        fault: Fault::Syntax { reason: error.message().to_owned() },
    };
    let top = DeTable::parse(text).map_err(syntax)?;
    let top = Table::new(top.get_ref(), 0);
    let mut passed_over = top.only(&["hosts"], &OF_NETWORK)?;
    let node = top.needed("hosts", "[[hosts]] with names, kind and cores")?;
    let tables = node.tables("entries [[hosts]] with names, kind and cores")?;
    let mut entries: Vec<(HostGroup, OfHosts)> = Vec::new();
    for table in &tables {
        passed_over.extend(table.only(&HOST, &OF_HOSTS)?);
        entries.push((hosts(table)?, network::of_hosts(table)?));
    }
    passed_over.sort();
    let links = top.get("links").map(|node| network::links(&node)).transpose()?;
    let sharing = top.get("sharing").map(|node| network::sharing(&node)).transpose()?;
    let cluster = Cluster::new(entries.iter().map(|(hosts, _)| hosts.clone()).collect()).map_err(|error| {
        let byte = error.place().map_or(0, |(entry, key)| tables[entry].place(key));
        Located { byte, fault: error.into() }
    })?;
    if !with_network {
        return Ok((cluster, passed_over, None));
    }
    let told = tables.iter().zip(&entries).map(|(table, (hosts, told))| (table, &hosts.names[..], hosts.cores, *told));
    let topology = network::topology(told, links.unwrap_or_default())?;
    let (eager, buffer) = links.map_or((None, None), |links| (links.eager, links.buffer));
    let network = Network { topology, sharing, eager, buffer };
    Ok((cluster, passed_over, Some(network)))
}

fn hosts(table: &Table) -> Result<HostGroup> {
    let counted = "a whole number from 1 to 1000000";
    let names = table.needed("names", "the names of the hosts, such as \"node[2-5]\"")?;
    let kind = table.needed("kind", "the kind of their processing elements, such as the name of a processor")?;
    let cores = table.needed("cores", "how many processing elements each host has")?;
    Ok(HostGroup {
        names: host_names(names.text("names of hosts in quotes, such as \"node[2-5]\"")?)
            .map_err(|error| names.refuse(error))?,
        kind: kind_name(&kind)?,
        cores: cores.whole(1..=MOST, counted)?,
        processes: table.get("processes").map_or(Ok(1), |node| node.whole(1..=MOST, counted))?,
        memory: table.get("memory").map(|node| size(&node)).transpose()?,
        price: table
            .get("price")
            .map(|node| node.number(0.0..=1e6, "what an hour of one core costs, a number from 0 to 1000000"))
            .transpose()?,
    })
}

/// A name that the notation of configurations can hold.
fn kind_name(node: &Node) -> Result<String> {
    const EXPECTED: &str = "the name of a kind in quotes, without blanks, \",\" and \"=\"";
    let name = node.text(EXPECTED)?;
    let strange = |c: char| c.is_whitespace() || c.is_control() || c == ',' || c == '=';
    if name.contains(strange) { Err(node.expected(EXPECTED)) } else { Ok(name.to_owned()) }
}

pub(super) fn size(node: &Node) -> Result<Bytes> {
    let text = node.text("a size in quotes, such as \"768M\" or \"64G\"")?;
    text.parse().map_err(|error: UnitError| node.refuse(error))
}

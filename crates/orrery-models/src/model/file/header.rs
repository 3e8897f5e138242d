//! The entries of a model file beside the models: the provenance with the measured range in bytes,
//! the processors, `[{"rank": 0, "host": "a"}, …]`, and the memory of hosts in bytes,
//! `{"a": 16834887680, …}`.

use std::collections::BTreeMap;

use super::warning::UnknownKeys;
use super::{MEASURED, error};
use orrery_base::file::{Fault, Result};
use orrery_base::json::{Layout, Node, quote};
use orrery_base::units::Bytes;
use orrery_measure::sample::Provenance;

/// The key of the memory of hosts.
pub(super) const HOST_MEMORY: &str = "host_memory";

/// The smallest and the largest measured size.
type Range = Option<(Bytes, Bytes)>;

/// Reads the provenance and the measured range in it.
pub(super) fn read_provenance(node: Node) -> Result<(Provenance, Range)> {
    let object = node.object("an object with strings")?;
    let mut provenance = Provenance::new();
    for (key, node) in object.iter().filter(|(key, _)| !MEASURED.contains(key)) {
        provenance.set(key, node.string("a string")?);
    }
    let [smallest, largest] = MEASURED.map(|key| object.get(key));
    if smallest.is_none() && largest.is_none() {
        return Ok((provenance, None));
    }
    let size = |key| object.needed(key, "a size in bytes")?.whole("a size in whole bytes");
    let (smallest, largest) = (size(MEASURED[0])?, size(MEASURED[1])?);
    if smallest > largest {
        return Err(node.refuse(error::measured(smallest, largest)));
    }
    Ok((provenance, Some((Bytes::new(smallest), Bytes::new(largest)))))
}

/// Lays out the provenance and the measured range. An error includes its path.
pub(super) fn write_provenance(provenance: &Provenance, measured: Range) -> Result<Layout> {
    let place = || "provenance".to_owned();
    if let Some((key, _)) = provenance.iter().find(|(key, _)| MEASURED.contains(key)) {
        return Err(Fault::new(format!(
            "the provenance cannot contain the key {key:?}, which is \
            reserved for the measured range; rename it"
        ))
        .within(place()));
    }
    let mut entries: Vec<_> =
        provenance.iter().map(|(key, value)| (key.to_owned(), Layout::string(value))).collect();
    if let Some((smallest, largest)) = measured {
        let (smallest, largest) = (smallest.get(), largest.get());
        for (key, size) in MEASURED.into_iter().zip([smallest, largest]) {
            entries.push((key.into(), Layout::Line(size.to_string())));
        }
    }
    Ok(Layout::Object(entries))
}

/// Reads the host of each processor; an empty name if none is given.
pub(super) fn read_processors(node: Node, unknown: &mut UnknownKeys) -> Result<Vec<String>> {
    let entries = node.array("an array of processors, such as [{\"rank\": 0, \"host\": \"a\"}]")?;
    let mut hosts = vec![None; entries.len()];
    for node in &entries {
        let entry = node.object("a processor, such as {\"rank\": 0, \"host\": \"a\"}")?;
        unknown.note_keys(&entry, &["rank", "host"]);
        let place = entry.needed("rank", "the number of the processor, from 0")?;
        let rank = place.whole("the number of a processor, from 0")?;
        let host = entry.optional("host", |host| host.string("the name of a host"))?;
        let processors = entries.len();
        match usize::try_from(rank).ok().and_then(|rank| hosts.get_mut(rank)) {
            None => return Err(place.refuse(error::rank(rank, processors))),
            Some(Some(_)) => {
                return Err(place.refuse(format!(
                    "rank {rank} is listed twice; each \
                processor has a rank of its own, from 0"
                )));
            }
            Some(free) => *free = Some(host),
        }
    }
    Ok(hosts.into_iter().flatten().collect())
}

/// Lays out the processors, one on each line.
pub(super) fn write_processors(hosts: &[String]) -> Layout {
    let row = |(rank, host): (usize, &String)| match host.as_str() {
        "" => format!("{{\"rank\": {rank}}}"),
        host => format!("{{\"rank\": {rank}, \"host\": {}}}", quote(host)),
    };
    Layout::Rows(hosts.iter().enumerate().map(row).collect())
}

/// Reads the memory of each host.
pub(super) fn read_host_memory(node: Node) -> Result<BTreeMap<String, Bytes>> {
    let object = node
        .object("an object with the memory of each host in bytes, such as {\"a\": 16834887680}")?;
    let one = |(host, node): (&str, Node)| {
        Ok((host.to_owned(), Bytes::new(node.whole("a whole number of bytes")?)))
    };
    object.iter().map(one).collect()
}

/// Lays out the memory of each host; `None` if none is known.
pub(super) fn write_host_memory(all: &BTreeMap<String, Bytes>) -> Option<Layout> {
    let entry =
        |(host, memory): (&String, &Bytes)| (host.clone(), Layout::Line(memory.get().to_string()));
    (!all.is_empty()).then(|| Layout::Object(all.iter().map(entry).collect()))
}

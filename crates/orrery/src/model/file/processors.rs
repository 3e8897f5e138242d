//! The list of processors: `[{"rank": 0, "host": "a"}, …]`.

use super::error::{Fault, Result};
use super::summary::UnknownKeys;
use crate::json::{Layout, Node, quote};

/// Reads the host of each processor; an empty name if none is given.
pub(super) fn read(node: Node, unknown: &mut UnknownKeys) -> Result<Vec<String>> {
    let entries = node.array("an array of processors, such as [{\"rank\": 0, \"host\": \"a\"}]")?;
    let mut hosts = vec![None; entries.len()];
    for node in &entries {
        let entry = node.object("a processor, such as {\"rank\": 0, \"host\": \"a\"}")?;
        unknown.note_keys(&entry, &["rank", "host"]);
        let place = entry.needed("rank", "the number of the processor, from 0")?;
        let rank = place.whole("the number of a processor, from 0")?;
        let host = entry.get("host").map(|host| host.string("the name of a host")).transpose()?.unwrap_or_default();
        let processors = entries.len();
        match usize::try_from(rank).ok().and_then(|rank| hosts.get_mut(rank)) {
            None => return Err(place.refuse(Fault::Rank { rank, processors })),
            Some(Some(_)) => return Err(place.refuse(Fault::RankTwice { rank })),
            Some(free) => *free = Some(host),
        }
    }
    Ok(hosts.into_iter().flatten().collect())
}

/// Lays out the processors, one on each line.
pub(super) fn write(hosts: &[String]) -> Layout {
    let row = |(rank, host): (usize, &String)| match host.as_str() {
        "" => format!("{{\"rank\": {rank}}}"),
        host => format!("{{\"rank\": {rank}, \"host\": {}}}", quote(host)),
    };
    Layout::Rows(hosts.iter().enumerate().map(row).collect())
}

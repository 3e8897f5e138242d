//! The memory of hosts in bytes: `{"a": 16834887680, …}`.

use std::collections::BTreeMap;

use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::units::Bytes;

/// The key of the file.
pub(super) const KEY: &str = "host_memory";

/// Reads the memory of each host.
pub(super) fn read(node: Node) -> Result<BTreeMap<String, Bytes>> {
    let object = node
        .object("an object with the memory of each host in bytes, such as {\"a\": 16834887680}")?;
    let one = |(host, node): (&str, Node)| {
        Ok((host.to_owned(), Bytes::new(node.whole("a whole number of bytes")?)))
    };
    object.iter().map(one).collect()
}

/// Lays out the memory of each host; `None` if none is known.
pub(super) fn write(all: &BTreeMap<String, Bytes>) -> Option<Layout> {
    let entry =
        |(host, memory): (&String, &Bytes)| (host.clone(), Layout::Line(memory.get().to_string()));
    (!all.is_empty()).then(|| Layout::Object(all.iter().map(entry).collect()))
}

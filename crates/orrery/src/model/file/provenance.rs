//! The provenance: strings, and the measured range in bytes.

use super::MEASURED;
use super::error::{Fault, Result};
use crate::json::{Layout, Node};
use crate::sample::Provenance;
use crate::units::Bytes;

/// The smallest and the largest measured size.
type Range = Option<(Bytes, Bytes)>;

/// Reads the provenance and the measured range in it.
pub(super) fn read(node: Node) -> Result<(Provenance, Range)> {
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
        return Err(node.refuse(Fault::Measured { smallest, largest }));
    }
    Ok((provenance, Some((Bytes::new(smallest), Bytes::new(largest)))))
}

/// Lays out the provenance and the measured range. An error includes its path.
pub(super) fn write(provenance: &Provenance, measured: Range) -> std::result::Result<Layout, (String, Fault)> {
    let place = || "provenance".to_owned();
    if let Some((key, _)) = provenance.iter().find(|(key, _)| MEASURED.contains(key)) {
        return Err((place(), Fault::Key { key: key.to_owned() }));
    }
    let mut entries: Vec<_> = provenance.iter().map(|(key, value)| (key.to_owned(), Layout::string(value))).collect();
    if let Some((smallest, largest)) = measured {
        let (smallest, largest) = (smallest.get(), largest.get());
        if smallest > largest {
            return Err((place(), Fault::Measured { smallest, largest }));
        }
        for (key, size) in MEASURED.into_iter().zip([smallest, largest]) {
            entries.push((key.into(), Layout::Line(size.to_string())));
        }
    }
    Ok(Layout::Object(entries))
}

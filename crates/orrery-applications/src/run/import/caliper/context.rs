//! The context tree of a profile: nodes, attributes and regions.

use std::collections::{BTreeMap, BTreeSet};

use super::error;
use super::record::Record;
use crate::run::import::mapping::Unit;
use crate::run::import::regions::RegionTree;
use crate::run::import::table;
use orrery_base::file::Fault;

/// The id of the predefined attribute whose values are the names of attributes.
const NAME: u64 = 8;
/// The id of the predefined attribute whose values are the properties of attributes.
const PROPERTIES: u64 = 10;

/// The types that every profile has: integers, unsigned integers and doubles.
const NUMBERS: [u64; 3] = [1, 2, 5];

/// The smallest id that a profile gives itself; lower ones are predefined.
const FIRST_ID: u64 = 12;

/// The property of attributes whose values are the names of nested regions.
const NESTED: u32 = 256;

/// Types of Adiak whose values are numbers, but no parameters.
const DESCRIPTIONS: [&str; 4] = ["date", "timeval", "path", "version"];

/// The largest length of the name of a unit of time in bytes.
const MAX_UNIT_BYTES: usize = 32;

/// The properties of an attribute are among this many nodes above its name.
const MAX_PROPERTIES: usize = 64;

/// An attribute of snapshots or of the run.
#[derive(Debug, Clone, Default)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) is_number: bool,
    pub(super) unit: RecordedUnit,
    /// True for a type of Adiak that is no parameter, such as a date.
    pub(super) is_description: bool,
    is_nested: bool,
}

/// The unit of an attribute.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum RecordedUnit {
    #[default]
    Missing,
    Time(Unit),
    Other,
}

impl RecordedUnit {
    /// The unit with a name.
    fn of(name: &str) -> Self {
        let unit = (name.len() <= MAX_UNIT_BYTES).then(|| table::time_unit(name)).flatten();
        unit.map_or(Self::Other, Self::Time)
    }
}

/// A node: a value of an attribute.
struct Node {
    attribute: u64,
    value: String,
    parent: Option<u64>,
    /// The path of the regions down to this node.
    path: usize,
}

/// The nodes of a profile.
#[derive(Default)]
pub(super) struct Context {
    nodes: BTreeMap<u64, Node>,
    attributes: BTreeMap<u64, Attribute>,
    pub(super) regions: RegionTree,
}

impl Context {
    /// Adds the node of a record.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), Fault> {
        let id = |key| -> Result<Option<u64>, Fault> { Ok(record.ids(key)?.first().copied()) };
        let missing = |key| error::id(key, "");
        let (own, attribute, parent) =
            (id("id")?.ok_or(missing("id"))?, id("attr")?.ok_or(missing("attr"))?, id("parent")?);
        let value = record.values("data").first().cloned().unwrap_or_default();
        let parent_node = parent.and_then(|parent| self.nodes.get(&parent));
        if let Some(parent) = parent.filter(|parent| *parent >= FIRST_ID && parent_node.is_none()) {
            return Err(error::reference("parent", parent));
        }
        let mut path = parent_node.map_or(0, |node| node.path);
        if attribute == NAME {
            let described = self.described(value.clone(), parent);
            self.attributes.insert(own, described);
        } else if self.attributes.get(&attribute).is_some_and(|attribute| attribute.is_nested) {
            path = self.regions.extend(path, &value);
        }
        self.nodes.insert(own, Node { attribute, value, parent, path });
        Ok(())
    }

    /// The attribute with a name, described by the nodes above it.
    fn described(&self, name: String, parent: Option<u64>) -> Attribute {
        let mut found = Attribute { name, ..Attribute::default() };
        let mut next = parent;
        for _ in 0..MAX_PROPERTIES {
            let Some(id) = next else { break };
            found.is_number |= NUMBERS.contains(&id);
            let Some(node) = self.nodes.get(&id) else { break };
            match self.attributes.get(&node.attribute).map(|attribute| attribute.name.as_str()) {
                _ if node.attribute == PROPERTIES => {
                    found.is_nested |=
                        node.value.parse().is_ok_and(|properties: u32| properties & NESTED != 0);
                }
                Some("attribute.unit") => found.unit = RecordedUnit::of(&node.value),
                Some("adiak.type") => {
                    found.is_description = DESCRIPTIONS.contains(&node.value.as_str());
                }
                _ => {}
            }
            next = node.parent;
        }
        found
    }

    /// The attributes in the order of their ids.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.values()
    }

    /// The attribute with an id.
    pub(super) fn attribute(&self, id: u64) -> Result<&Attribute, Fault> {
        self.attributes.get(&id).ok_or(error::reference("attr", id))
    }

    /// The path of a snapshot that refers to nodes; 0 if it is in no region.
    pub(super) fn path(&self, ids: &[u64]) -> Result<usize, Fault> {
        let mut path = 0;
        for id in ids {
            let node = self.nodes.get(id).ok_or(error::reference("ref", *id))?;
            path = if node.path == 0 { path } else { node.path };
        }
        Ok(path)
    }

    /// The attributes and values of nodes and of all nodes above them, each node once.
    pub(super) fn values(&self, ids: &[u64]) -> Result<Vec<(&Attribute, &str)>, Fault> {
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        for id in ids {
            let mut next = Some((*id, self.nodes.get(id).ok_or(error::reference("ref", *id))?));
            while let Some((_, node)) = next.filter(|(id, _)| seen.insert(*id)) {
                all.extend(
                    self.attributes
                        .get(&node.attribute)
                        .map(|attribute| (attribute, node.value.as_str())),
                );
                next = node.parent.and_then(|parent| Some((parent, self.nodes.get(&parent)?)));
            }
        }
        Ok(all)
    }
}

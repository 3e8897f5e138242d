//! The description of a profile: metrics, call paths and locations.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::GzDecoder;
use roxmltree::{Document, Node, ParsingOptions};

use super::archive::Archive;
use super::error;
use super::values::ValueType;
use crate::run::import::mapping::Unit;
use crate::run::import::table;
use orrery_base::file::{Fault, Result, check_xml};

/// The name of the description in the archive.
pub(super) const MEMBER: &str = "anchor.xml";

/// The texts of a metric, as they are in the description.
struct Description<'a> {
    id: &'a str,
    name: &'a str,
    unit: &'a str,
    value_type: &'a str,
    kind: &'a str,
}

/// A metric.
#[derive(Debug, Clone)]
pub(super) struct Metric {
    /// The name of its files in the archive.
    pub(super) id: String,
    pub(super) name: String,
    /// The unit of times; `None` if it is no unit of time.
    pub(super) unit: Option<Unit>,
    pub(super) value: ValueType,
    /// True if values include those of callees.
    pub(super) is_inclusive: bool,
}

/// A call path.
struct CallPath<'a> {
    region: &'a str,
    /// The place of the caller.
    caller: Option<usize>,
}

/// The description of a profile.
pub(super) struct Anchor<'a> {
    metrics: Vec<Description<'a>>,
    /// The call paths in the order of the call tree: each after its caller.
    calls: Vec<CallPath<'a>>,
    /// The number of locations, which are threads.
    pub(super) locations: usize,
    /// The number of processes.
    pub(super) processes: usize,
}

/// The text of the description, of `budget` bytes at most.
pub(super) fn text(archive: &Archive, budget: usize) -> Result<String> {
    let content = archive.member(MEMBER)?;
    let damaged = || error::damaged(MEMBER);
    let mut text = Vec::new();
    if content.starts_with(&[0x1f, 0x8b]) {
        GzDecoder::new(content)
            .take(budget as u64 + 1)
            .read_to_end(&mut text)
            .map_err(|_| damaged())?;
    } else {
        text.extend_from_slice(content);
    }
    if text.len() > budget {
        return Err(error::too_long(MEMBER, budget));
    }
    String::from_utf8(text).map_err(|_| damaged())
}

/// Parses the XML of the description, which may have `max_nodes` nodes.
pub(super) fn parse(text: &str, max_nodes: u32) -> Result<Document<'_>> {
    check_xml(text).map_err(|fault| Fault::new(format!("anchor.xml: {fault}")))?;
    let options = ParsingOptions { nodes_limit: max_nodes, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| Fault::new(format!("anchor.xml: {error}")))
}

impl<'a> Anchor<'a> {
    /// Reads the description.
    pub(super) fn read(document: &'a Document<'a>) -> Result<Self> {
        let mut metrics = Vec::new();
        let mut regions: BTreeMap<&str, &str> = BTreeMap::new();
        let (mut cnodes, mut locations, mut processes) = (Vec::new(), 0, 0);
        for node in document.descendants().filter(Node::is_element) {
            match node.tag_name().name() {
                "metric" => metrics.push(Description {
                    id: node.attribute("id").unwrap_or_default(),
                    name: child(node, "uniq_name"),
                    unit: child(node, "uom"),
                    value_type: child(node, "dtype"),
                    kind: node.attribute("type").unwrap_or_default(),
                }),
                "region" => drop(
                    regions.insert(node.attribute("id").unwrap_or_default(), child(node, "name")),
                ),
                "cnode" => cnodes.push(node),
                "location" => locations += 1,
                "locationgroup" if child(node, "type") == "process" => processes += 1,
                _ => {}
            }
        }
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut calls = Vec::with_capacity(cnodes.len());
        for node in cnodes {
            let callee = node.attribute("calleeId").unwrap_or_default();
            let region = regions
                .get(callee)
                .ok_or_else(|| error::reference(MEMBER, "the region", callee))?;
            let caller = node.parent().and_then(|parent| places.get(&parent.id().get()).copied());
            places.insert(node.id().get(), calls.len());
            calls.push(CallPath { region, caller });
        }
        Ok(Self { metrics, calls, locations, processes })
    }

    /// The metric with a name.
    pub(super) fn metric(&self, name: &str) -> Result<Metric> {
        let found = self.metrics.iter().find(|metric| metric.name == name).ok_or_else(|| {
            let known: Vec<_> = self.metrics.iter().map(|metric| metric.name).collect();
            error::no_metric(name, &known)
        })?;
        let unit = table::time_unit(found.unit);
        let value = ValueType::named(found.value_type);
        let is_inclusive = found.kind == "INCLUSIVE";
        let Some(value) = value.filter(|_| is_inclusive || found.kind == "EXCLUSIVE") else {
            let (value_type, kind) = (found.value_type, found.kind);
            return Err(Fault::new(format!(
                "the metric {name:?} has values of the type {value_type} ({kind}), which is not \
                    read; known are DOUBLE, UINT64 and INT64, INCLUSIVE or EXCLUSIVE"
            )));
        };
        let (id, name) = (found.id.to_owned(), name.to_owned());
        Ok(Metric { id, name, unit, value, is_inclusive })
    }

    /// The number of call paths.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The place of the caller of a call path, which is before it; `None` for a root.
    pub(super) fn caller(&self, place: usize) -> Option<usize> {
        self.calls[place].caller
    }

    /// The names of the call paths, such as `main->solve`, of `budget` bytes at most together.
    pub(super) fn names(&self, budget: usize) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::with_capacity(self.calls.len());
        let mut bytes = 0;
        for call in &self.calls {
            let caller = call.caller.map_or("", |caller| names[caller].as_str());
            bytes += caller.len() + call.region.len() + 2;
            if bytes > budget {
                return Err(error::too_long("the list of call paths", budget));
            }
            names.push(if caller.is_empty() {
                call.region.to_owned()
            } else {
                format!("{caller}->{}", call.region)
            });
        }
        Ok(names)
    }

    /// The places of call paths in the order in which an inclusive metric numbers them: roots one
    /// after the other, and the callees of each expanded call path together, before those of its
    /// first callee.
    pub(super) fn expansion_order(&self) -> Vec<usize> {
        let mut callees: Vec<Vec<usize>> = vec![Vec::new(); self.calls.len()];
        for (place, call) in self.calls.iter().enumerate() {
            if let Some(caller) = call.caller {
                callees[caller].push(place);
            }
        }
        let mut order = Vec::with_capacity(self.calls.len());
        let roots = self
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.caller.is_none())
            .map(|(place, _)| place);
        for root in roots {
            order.push(root);
            let mut pending = vec![root];
            while let Some(place) = pending.pop() {
                order.extend(&callees[place]);
                pending.extend(callees[place].iter().rev());
            }
        }
        order
    }
}

/// The text of a child element, trimmed; empty if it is missing.
fn child<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let found = node.children().find(|child| child.tag_name().name() == name);
    found.and_then(|child| child.text()).unwrap_or_default().trim()
}

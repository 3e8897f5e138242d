use std::collections::BTreeMap;
use std::path::Path;

use super::statements::{Entry, statements};
use super::{Switch, SwitchId, SwitchTree};
use crate::platform::host_names;
use orrery_base::file::{self, Fault, FileError, Position, Result};
use orrery_base::names::advice;

/// The maximum number of hosts and switches.
const MAX_NAMES: usize = 200_000;

/// Reads a `topology.conf`.
///
/// # Errors
///
/// Errors of the system, and those of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<SwitchTree, FileError> {
    let path = path.as_ref();
    let not_text = "the file is not UTF-8 text; Slurm's topology.conf is";
    let text = file::read_text(path, "topology.conf", not_text)?;
    parse(&text, path)
}

/// Parses the text of a `topology.conf`; `path` is its name in errors.
///
/// # Errors
///
/// Invalid lines and names, unknown keys, and switches that form no trees.
pub fn parse(text: &str, path: impl AsRef<Path>) -> Result<SwitchTree, FileError> {
    tree(text).map_err(|located| FileError::located(path.as_ref(), text, located))
}

/// A value with its byte in the text.
#[derive(Debug, Clone)]
struct Value {
    text: String,
    byte: usize,
}

impl Value {
    /// A fault at this value.
    fn fault(&self, fault: impl Into<Fault>) -> Fault {
        fault.into().at(self.byte)
    }

    /// The names of the list; adds their number to `total`, that of the whole file, which must not
    /// exceed [`MAX_NAMES`].
    fn names(&self, total: &mut usize) -> Result<Vec<String>> {
        let names = host_names(&self.text).map_err(|error| self.fault(Fault::new(error)))?;
        *total += names.len();
        if *total > MAX_NAMES {
            Err(self.fault(format!(
                "there are more than {MAX_NAMES} hosts and \
            switches; correct the ranges in brackets"
            )))
        } else {
            Ok(names)
        }
    }
}

/// A line that describes a switch: its name, and the switches or hosts below it.
#[derive(Debug)]
struct Line {
    name: Value,
    switches: Option<Value>,
    nodes: Option<Value>,
}

impl Line {
    /// The line of these entries; link speeds are ignored, as Slurm does.
    fn of(entries: Vec<Entry>) -> Result<Self> {
        let begin = entries.first().map_or(0, |entry| entry.key_byte);
        let [mut name, mut switches, mut nodes, mut speed] = [const { None::<Value> }; 4];
        for Entry { key, key_byte, value, value_byte } in entries {
            let (known, place) = match key.to_ascii_lowercase().as_str() {
                "switchname" => ("SwitchName", &mut name),
                "switches" => ("Switches", &mut switches),
                "nodes" => ("Nodes", &mut nodes),
                "linkspeed" => ("LinkSpeed", &mut speed),
                "blockname" | "blocksizes" => {
                    return Err(Fault::new(format!(
                        "{key} belongs to topology/block; the switches \
                        of topology/tree can be read"
                    ))
                    .at(key_byte));
                }
                _ => {
                    let known = ["SwitchName", "Switches", "Nodes", "LinkSpeed"];
                    let advice = advice(&key, "valid keys", known);
                    return Err(Fault::new(format!("unknown key {key:?}; {advice}")).at(key_byte));
                }
            };
            if place.is_some() {
                return Err(Fault::new(format!("{known} occurs twice on this line; remove one"))
                    .at(key_byte));
            }
            *place = Some(Value { text: value, byte: value_byte });
        }
        match name {
            Some(name) if nodes.is_some() && switches.is_some() => Err(Fault::new(format!(
                "switch {value:?} has Nodes and Switches; give the nodes a \
                    switch of their own",
                value = name.text
            ))
            .at(begin)),
            Some(name) => Ok(Self { name, switches, nodes }),
            None => {
                Err(Fault::new("there is no SwitchName=NAME on this line; begin with it").at(begin))
            }
        }
    }
}

/// Parses a text to a tree.
fn tree(text: &str) -> Result<SwitchTree> {
    let lines = statements(text)?.into_iter().map(Line::of).collect::<Result<Vec<Line>>>()?;
    if lines.is_empty() {
        return Err(Fault::new(
            "there is no switch; a line is SwitchName=NAME with Nodes=HOSTS or \
            Switches=NAMES",
        )
        .at(0));
    }
    let mut total = 0;
    let mut switches: Vec<Switch> = Vec::new();
    let mut ids: BTreeMap<String, SwitchId> = BTreeMap::new();
    for line in &lines {
        let mut names = line.name.names(&mut total)?;
        let Some(name) = names.pop().filter(|_| names.is_empty()) else {
            return Err(line.name.fault("SwitchName is a list; give each switch a line"));
        };
        let id = SwitchId(switches.len() as u32);
        if let Some(known) = ids.insert(name.clone(), id) {
            let first = Position::of(text, lines[known.index()].name.byte).line;
            return Err(line.name.fault(format!(
                "switch {name:?} is defined in line {first} \
                already; remove one"
            )));
        }
        switches.push(Switch { name, parent: None, switches: Vec::new(), hosts: Vec::new() });
    }
    let mut places: BTreeMap<String, SwitchId> = BTreeMap::new();
    for (line, id) in lines.iter().zip((0..).map(SwitchId)) {
        for host in line.nodes.as_ref().map_or(Ok(Vec::new()), |nodes| nodes.names(&mut total))? {
            if let Some(known) = places.insert(host.clone(), id) {
                let first = switches[known.index()].name.clone();
                return Err(line.nodes.as_ref().unwrap_or(&line.name).fault(format!(
                    "host {host:?} is on switch {first:?} already; a tree has one \
                        switch for each host"
                )));
            }
            switches[id.index()].hosts.push(host);
        }
        let Some(below) = &line.switches else { continue };
        for name in below.names(&mut total)? {
            let Some(&child) = ids.get(&name) else {
                return Err(below.fault(format!(
                    "there is no switch {name:?}; add its line, or \
                    correct the name"
                )));
            };
            if let Some(first) = switches[child.index()].parent {
                let first = switches[first.index()].name.clone();
                return Err(below.fault(format!(
                    "switch {name:?} is below switch {first:?} already; \
                    a tree has one switch above each"
                )));
            }
            switches[child.index()].parent = Some(id);
            switches[id.index()].switches.push(child);
        }
    }
    let ids = (0..switches.len() as u32).map(SwitchId);
    let roots: Vec<SwitchId> = ids.filter(|id| switches[id.index()].parent.is_none()).collect();
    let tree = SwitchTree { switches, roots };
    match unreachable(&tree) {
        Some(id) => Err(lines[id.index()].name.fault(format!(
            "switch {value:?} is below itself; \
            remove one of the links of this circle",
            value = tree.switch(id).name
        ))),
        None => Ok(tree),
    }
}

/// The first switch that is below no root. Each switch has at most one switch above it, so it is on
/// a circle or below one.
fn unreachable(tree: &SwitchTree) -> Option<SwitchId> {
    let mut is_reached = vec![false; tree.switches.len()];
    let mut stack = tree.roots.clone();
    while let Some(id) = stack.pop() {
        is_reached[id.index()] = true;
        stack.extend(&tree.switch(id).switches);
    }
    is_reached.iter().position(|reached| !reached).map(|index| SwitchId(index as u32))
}

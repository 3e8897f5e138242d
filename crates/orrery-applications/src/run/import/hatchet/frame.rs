//! A graph and a table, as `GraphFrame.to_json()` and `Thicket.to_json()` write them.

use std::collections::{BTreeMap, BTreeSet};

use super::{GraphFrame, Row};
use crate::run::import::regions::RegionTree;
use orrery_base::file::Result;
use orrery_base::json::{Node, Object};

/// A node of the graph.
struct Region<'a> {
    node: Node<'a>,
    /// The name; `None` if only the table has it.
    name: Option<String>,
    callees: Vec<u64>,
}

/// The columns of a row that identify it.
struct Index {
    /// The column with the profile; `None` if there is one only.
    profile: Option<String>,
    /// The columns with the rank and the thread.
    location: Vec<String>,
}

/// Reads a graph and its table.
pub(super) fn read<'a>(root: &Node<'a>) -> Result<GraphFrame<'a>> {
    let file = root.object("an object with \"graph\" and \"dataframe\"")?;
    let mut graph = graph(&file.needed("graph", "[{\"0\": {\"data\": …, \"children\": []}}]")?)?;
    let table = file.needed("dataframe", "save the file with ensemble=True")?;
    let table = table.array("an array of rows")?;
    let index = Index::read(&file)?;
    let mut numbers = Vec::new();
    for row in &table {
        let object = row.object("a row of the dataframe")?;
        let node = object.needed("node", "the number of a node")?;
        let number = node.whole("the number of a node")?;
        let region = graph.get_mut(&number).ok_or_else(|| {
            node.refuse(format!("the graph has no node {number}; save the file again"))
        })?;
        if region.name.is_none() {
            region.name = object.get("name").and_then(|name| name.string("").ok());
        }
        numbers.push(number);
    }
    let mut frame = GraphFrame::default();
    let paths = paths(&graph, &mut frame.regions)?;
    let mut profiles = BTreeMap::new();
    if let (Some(column), Some(metadata)) = (&index.profile, file.get("metadata")) {
        for record in metadata.array("an array of profiles")? {
            let object = record.object("an object that describes a profile")?;
            let profile = object.needed(column, "the profile")?.text();
            profiles.insert(profile, frame.profiles.len());
            frame.profiles.push(Some(object));
        }
    }
    let (mut locations, mut ranks) = (BTreeMap::new(), BTreeSet::new());
    for (values, number) in table.into_iter().zip(numbers) {
        let object = values.object("a row of the dataframe")?;
        let text = |column: &String| object.get(column).map_or("", |node| node.text());
        let profile =
            *profiles.entry(index.profile.as_ref().map_or("", text)).or_insert_with(|| {
                frame.profiles.push(None);
                frame.profiles.len() - 1
            });
        let location: Vec<&str> = index.location.iter().map(text).collect();
        let next = locations.len();
        let location = *locations.entry(location).or_insert(next);
        ranks.extend(index.location.iter().find(|column| *column == "rank").map(text));
        frame.rows.push(Row { path: paths[&number], profile, location, values });
    }
    frame.ranks = ranks.len();
    frame.profile = index.profile.unwrap_or_default();
    frame.inclusive = file.optional("inclusive_metrics", |node| names(&node))?;
    Ok(frame)
}

impl Index {
    /// Reads the names of the columns.
    fn read(file: &Object) -> Result<Self> {
        let mut location = file.optional("dataframe_indices", |node| names(&node))?;
        let profile = file.optional("profile_idx_name", |node| node.string("a column"))?;
        let profile = if profile.is_empty() { "profile".to_owned() } else { profile };
        let has_profile = location.contains(&profile);
        location.retain(|column| column != "node" && *column != profile);
        Ok(Self { profile: has_profile.then_some(profile), location })
    }
}

/// Reads names.
fn names(node: &Node) -> Result<Vec<String>> {
    node.array("an array of names")?.iter().map(|name| name.string("a name")).collect()
}

/// Reads the nodes of all graphs.
fn graph<'a>(graphs: &Node<'a>) -> Result<BTreeMap<u64, Region<'a>>> {
    let mut nodes = BTreeMap::new();
    for graph in graphs.array("an array of graphs")? {
        for (number, node) in graph.object("an object with the nodes by number")?.iter() {
            let wrong = || node.expected("a node with its number as key");
            let number: u64 = number.parse().map_err(|_| wrong())?;
            let object = node.object("an object with \"data\" and \"children\"")?;
            let data = object.needed("data", "{\"name\": \"main\"}")?.object("an object")?;
            let callees = object.needed("children", "[1]")?.array("an array of numbers")?;
            let callees = callees.iter().map(|callee| callee.whole("the number of a node"));
            let name = data.get("name").and_then(|name| name.string("").ok());
            let region = Region { node, name, callees: callees.collect::<Result<_>>()? };
            nodes.entry(number).or_insert(region);
        }
    }
    Ok(nodes)
}

/// The paths of the nodes: that of a node with several callers is within the first one.
fn paths(graph: &BTreeMap<u64, Region>, tree: &mut RegionTree) -> Result<BTreeMap<u64, usize>> {
    let callees: BTreeSet<u64> =
        graph.values().flat_map(|region| &region.callees).copied().collect();
    let roots = graph.keys().rev().filter(|number| !callees.contains(number));
    let mut stack: Vec<(u64, usize)> = roots.map(|number| (*number, 0)).collect();
    let mut paths = BTreeMap::new();
    while let Some((number, caller)) = stack.pop() {
        let Some(region) = graph.get(&number).filter(|_| !paths.contains_key(&number)) else {
            continue;
        };
        let name = region.name.as_ref().ok_or_else(|| {
            region.node.refuse(format!("the node {number} has no name; add it to its \"data\""))
        })?;
        let path = tree.extend(caller, name);
        paths.insert(number, path);
        stack.extend(region.callees.iter().rev().map(|callee| (*callee, path)));
    }
    match graph.iter().find(|(number, _)| !paths.contains_key(number)) {
        Some((number, region)) => Err(region
            .node
            .refuse(format!("the node {number} is within itself; save the file again"))),
        None => Ok(paths),
    }
}

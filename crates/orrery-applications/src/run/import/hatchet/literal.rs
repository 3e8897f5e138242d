//! Nested nodes, as `GraphFrame.to_literal()` returns them.

use std::collections::BTreeSet;

use super::{GraphFrame, Row};
use orrery_base::file::Result;
use orrery_base::json::{Node, missing};

/// The number of nodes within each other; Python writes no JSON of more levels.
const MAX_DEPTH: usize = 500;

/// The metric with the number of a node.
const NUMBER: &str = "_hatchet_nid";

/// Reads a list of nodes.
pub(super) fn read<'a>(root: &Node<'a>) -> Result<GraphFrame<'a>> {
    const NODE: &str = "an object with \"frame\", \"metrics\" and \"children\"";
    const NODES: &str = "an array of nodes";
    let mut frame = GraphFrame { profiles: vec![None], ..GraphFrame::default() };
    let mut seen = BTreeSet::new();
    let pending = |node: &Node<'a>, path: usize, depth: usize| -> Result<Vec<_>> {
        Ok(node.array(NODES)?.into_iter().rev().map(|node| (node, path, depth)).collect())
    };
    let mut stack = pending(root, 0, 1)?;
    while let Some((node, parent, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return Err(node.refuse(format!(
                "more than {MAX_DEPTH} nodes are within each other; save the graph by to_json()"
            )));
        }
        let object = node.object(NODE)?;
        let attributes = object.needed("frame", "{\"name\": \"main\"}")?.object("an object")?;
        let name = attributes.get("name").or_else(|| object.get("name"));
        let name = name.ok_or_else(|| attributes.node.refuse(missing("name", None, "\"main\"")))?;
        let path = frame.regions.extend(parent, &name.string("the name of a region")?);
        let values = object.needed("metrics", "{\"time\": 1.5}")?;
        // The number of a node that several others call; its values are given again with each.
        let number = values.object("an object with the values of a node")?;
        let number = number.get(NUMBER).and_then(|number| number.whole("").ok());
        if number.is_none_or(|number| seen.insert(number)) {
            frame.rows.push(Row { path, profile: 0, location: 0, values });
        }
        stack.extend(object.optional("children", |node| pending(&node, path, depth + 1))?);
    }
    Ok(frame)
}

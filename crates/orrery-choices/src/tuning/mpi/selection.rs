//! Selection trees of MPICH: JSON whose keys are conditions, tested in order, with an algorithm at
//! the end of each branch.
//!
//! A search does not turn back: where no key of a node holds, there is no algorithm, and MPICH ends
//! the program. So every node ends with a key that always holds. Conditions on the communicator are
//! tested once, when it is made, as long as they come first; those behind a condition on a call are
//! tested in each call, where `comm_size<8` holds for 8, too (releases 4.0 to 4.3).

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::mpich;
use orrery_base::file::Fault;
use orrery_base::units::Bytes;
use orrery_measure::sample::LibraryAlgorithm;
use orrery_program::schedule::CollectiveKind;

/// A selection tree.
///
/// ```
/// use orrery_choices::tuning::mpi::SelectionTree;
/// let text = r#"{"collective=bcast": {"comm_type=intra": {"algorithm=MPIR_Bcast_intra_binomial": {}}}}"#;
/// assert_eq!(SelectionTree::parse(text.as_bytes())?.text().matches("binomial").count(), 1);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionTree {
    pub(super) root: Node,
}

/// Conditions with what they lead to, in order; an algorithm leads to nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Node(pub Vec<(String, Node)>);

impl SelectionTree {
    /// The tree of a file `generic.json`, or the default one in the library of MPICH itself: that
    /// with most operations.
    ///
    /// # Errors
    ///
    /// When the content is neither.
    pub fn parse(content: &[u8]) -> Result<Self, Fault> {
        if let Ok(text) = std::str::from_utf8(content) {
            let tree = serde_json::from_str(text).map(|root| Self { root });
            return tree.map_err(|error| {
                Fault::new(format!(
                    "this is not a selection tree of MPICH; give its generic.json, or its library \
                        libmpich.so, which contains it: {error}"
                ))
            });
        }
        let mut found: Option<Node> = None;
        for begin in find_all(content, BEGIN) {
            // The object begins before its first key.
            let Some(brace) = content[..begin].iter().rposition(|byte| !byte.is_ascii_whitespace())
            else {
                continue;
            };
            let end = content[begin..]
                .iter()
                .position(|byte| *byte == 0)
                .map_or(content.len(), |end| begin + end);
            let parsed = std::str::from_utf8(&content[brace..end])
                .ok()
                .and_then(|text| serde_json::from_str(text).ok());
            if let Some(node) = parsed
                .filter(|node: &Node| found.as_ref().is_none_or(|best| node.0.len() > best.0.len()))
            {
                found = Some(node);
            }
        }
        found.map(|root| Self { root }).ok_or_else(|| {
            Fault::new(
                "this file contains no selection tree of MPICH; give its generic.json, or its \
                    library libmpich.so",
            )
        })
    }

    /// The text of the tree.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(&self.root).unwrap_or_default()
    }

    /// The conditions of an operation in communicators that are no pairs of groups; `None` if the
    /// tree does not have them.
    pub(super) fn intra(&self, kind: CollectiveKind) -> Option<&Node> {
        let name = format!("collective={}", mpich::operation_name(kind));
        self.root.get(&name)?.get("comm_type=intra")
    }

    /// The algorithms that the tree chooses on some processes, with some on each host, by the sizes
    /// from which it does so. `None` stands for algorithms without a schedule.
    pub(super) fn decisions(
        &self,
        kind: CollectiveKind,
        procs: usize,
        per_host: usize,
    ) -> Vec<(Bytes, Option<LibraryAlgorithm>)> {
        let Some(intra) = self.intra(kind) else { return vec![(Bytes::ZERO, None)] };
        let mut sizes = vec![0];
        intra.sizes(&mut |key, bound| {
            let block = if key.starts_with("total") { bound / procs as u64 } else { bound };
            sizes.extend([block, block.saturating_add(1)]);
        });
        sizes.sort_unstable();
        sizes.dedup();
        let call = |size| Call { kind, procs, per_host, size };
        let chosen = |size| {
            intra.chosen(&call(size), true).and_then(|name| mpich::of_name(kind, procs, name))
        };
        let mut decisions: Vec<_> =
            sizes.into_iter().map(|size| (Bytes::new(size), chosen(size))).collect();
        decisions.dedup_by(|next, last| next.1 == last.1);
        decisions
    }
}

/// The begin of the first key of a tree.
const BEGIN: &[u8] = b"\"collective=";

/// The positions of a pattern in a content, where only white space is between it and a `{`.
fn find_all<'a>(content: &'a [u8], pattern: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let is_first = |begin: usize| {
        content[..begin].iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
    };
    content
        .windows(pattern.len())
        .enumerate()
        .filter(move |(begin, window)| *window == pattern && is_first(*begin))
        .map(|(begin, _)| begin)
}

/// A call of a collective operation, for commutative operations of the standard, with plain
/// buffers.
struct Call {
    kind: CollectiveKind,
    procs: usize,
    per_host: usize,
    size: u64,
}

impl Call {
    /// Returns true if a condition holds; `None` if it is not known. `is_first` is true if no
    /// condition on the call comes before.
    fn holds(&self, key: &str, is_first: bool) -> Option<bool> {
        let key: String = key.chars().filter(|c| !c.is_whitespace()).collect();
        let at_most = |name: &str, value: u64| {
            let rest = key.strip_prefix(name)?;
            if rest == "=any" {
                return Some(true);
            }
            match rest.strip_prefix("<=") {
                Some(bound) => Some(value <= bound.parse().ok()?),
                None => {
                    let bound = rest.strip_prefix('<')?.parse().ok()?;
                    Some(value < bound || value == bound && name == "comm_size" && !is_first)
                }
            }
        };
        let count =
            self.size / orrery_measure::sample::element_size(self.kind, Bytes::new(self.size));
        let power = 1 << self.procs.max(1).ilog2();
        let are_several = self.procs > self.per_host;
        match key.as_str() {
            "any"
            | "comm_type=intra"
            | "is_commutative=yes"
            | "is_op_built_in=yes"
            | "is_sendbuf_inplace=no"
            | "is_block_regular=yes"
            | "is_node_consecutive=yes"
            | "is_multi_threaded=no"
            | "comm_hierarchy=any" => Some(true),
            "comm_type=inter"
            | "is_commutative=no"
            | "is_op_built_in=no"
            | "is_sendbuf_inplace=yes"
            | "is_block_regular=no"
            | "is_node_consecutive=no"
            | "is_multi_threaded=yes"
            | "comm_hierarchy=node"
            | "comm_hierarchy=node_roots" => Some(false),
            "comm_hierarchy=parent" => Some(are_several && self.per_host > 1),
            "comm_hierarchy=flat" => Some(!are_several || self.per_host <= 1),
            "comm_size=pow2" => Some(self.procs.is_power_of_two()),
            "comm_size=node_comm_size" => Some(!are_several),
            "count<pow2" => Some(count < power),
            _ => at_most("comm_size", self.procs as u64)
                .or_else(|| at_most("comm_avg_ppn", self.per_host as u64))
                .or_else(|| at_most("avg_msg_size", self.size))
                .or_else(|| at_most("total_msg_size", self.size.saturating_mul(self.procs as u64)))
                .or_else(|| at_most("count", count)),
        }
    }
}

impl Node {
    /// A node that selects the algorithm of a name.
    pub(super) fn algorithm(name: &str) -> Self {
        Self(vec![(format!("algorithm={name}"), Self::default())])
    }

    /// A node of these conditions.
    pub(super) fn of(conditions: impl IntoIterator<Item = (impl Into<String>, Self)>) -> Self {
        Self(conditions.into_iter().map(|(key, node)| (key.into(), node)).collect())
    }

    /// What a condition leads to; `None` if the node does not have it.
    fn get(&self, key: &str) -> Option<&Self> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// The name of the algorithm that a call gets; `None` if a condition is not known, or no one
    /// holds.
    fn chosen(&self, call: &Call, is_first: bool) -> Option<&str> {
        for (key, node) in &self.0 {
            if let Some(name) = key.strip_prefix("algorithm=") {
                return Some(name);
            }
            if call.holds(key, is_first)? {
                return node.chosen(call, is_first && is_of_communicator(key));
            }
        }
        None
    }

    /// Calls a function with the keys of sizes and their bounds.
    fn sizes(&self, visit: &mut impl FnMut(&str, u64)) {
        for (key, node) in &self.0 {
            if let Some((name, bound)) =
                key.split_once('<').filter(|(name, _)| name.ends_with("msg_size"))
            {
                let bound = bound.trim_start_matches('=').parse().unwrap_or_default();
                visit(name, bound);
            }
            node.sizes(visit);
        }
    }

    /// The same node for one number of processes: without conditions on it, which are tested in
    /// another way behind conditions on calls.
    pub(super) fn on(&self, procs: usize) -> Self {
        self.on_behind(procs, true)
    }

    /// As [`Node::on`]; `is_first` is true if no condition on a call comes before.
    fn on_behind(&self, procs: usize, is_first: bool) -> Self {
        let call = Call { kind: CollectiveKind::Barrier, procs, per_host: 1, size: 0 };
        let is_of_size =
            |key: &str| key.starts_with("comm_size") && key != "comm_size=node_comm_size";
        let mut conditions = Vec::new();
        for (key, node) in &self.0 {
            let on_procs = || node.on_behind(procs, is_first && is_of_communicator(key));
            if !is_of_size(key) {
                conditions.push((key.clone(), on_procs()));
            } else if call.holds(key, is_first) == Some(true) {
                // What follows is never reached.
                if conditions.is_empty() {
                    return on_procs();
                }
                conditions.push(("comm_size=any".to_owned(), on_procs()));
                break;
            }
        }
        Self(conditions)
    }
}

/// Returns true for conditions on the communicator.
fn is_of_communicator(key: &str) -> bool {
    key.starts_with("comm_") || key.starts_with("is_node_consecutive")
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Conditions;
        impl<'de> Visitor<'de> for Conditions {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of conditions")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                let mut conditions = Vec::new();
                while let Some((key, node)) = map.next_entry::<String, Node>()? {
                    if conditions.iter().any(|(known, _)| *known == key) {
                        return Err(de::Error::custom(format!("the key {key:?} is there twice")));
                    }
                    conditions.push((key, node));
                }
                Ok(Node(conditions))
            }
        }
        deserializer.deserialize_map(Conditions)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, node) in &self.0 {
            map.serialize_entry(key, node)?;
        }
        map.end()
    }
}

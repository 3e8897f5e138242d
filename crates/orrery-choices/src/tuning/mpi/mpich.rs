//! Rules as a selection tree of MPICH: those of its own tree, with branches for the numbers of
//! processes that have rules.
//!
//! A file replaces the whole tree, so rules are added to the tree of the installed library. MPICH
//! reads files whose length is a multiple of 4096 bytes beyond their end (release 4.0): such a text
//! gets one more line.

use super::rules::{CommunicatorRules, Rules};
use super::selection::{Node, SelectionTree};
use orrery_measure::sample::{Library, LibraryAlgorithm};
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The text of the selection tree `base` with rules.
pub fn mpich_rules(rules: &Rules, base: &SelectionTree) -> String {
    let mut tree = base.clone();
    for kind in CollectiveKind::ALL {
        let all: Vec<&CommunicatorRules> =
            rules.replacing().filter(|one| one.operation == kind).collect();
        let Some(own) = base.intra(kind).filter(|_| !all.is_empty()) else { continue };
        let mut conditions = Vec::new();
        let mut below = 0;
        for one in all {
            if one.procs > below + 1 {
                conditions.push((format!("comm_size<={}", one.procs - 1), own.clone()));
            }
            conditions.push((format!("comm_size<={}", one.procs), of_hosts(one, own)));
            below = one.procs;
        }
        conditions.push(("comm_size=any".to_owned(), own.clone()));
        tree.set_intra(kind, Node(conditions));
    }
    let mut text = tree.text();
    text.push('\n');
    if text.len().is_multiple_of(PAGE) {
        text.push('\n');
    }
    text
}

/// The size of a page of memory.
const PAGE: usize = 4096;

/// The rules of a number of processes, for some on each host only.
fn of_hosts(one: &CommunicatorRules, own: &Node) -> Node {
    let rules = of_sizes(one, &own.on(one.procs));
    let Some(per_host) = one.per_host else { return rules };
    let mut conditions = Vec::new();
    if per_host > 1 {
        conditions.push((format!("comm_avg_ppn<={}", per_host - 1), own.on(one.procs)));
    }
    conditions.push((format!("comm_avg_ppn<={per_host}"), rules));
    conditions.push(("comm_size=any".to_owned(), own.on(one.procs)));
    Node(conditions)
}

/// The rules of a number of processes by size; `own` is the library's own node for this number.
fn of_sizes(one: &CommunicatorRules, own: &Node) -> Node {
    let kind = one.operation;
    let of = |algorithm: Option<LibraryAlgorithm>| {
        let named = algorithm.and_then(|algorithm| Some((algorithm, name(kind, algorithm)?)));
        named.map_or_else(|| own.clone(), |(algorithm, name)| guarded(kind, algorithm, &name, own))
    };
    let Some(last) = one.rules.last() else { return own.clone() };
    if kind == CollectiveKind::Barrier {
        return of(last.algorithm);
    }
    let (key, factor) = match kind {
        CollectiveKind::Broadcast
        | CollectiveKind::Reduce
        | CollectiveKind::Allreduce
        | CollectiveKind::Alltoall => ("avg_msg_size", 1),
        _ => ("total_msg_size", one.procs as u64),
    };
    let mut conditions = Vec::new();
    for pair in one.rules.windows(2) {
        // Up to the last byte of the blocks before the next rule.
        let end = pair[1].from.get().saturating_sub(1).saturating_mul(factor);
        // Bounds are numbers of 31 bits; beyond them the library decides itself.
        if end >= i32::MAX as u64 {
            conditions.push((format!("{key}<={}", i32::MAX - 1), of(pair[0].algorithm)));
            return closed(conditions, key, own.clone());
        }
        conditions.push((format!("{key}<={end}"), of(pair[0].algorithm)));
    }
    closed(conditions, key, of(last.algorithm))
}

/// A node of these conditions and a last one, `key=any`, which always holds.
fn closed(mut conditions: Vec<(String, Node)>, key: &str, last: Node) -> Node {
    conditions.push((format!("{key}=any"), last));
    Node(conditions)
}

/// An algorithm where the call allows it, and the library's own choice elsewhere.
fn guarded(kind: CollectiveKind, algorithm: LibraryAlgorithm, name: &str, own: &Node) -> Node {
    let chosen = Node::algorithm(name);
    match kind {
        CollectiveKind::Alltoall => {
            Node::of([("is_sendbuf_inplace=yes", own.clone()), ("is_sendbuf_inplace=no", chosen)])
        }
        CollectiveKind::Reduce | CollectiveKind::Allreduce
            if algorithm == LibraryAlgorithm::Scheduled(Algorithm::Rabenseifner) =>
        {
            let counted = Node::of([("count<pow2", own.clone()), ("count=any", chosen)]);
            Node::of([("is_op_built_in=yes", counted), ("is_op_built_in=no", own.clone())])
        }
        CollectiveKind::Reduce | CollectiveKind::Allreduce | CollectiveKind::ReduceScatter => {
            Node::of([("is_commutative=yes", chosen), ("is_commutative=no", own.clone())])
        }
        _ => chosen,
    }
}

/// The name of an operation in selection trees.
pub(super) fn operation_name(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::ReduceScatter => "reduce_scatter_block",
        other => other.name(),
    }
}

/// What the names of an operation's algorithms begin with.
fn prefix(kind: CollectiveKind) -> String {
    let name = operation_name(kind);
    format!("MPIR_{}{}_intra_", name[..1].to_uppercase(), &name[1..])
}

/// The name of an algorithm in selection trees; `None` if they do not have it.
pub(super) fn name(kind: CollectiveKind, algorithm: LibraryAlgorithm) -> Option<String> {
    if !matches!(algorithm, LibraryAlgorithm::Scheduled(_)) {
        return None;
    }
    let names = Library::Mpich.algorithm_names(kind);
    let (name, _) = names.iter().find(|(_, known)| *known == Some(algorithm))?;
    Some(prefix(kind) + name)
}

/// The algorithm of a name in selection trees on some processes; `None` if it has no schedule.
pub(super) fn of_name(kind: CollectiveKind, procs: usize, name: &str) -> Option<LibraryAlgorithm> {
    let name = name.strip_prefix(&prefix(kind))?;
    let runs = |algorithm: LibraryAlgorithm| {
        use orrery_base::units::Bytes;
        use orrery_measure::sample::NativeAlgorithm;
        NativeAlgorithm { library: Library::Mpich, algorithm }.runs_on(
            kind,
            procs,
            Bytes::new(1 << 30),
        )
    };
    let named = Library::Mpich.algorithm_names(kind).iter().filter(|(known, _)| *known == name);
    named.filter_map(|(_, algorithm)| *algorithm).find(|algorithm| runs(*algorithm))
}

impl SelectionTree {
    /// Replaces the conditions of an operation within one communicator; does nothing if the tree
    /// does not have them.
    fn set_intra(&mut self, kind: CollectiveKind, node: Node) {
        let collective = format!("collective={}", operation_name(kind));
        let operation = self.root.0.iter_mut().find(|(key, _)| *key == collective);
        let intra = operation
            .and_then(|(_, node)| node.0.iter_mut().find(|(key, _)| key == "comm_type=intra"));
        if let Some((_, old)) = intra {
            *old = node;
        }
    }
}

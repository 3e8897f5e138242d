use std::fmt;

use orrery::sample::{Library, LibraryAlgorithm};
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{Rules, SelectionTree, Target, mpich_rules};
use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::{any_rules, expected, sizes_of};

/// A selection tree in the order of its text.
struct Tree(Vec<(String, Tree)>);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Tree;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Tree(all))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// A call with a commutative operation of the standard.
#[derive(Clone, Copy)]
struct Call {
    procs: u64,
    per_host: u64,
    size: u64,
    elements: u64,
    is_in_place: bool,
    is_commutative: bool,
}

impl Tree {
    fn get(&self, key: &str) -> &Self {
        self.0
            .iter()
            .find(|(known, _)| known == key)
            .map_or_else(|| panic!("no {key}"), |(_, tree)| tree)
    }

    /// The algorithm of a call, as `MPIR_Csel_search` of MPICH 4.0.2 finds it in a tree that
    /// `MPIR_Csel_prune` has pruned for the communicator; `is_pruned` is true until a condition on
    /// the call.
    fn search(&self, call: Call, is_pruned: bool) -> &str {
        for (key, tree) in &self.0 {
            if let Some(name) = key.strip_prefix("algorithm=") {
                return name;
            }
            let number = |prefix: &str| {
                key.strip_prefix(prefix).map(|bound| bound.parse::<u64>().expect("a number"))
            };
            let is_hierarchical = call.procs > call.per_host && call.per_host > 1;
            let (is_of_comm, holds) = if key.ends_with("=any") {
                (key.starts_with("comm"), true)
            } else if let Some(bound) = number("comm_size<=") {
                (true, call.procs <= bound)
            } else if let Some(bound) = number("comm_size<") {
                // In a search of each call the bound belongs to the range.
                (true, if is_pruned { call.procs < bound } else { call.procs <= bound })
            } else if let Some(bound) = number("comm_avg_ppn<=") {
                (true, call.per_host <= bound)
            } else if let Some(bound) = number("avg_msg_size<=") {
                (false, call.size <= bound)
            } else if let Some(bound) = number("total_msg_size<=") {
                (false, call.size * call.procs <= bound)
            } else {
                match key.as_str() {
                    "comm_size=pow2" => (true, call.procs.is_power_of_two()),
                    "comm_hierarchy=parent" => (true, is_hierarchical),
                    "count<pow2" => (false, call.elements < 1 << call.procs.ilog2()),
                    "is_commutative=yes" | "is_op_built_in=yes" => (false, call.is_commutative),
                    "is_commutative=no" | "is_op_built_in=no" => (false, !call.is_commutative),
                    "is_sendbuf_inplace=yes" => (false, call.is_in_place),
                    "is_sendbuf_inplace=no" => (false, !call.is_in_place),
                    _ => panic!("an unknown key: {key}"),
                }
            };
            if holds {
                return tree.search(call, is_pruned && is_of_comm);
            }
        }
        panic!("no condition holds, and MPICH ends the program");
    }
}

/// A tree with all kinds of conditions.
const BASE: &str = r#"{
"collective=bcast": {"comm_type=intra": {
  "comm_size<8": {"avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
  "comm_size=pow2": {"comm_hierarchy=parent": {"avg_msg_size<=0": {"algorithm=MPIR_Bcast_intra_smp": {}},
      "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
    "comm_hierarchy=any": {"avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
      "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_recursive_doubling_allgather": {}}}},
  "comm_size=any": {"avg_msg_size<=524288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
    "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}},
  "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}},
"collective=allreduce": {"comm_type=intra": {
  "avg_msg_size<=2048": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
  "avg_msg_size=any": {"is_op_built_in=yes": {"count<pow2": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
      "count=any": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}}},
    "is_op_built_in=no": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}}}},
"collective=alltoall": {"comm_type=intra": {
  "is_sendbuf_inplace=yes": {"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace": {}},
  "is_sendbuf_inplace=no": {"comm_size<8": {"avg_msg_size=any": {"algorithm=MPIR_Alltoall_intra_scattered": {}}},
    "comm_size=any": {"avg_msg_size<=256": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
      "avg_msg_size=any": {"algorithm=MPIR_Alltoall_intra_pairwise": {}}}}}},
"collective=allgather": {"comm_type=intra": {
  "comm_size=pow2": {"total_msg_size<=524287": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
    "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}},
  "comm_size=any": {"total_msg_size<=81919": {"algorithm=MPIR_Allgather_intra_brucks": {}},
    "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}}},
"collective=ibarrier": {"algorithm=MPIR_Ibarrier_intra_sched_auto": {}}
}"#;

/// The name of an operation in trees, and the begin of the names of its algorithms.
const OPERATIONS: [(CollectiveKind, &str, &str); 4] = [
    (CollectiveKind::Broadcast, "collective=bcast", "MPIR_Bcast_intra_"),
    (CollectiveKind::Allreduce, "collective=allreduce", "MPIR_Allreduce_intra_"),
    (CollectiveKind::Alltoall, "collective=alltoall", "MPIR_Alltoall_intra_"),
    (CollectiveKind::Allgather, "collective=allgather", "MPIR_Allgather_intra_"),
];

/// Compares the algorithms of calls with those of rules and of the base.
fn compare(rules: &Rules, base: &str) -> Result<(), TestCaseError> {
    let text = mpich_rules(rules, &SelectionTree::parse(base.as_bytes()).unwrap());
    prop_assert!(!text.len().is_multiple_of(4096), "the library would read beyond the end");
    let (tree, base): (Tree, Tree) =
        (serde_json::from_str(&text).unwrap(), serde_json::from_str(base).unwrap());
    for (kind, key, prefix) in OPERATIONS {
        for procs in 2..22 {
            for per_host in [1, 2, 3] {
                for &size in
                    sizes_of(rules).iter().chain(&[0, 256, 257, 2048, 2049, 524_288, 1 << 24])
                {
                    let elements = if kind == CollectiveKind::Allreduce { size / 8 } else { size };
                    for (is_in_place, is_commutative) in
                        [(false, true), (true, true), (false, false)]
                    {
                        let call =
                            Call { procs, per_host, size, elements, is_in_place, is_commutative };
                        let by_base = base.get(key).get("comm_type=intra").search(call, true);
                        let found = tree.get(key).get("comm_type=intra").search(call, true);
                        let of = rules
                            .communicators
                            .iter()
                            .find(|one| one.operation == kind && one.procs as u64 == procs);
                        let applies = of
                            .and_then(|one| one.per_host)
                            .is_none_or(|wanted| wanted as u64 == per_host);
                        let wanted =
                            expected(rules, kind, procs as usize, size).filter(|_| applies);
                        let is_default = wanted.is_none()
                            || is_in_place && kind == CollectiveKind::Alltoall
                            || !is_commutative && kind == CollectiveKind::Allreduce
                            || is_rabenseifner(wanted) && elements < 1 << procs.ilog2();
                        let name = || {
                            let names = Library::Mpich.algorithm_names(kind);
                            let (name, _) =
                                names.iter().find(|(_, algorithm)| *algorithm == wanted).unwrap();
                            format!("{prefix}{name}")
                        };
                        let wanted = if is_default { by_base.to_owned() } else { name() };
                        prop_assert_eq!(
                            found,
                            wanted,
                            "{} on {} ({} per host) of {}",
                            kind,
                            procs,
                            per_host,
                            size
                        );
                    }
                }
            }
        }
    }
    prop_assert!(tree.get("collective=bcast").0.len() == base.get("collective=bcast").0.len());
    prop_assert_eq!(tree.0.len(), base.0.len(), "other operations stay");
    Ok(())
}

fn is_rabenseifner(algorithm: Option<LibraryAlgorithm>) -> bool {
    algorithm.is_some_and(|algorithm| algorithm.to_string() == "rabenseifner")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Calls get the algorithm of their rule where it may be used, and otherwise that of the
    /// library's own tree.
    #[test]
    fn trees_are_searched_as_meant(rules in any_rules(Target::Mpich40)) {
        compare(&rules, BASE)?;
    }
}

#[test]
fn trees_are_found_in_libraries() {
    let small =
        r#"{"collective=bcast": {"comm_type=intra": {"algorithm=MPIR_Bcast_intra_binomial": {}}}}"#;
    let mut library = vec![0x7f, b'E', b'L', b'F', 0xff, 0];
    for text in [small, BASE, "{\"collective=broken\": {"] {
        library.extend_from_slice(text.as_bytes());
        library.push(0);
    }
    let found = SelectionTree::parse(&library).unwrap();
    assert_eq!(found, SelectionTree::parse(BASE.as_bytes()).unwrap());
    assert!(SelectionTree::parse(&[0xff, 0, 1, 2]).is_err());
    assert!(SelectionTree::parse(b"{\"a\": 1}").is_err());
    assert!(SelectionTree::parse(b"{\"a\": {}, \"a\": {}}").is_err());
}

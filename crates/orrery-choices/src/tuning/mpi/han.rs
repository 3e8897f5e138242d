//! The rules that Open MPI's component coll/han reads: where it leaves an operation to coll/tuned.
//!
//! The file has a number of collective operations; of each its name, a number of topological
//! levels; of each its name, a number of configurations; of each the number of processes, a number
//! of rules; of each the bytes from which it holds, and a component. The first configuration is for
//! 1, the first rule for 0 bytes.
//!
//! Source: `coll_han_dynamic_file.h` of Open MPI 5.0.9.

use std::fmt::Write as _;

use super::open_mpi::comment;
use super::rules::{CommunicatorRules, Rules};
use orrery_program::schedule::CollectiveKind;

/// The operations that the component has rules for; coll/tuned decides on the others anyway.
const OPERATIONS: [CollectiveKind; 7] = [
    CollectiveKind::Allgather,
    CollectiveKind::Allreduce,
    CollectiveKind::Barrier,
    CollectiveKind::Broadcast,
    CollectiveKind::Gather,
    CollectiveKind::Reduce,
    CollectiveKind::Scatter,
];

/// The text of a file that leaves to coll/tuned what its rules ([`super::open_mpi_rules`]) replace,
/// and everything else to coll/han.
pub fn han_rules(rules: &Rules, origin: &str) -> String {
    let mut text = comment(origin);
    let mut operations: Vec<Vec<&CommunicatorRules>> = Vec::new();
    for one in rules.replacing().filter(|one| OPERATIONS.contains(&one.operation)) {
        match operations.iter_mut().find(|all| all[0].operation == one.operation) {
            Some(all) => all.push(one),
            None => operations.push(vec![one]),
        }
    }
    let _ = writeln!(text, "{} # collective operations", operations.len());
    for all in operations {
        let _ = writeln!(text, "{}\n1 # topological levels\nglobal_communicator", all[0].operation);
        let mut configurations = vec![(1, None)];
        for (place, one) in all.iter().enumerate() {
            configurations.push((one.procs, Some(*one)));
            if all.get(place + 1).is_none_or(|next| next.procs != one.procs + 1) {
                configurations.push((one.procs + 1, None));
            }
        }
        let _ = writeln!(text, "{} # numbers of processes", configurations.len());
        for (procs, one) in configurations {
            let _ = writeln!(text, "{procs}");
            let Some(one) = one else {
                text += "1 # rules\n0 han\n";
                continue;
            };
            let _ = writeln!(text, "{} # rules", one.rules.len());
            for rule in &one.rules {
                let component = if rule.algorithm.is_some() { "tuned" } else { "han" };
                let _ = writeln!(text, "{} {component} # {}", rule.from.get(), rule.reason.words());
            }
        }
    }
    text
}

//! Files that show whether a library reads its rules: with them a call must fail.
//!
//! Open MPI ignores a file that it cannot read, and rules of a component that another one precedes, silently; its verbose
//! output does not mention rules. A rule that names no algorithm is an error of the call that meets it.

use super::Target;
use super::open_mpi::{self, RuleFile};
use crate::schedule::CollectiveKind;

/// A file of rules that must make calls of an operation fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The operation.
    pub operation: CollectiveKind,
    /// The text of the file.
    pub text: String,
}

/// The probes of a file of rules: one for each operation that has rules; `None` if the text is no file of rules for this release.
///
/// ```
/// use orrery::schedule::CollectiveKind;
/// use orrery::tuning::mpi::{Target, probes};
/// let all = probes(Target::OpenMpi41, "1\n7 # bcast\n1\n4\n2\n0 0 0 0\n1024 6 0 0\n").unwrap();
/// assert_eq!(all[0].operation, CollectiveKind::Broadcast);
/// assert_eq!(probes(Target::OpenMpi41, "no numbers"), None);
/// assert_eq!(all[0].text, "1\n7\n1\n4\n2\n0 255 0 0\n1024 255 0 0\n");
/// ```
pub fn probes(target: Target, text: &str) -> Option<Vec<Probe>> {
    match target {
        Target::OpenMpi41 | Target::OpenMpi50 | Target::OpenMpiHan => {
            let file = RuleFile::parse(text)?;
            let of = |number: u64| {
                let operation = open_mpi::operation(number)?;
                file.with_invalid_algorithm(number).map(|text| Probe { operation, text })
            };
            Some(file.numbers().into_iter().filter_map(of).collect())
        }
        // The tree is read as a whole, when MPI is initialised.
        Target::Mpich40 | Target::Mpich42 => {
            let begin = text.find("\"collective=")?;
            let text = format!("{{\"no such condition\": {{}},\n{}", &text[begin..]);
            Some(vec![Probe { operation: CollectiveKind::Barrier, text }])
        }
    }
}

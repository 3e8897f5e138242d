//! Files that show whether a library reads its rules: with them a call must fail.
//!
//! Open MPI ignores a file that it cannot read, and rules of a component that another one precedes,
//! silently; its verbose output does not mention rules. A rule that names no algorithm is an error
//! of the call that meets it. Rules are made invalid only where they name an algorithm: component
//! coll/han, for example, calls coll/tuned by itself, with a few bytes, and does not survive an
//! error.

use super::Target;
use super::open_mpi::RuleFile;
use orrery_base::units::Bytes;
use orrery_program::schedule::CollectiveKind;

/// A file of rules that must make calls of an operation fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The operation.
    pub operation: CollectiveKind,
    /// The sizes of calls: on each number of processes with rules, a call of one of them must fail;
    /// if empty, calls of any size.
    pub sizes: Vec<Bytes>,
    /// The text of the file.
    pub text: String,
}

/// The probes of a file of rules: one for each operation that has rules; `None` if the text is no
/// file of rules for this release.
///
/// ```
/// use orrery_program::schedule::CollectiveKind;
/// use orrery_choices::tuning::mpi::{Target, probes};
/// use orrery_base::units::Bytes;
/// let all = probes(Target::OpenMpi41, "1\n7 # bcast\n1\n4\n2\n0 0 0 0\n1024 6 0 0\n").unwrap();
/// assert_eq!(all[0].operation, CollectiveKind::Broadcast);
/// assert_eq!(probes(Target::OpenMpi41, "no numbers"), None);
/// assert_eq!(all[0].text, "1\n7\n1\n4\n2\n0 0 0 0\n1024 255 0 0\n");
/// assert_eq!(all[0].sizes, [Bytes::new(1024)]);
/// ```
pub fn probes(target: Target, text: &str) -> Option<Vec<Probe>> {
    match target {
        Target::OpenMpi41 | Target::OpenMpi50 | Target::OpenMpiHan => {
            let file = RuleFile::parse(text)?;
            let of = |number: u64| {
                let (operation, sizes, text) = file.with_invalid_algorithm(number)?;
                Some(Probe { operation, sizes, text })
            };
            Some(file.numbers().into_iter().filter_map(of).collect())
        }
        // The tree is read as a whole, when MPI is initialised.
        Target::Mpich40 | Target::Mpich42 => {
            let begin = text.find("\"collective=")?;
            let text = format!("{{\"no such condition\": {{}},\n{}", &text[begin..]);
            Some(vec![Probe { operation: CollectiveKind::Barrier, sizes: Vec::new(), text }])
        }
    }
}

//! The samples of several files of a machine as one.

use super::{MachineDifference, REMEASURED, Samples, Superseded, supersede};
use orrery_program::schedule::Timing;

/// Samples of several files, with what is not as in the files before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joined {
    /// All readings, each once. The provenance is that of a whole campaign, if there is one.
    pub samples: Samples,
    /// The readings that later ones replace.
    pub superseded: Superseded,
    /// The remarks, each with the number of its file.
    pub remarks: Vec<(usize, JoinRemark)>,
}

/// A remark about samples that are added to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JoinRemark {
    /// Collective operations are timed by another method.
    #[error("its collectives are timed by {found}, those of earlier files by {expected}")]
    Timing {
        /// The method.
        found: Timing,
        /// The method of earlier files.
        expected: Timing,
    },
    /// A number of readings are among the earlier ones.
    #[error("{0} readings are also in earlier files; they are used once")]
    Duplicates(usize),
}

/// Joins the samples of files in any order: readings of hosts that were measured again replace
/// older ones.
pub fn join(mut parts: Vec<Samples>) -> Joined {
    let superseded = supersede(&mut parts);
    let mut order: Vec<(usize, Samples)> = parts.into_iter().enumerate().collect();
    order.sort_by_key(|(_, part)| part.provenance.get(REMEASURED).is_some());
    let mut order = order.into_iter();
    let mut joined = Joined { superseded, ..Joined::default() };
    joined.samples = order.next().map(|(_, first)| first).unwrap_or_default();
    for (number, part) in order {
        let (expected, found) = (joined.samples.provenance.timing(), part.provenance.timing());
        if found != expected && joined.samples.has_collectives() && part.has_collectives() {
            joined.remarks.push((number, JoinRemark::Timing { found, expected }));
        }
        let duplicates = joined.samples.extend(&part);
        if duplicates > 0 {
            joined.remarks.push((number, JoinRemark::Duplicates(duplicates)));
        }
    }
    joined
}

/// The differences between the machine of each file and that of all files before it, each with the
/// number of the file.
pub fn machine_differences(parts: &[Samples]) -> Vec<(usize, MachineDifference)> {
    let mut differences = Vec::new();
    let Some(first) = parts.first() else { return differences };
    let mut machine = first.provenance.clone();
    for (number, part) in parts.iter().enumerate().skip(1) {
        let found = machine.machine_differences(&part.provenance);
        differences.extend(found.into_iter().map(|difference| (number, difference)));
        machine.add_hosts(&part.provenance);
    }
    differences
}

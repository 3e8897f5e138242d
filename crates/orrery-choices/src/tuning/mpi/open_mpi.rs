//! The rules that Open MPI's component coll/tuned reads.
//!
//! The file has a number of collective operations; of each its number, a number of communicator
//! sizes; of each the size, a number of rules; of each the bytes from which it holds, an algorithm,
//! its fan-out, its segment size. Algorithm 0 is the default. The rules of a communicator size hold
//! up to the next one, and the first also for smaller ones, so that sizes without rules are
//! written, too. A component that cannot read the file ignores it silently.

use std::fmt::Write as _;

use super::Target;
use super::rules::{CommunicatorRules, Rule, Rules};
use orrery_base::file::Fault;
use orrery_base::units::Bytes;
use orrery_measure::sample::{Library, LibraryAlgorithm};
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The text of a file of rules; `origin` is its first comment. An empty file of rules has no
/// operation.
///
/// ```
/// use orrery_choices::tuning::mpi::{Rules, Target, open_mpi_rules};
/// let rules = Rules { target: Target::OpenMpi41, communicators: Vec::new() };
/// assert!(open_mpi_rules(&rules, "by nothing").ends_with("\n0 # collective operations\n"));
/// ```
pub fn open_mpi_rules(rules: &Rules, origin: &str) -> String {
    let mut text = comment(origin);
    for operation in rules.reordered() {
        text += &comment(&format!(
            "The rules of {operation} change the order of operands: not for operations that do not \
                commute."
        ));
    }
    let of = |operation| {
        rules.replacing().filter(move |one| one.operation == operation).collect::<Vec<_>>()
    };
    let operations: Vec<_> =
        NUMBERS.iter().map(|&(operation, number)| (number, operation, of(operation))).collect();
    let operations = operations.iter().filter(|(_, _, all)| !all.is_empty());
    let _ = writeln!(text, "{} # collective operations", operations.clone().count());
    for (number, operation, communicators) in operations {
        let _ =
            writeln!(text, "{number} # {operation}; sizes are bytes of {}", size_words(*operation));
        let sizes = with_gaps(0, communicators);
        let _ = writeln!(text, "{} # communicator sizes", sizes.len());
        for (procs, all) in sizes {
            let hosts =
                all.and_then(|all| all.per_host).map(|number| format!(", {number} on each host"));
            let _ = writeln!(text, "{procs} # processes{}", hosts.unwrap_or_default());
            let Some(all) = all else {
                text += "1 # rules\n0 0 0 0 # the default\n";
                continue;
            };
            let _ = writeln!(text, "{} # rules", all.rules.len());
            for rule in &all.rules {
                let _ = writeln!(text, "{}", line(rules.target, all, rule));
            }
        }
    }
    text
}

/// The line of a rule.
fn line(target: Target, all: &CommunicatorRules, rule: &Rule) -> String {
    let named = rule
        .algorithm
        .and_then(|algorithm| Some((algorithm, parameters(target, all.operation, algorithm)?)));
    let (name, (number, fanout, segment)) = named.map_or_else(
        || ("the default".to_owned(), (0, 0, 0)),
        |(name, numbers)| (name.to_string(), numbers),
    );
    let from = key(all.operation, all.procs, rule.from);
    format!("{from} {number} {fanout} {segment} # {name}: {}", rule.reason.words())
}

/// The numbers of operations. Source: `enum COLLTYPE` of Open MPI, `coll_base_functions.h`.
const NUMBERS: [(CollectiveKind, usize); 11] = [
    (CollectiveKind::Allgather, 0),
    (CollectiveKind::Allreduce, 2),
    (CollectiveKind::Alltoall, 3),
    (CollectiveKind::Barrier, 6),
    (CollectiveKind::Broadcast, 7),
    (CollectiveKind::Exscan, 8),
    (CollectiveKind::Gather, 9),
    (CollectiveKind::Reduce, 11),
    (CollectiveKind::ReduceScatter, 13),
    (CollectiveKind::Scan, 14),
    (CollectiveKind::Scatter, 15),
];

/// What the sizes of rules count.
const fn size_words(operation: CollectiveKind) -> &'static str {
    match operation {
        CollectiveKind::Broadcast | CollectiveKind::Reduce | CollectiveKind::Allreduce => {
            "the vector"
        }
        CollectiveKind::Barrier | CollectiveKind::Scan | CollectiveKind::Exscan => "nothing",
        _ => "the blocks of all processes",
    }
}

/// The bytes of a rule for a size: of the vector, or of the blocks of all processes. A rule of the
/// blocks holds from the first byte after all smaller blocks.
fn key(operation: CollectiveKind, procs: usize, size: Bytes) -> u64 {
    match operation {
        CollectiveKind::Broadcast | CollectiveKind::Reduce | CollectiveKind::Allreduce => {
            size.get()
        }
        _ if size == Bytes::ZERO => 0,
        _ => size.get().saturating_mul(procs as u64).min(i64::MAX as u64),
    }
}

/// The number of an algorithm with its fan-out and segment size; `None` if rules cannot name it.
///
/// Rules have no radix of k-nomial trees and no limit of messages in flight: those of the library
/// hold, 4 and none.
pub(super) fn parameters(
    target: Target,
    operation: CollectiveKind,
    algorithm: LibraryAlgorithm,
) -> Option<(usize, u8, u64)> {
    let LibraryAlgorithm::Scheduled(wanted) = algorithm else { return None };
    if (operation, wanted) == (CollectiveKind::Alltoall, Algorithm::LinearSync)
        || wanted == Algorithm::Sparbit && target == Target::OpenMpi41
    {
        return None;
    }
    let is_of = |known: Algorithm| match (known, wanted) {
        // Also along a binomial tree in segments.
        (Algorithm::Binomial, Algorithm::KNomial(2, _)) => {
            matches!(operation, CollectiveKind::Broadcast | CollectiveKind::Reduce)
        }
        (Algorithm::Chain(..), Algorithm::Chain(..)) => true,
        (known, wanted) => known == wanted || known.with_segment(wanted.segment()) == Some(wanted),
    };
    let names = Library::OpenMpi.algorithm_names(operation);
    let place = names.iter().position(
        |(_, known)| matches!(known, Some(LibraryAlgorithm::Scheduled(known)) if is_of(*known)),
    )?;
    let fanout = if let Algorithm::Chain(chains, _) = wanted { chains } else { 0 };
    Some((place + 1, fanout, wanted.segment().get()))
}

/// Communicator sizes with their rules, and those after them and from the smallest one on that have
/// none.
fn with_gaps<'a>(
    smallest: usize,
    communicators: &[&'a CommunicatorRules],
) -> Vec<(usize, Option<&'a CommunicatorRules>)> {
    let mut sizes = vec![(smallest, None)];
    for (place, all) in communicators.iter().enumerate() {
        sizes.push((all.procs, Some(*all)));
        let next = communicators.get(place + 1).map(|next| next.procs);
        if next != Some(all.procs + 1) {
            sizes.push((all.procs + 1, None));
        }
    }
    sizes
}

/// Text as comments: each line begins with `# `.
pub(super) fn comment(text: &str) -> String {
    text.lines().fold(String::new(), |all, line| all + "# " + line + "\n")
}

/// The operation of a number; `None` if it is none of Orrery.
fn operation(number: u64) -> Option<CollectiveKind> {
    NUMBERS.iter().find(|(_, known)| *known as u64 == number).map(|(operation, _)| *operation)
}

/// A number of an operation, with the rules of communicator sizes: bytes, algorithm, fan-out,
/// segment size.
type RulesOfOperation = (u64, Vec<(u64, Vec<[u64; 4]>)>);

/// A file of rules as Open MPI reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RuleFile(Vec<RulesOfOperation>);

impl RuleFile {
    /// The rules of a text; an error, with its place, if it is no complete file of rules.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let words = text
            .split('\n')
            .flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
        let mut all = words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word));
        let mut next = || match all.next() {
            Some((byte, word)) => word.parse::<u64>().map_err(|_| {
                Fault::new(format!("{word:?} is no number, as those of rules are")).at(byte)
            }),
            None => {
                let fault = "the file ends within the rules, which are not complete";
                Err(Fault::new(fault).at(text.trim_end().len()))
            }
        };
        let mut operations = Vec::new();
        for _ in 0..next()? {
            let (operation, mut sizes) = (next()?, Vec::new());
            for _ in 0..next()? {
                let (procs, mut rules) = (next()?, Vec::new());
                for _ in 0..next()? {
                    rules.push([next()?, next()?, next()?, next()?]);
                }
                sizes.push((procs, rules));
            }
            operations.push((operation, sizes));
        }
        match all.next() {
            Some((byte, word)) => {
                Err(Fault::new(format!("{word:?} is behind the last of the rules")).at(byte))
            }
            None => Ok(Self(operations)),
        }
    }

    /// The numbers of the operations.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.0.iter().map(|(number, _)| *number).collect()
    }

    /// The rules of the operation with this number, with an invalid algorithm where they name one
    /// and none elsewhere, as the text of a file; with the operation, and with sizes of calls that
    /// meet an invalid rule, one for each communicator size and rule. `None` if no rule names an
    /// algorithm.
    pub(super) fn with_invalid_algorithm(
        &self,
        number: u64,
    ) -> Option<(CollectiveKind, Vec<Bytes>, String)> {
        /// No release has as many algorithms.
        const NONE: u64 = 255;
        let operation = operation(number)?;
        let (_, communicators) = self.0.iter().find(|(other, _)| *other == number)?;
        let mut sizes = Vec::new();
        let mut text = format!("1\n{number}\n{}\n", communicators.len());
        for (procs, rules) in communicators {
            let mut lines = Vec::new();
            for (place, &[from, algorithm, ..]) in rules.iter().enumerate() {
                let next = rules.get(place + 1).map(|next| next[0]);
                let met =
                    if algorithm == 0 { None } else { Some(met(operation, *procs, from, next)) };
                if met.is_none_or(|(bytes, _)| bytes > from) {
                    lines.push([from, 0]);
                }
                if let Some((bytes, size)) = met {
                    lines.push([bytes, NONE]);
                    sizes.push(size);
                }
            }
            let _ = writeln!(text, "{procs}\n{}", lines.len());
            for [from, algorithm] in lines {
                let _ = writeln!(text, "{from} {algorithm} 0 0");
            }
        }
        sizes.sort_unstable();
        sizes.dedup();
        (!sizes.is_empty()).then_some((operation, sizes, text))
    }
}

/// The size of the calls that meet invalid rules: large enough that those that components make by
/// themselves do not.
const PROBED: Bytes = Bytes::new(1 << 10);

/// For a rule that holds in `from..next` bytes: the bytes from which the probe makes it invalid,
/// and the size of a call that meets it, which is [`PROBED`] or the nearest size at which the rule
/// holds.
fn met(operation: CollectiveKind, procs: u64, from: u64, next: Option<u64>) -> (u64, Bytes) {
    use CollectiveKind as K;
    if operation == K::Barrier {
        return (from, Bytes::ZERO);
    }
    let bytes_of_one = key(operation, procs.max(1) as usize, Bytes::new(1));
    let largest = next.map_or(u64::MAX, |next| next.saturating_sub(1)) / bytes_of_one;
    let size = PROBED.get().min(largest).max(from.div_ceil(bytes_of_one));
    // Rules of these do not see the bytes on all ranks, or not at all.
    let is_blind = matches!(operation, K::Scan | K::Exscan | K::Scatter | K::Gather);
    (if is_blind { from } else { size.saturating_mul(bytes_of_one) }, Bytes::new(size))
}

// The rules that Open MPI's component coll/han reads: where it leaves an operation to coll/tuned.
//
// The file has a number of collective operations; of each its name, a number of topological
// levels; of each its name, a number of configurations; of each the number of processes, a number
// of rules; of each the bytes from which it holds, and a component. The first configuration is for
// 1, the first rule for 0 bytes.
//
// Source: `coll_han_dynamic_file.h` of Open MPI 5.0.9.

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
        let configurations = with_gaps(1, &all);
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

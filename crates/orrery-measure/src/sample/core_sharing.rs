//! Ranks that run on the same processor cores.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Provenance;
use orrery_cluster::platform::Processor;

/// Ranks of one host, or of several hosts of one kernel, that are bound to fewer cores than there
/// are ranks.
///
/// The operating system runs them in turn, so times between them show its scheduler and not a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCores {
    /// The name of the host; that of the first rank if the ranks are on several.
    pub host: String,
    /// True if the ranks are on several hosts of one kernel, such as network namespaces, so that
    /// messages between them pass links.
    pub spans_hosts: bool,
    /// The cores, ascending.
    pub cores: Vec<usize>,
    /// The ranks, ascending; more than there are cores.
    pub ranks: Vec<Processor>,
}

impl SharedCores {
    /// Returns true if both ranks are in the group.
    pub fn joins(&self, a: Processor, b: Processor) -> bool {
        self.ranks.contains(&a) && self.ranks.contains(&b)
    }
}

/// `ranks 0 and 2 share core 0: times between them are those of one core's scheduler, not of a link`.
impl fmt::Display for SharedCores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranks = listed(self.ranks.iter().map(|rank| rank.index()));
        let (cores, scheduler) = match self.cores.as_slice() {
            [core] => (format!("core {core}"), "one core's scheduler"),
            cores => (format!("cores {}", listed(cores.iter().copied())), "the cores' scheduler"),
        };
        if self.spans_hosts {
            return write!(
                f,
                "ranks {ranks} share {cores}, as their hosts have one kernel: times between them \
                    contain those of {scheduler}"
            );
        }
        write!(
            f,
            "ranks {ranks} share {cores}: times between them are those of {scheduler}, not of a \
                link"
        )
    }
}

/// The smallest number of successive numbers that is written as a range.
const MIN_RANGE: usize = 3;

/// Returns ascending numbers in words: `0 and 2`, `0 to 3 and 5`.
fn listed(numbers: impl Iterator<Item = usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words: Vec<String> = runs
        .into_iter()
        .flat_map(|(first, last)| {
            if last - first + 1 >= MIN_RANGE {
                vec![format!("{first} to {last}")]
            } else {
                (first..=last).map(|number| number.to_string()).collect()
            }
        })
        .collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Returns the cores in a word of the key `cores`, such as `3` or `0-3,8`; `None` for `any` and
/// other words.
fn parse_cores(word: &str) -> Option<BTreeSet<usize>> {
    let mut cores = BTreeSet::new();
    for part in word.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first > MAX_CORES {
            return None;
        }
        cores.extend(first..=last);
    }
    Some(cores)
}

/// The largest number of cores in a range.
const MAX_CORES: usize = 4096;

impl Provenance {
    /// Sets the kernel of each rank (its boot identifier) as numbers under the key `kernels`, if
    /// the names under the key `hosts` do not distinguish kernels: namespaces of one kernel may be
    /// hosts with names of their own, and share its cores.
    ///
    /// ```
    /// use orrery_measure::sample::Provenance;
    /// let mut provenance = Provenance::new().with("hosts", "a b c").with("cores", "0 0 0");
    /// provenance.set_kernels(["x", "y", "x"]);
    /// assert_eq!(provenance.get("kernels"), Some("0 1 0"));
    /// ```
    pub fn set_kernels<'a>(&mut self, boots: impl IntoIterator<Item = &'a str>) {
        let kernels = numbered(boots);
        if kernels != numbered(self.hosts()) {
            let words: Vec<String> = kernels.iter().map(usize::to_string).collect();
            self.set(KERNELS, words.join(" "));
        }
    }

    /// The number of the kernel of each rank, from the key `kernels`; without it, each host has
    /// one.
    fn kernels(&self) -> Vec<usize> {
        let hosts = self.hosts();
        let kernels: Vec<&str> = self.get(KERNELS).unwrap_or_default().split_whitespace().collect();
        numbered(if kernels.len() == hosts.len() { kernels } else { hosts })
    }

    /// Returns the groups of ranks that are bound to fewer cores than there are ranks, from the
    /// keys `hosts`, `cores` and `kernels`; if one group contains another, only the smaller one.
    /// Empty if the first two are missing.
    ///
    /// ```
    /// use orrery_measure::sample::Provenance;
    /// let provenance = Provenance::new().with("hosts", "a a a b").with("cores", "0 1 0 0");
    /// let [shared] = &provenance.shared_cores()[..] else { panic!("one group") };
    /// assert!(shared.to_string().starts_with("ranks 0 and 2 share core 0: "));
    /// // Hosts 0 to 2 are namespaces of one kernel.
    /// let provenance = Provenance::new().with("hosts", "a b c d").with("cores", "0 0 1 0").with("kernels", "0 0 0 1");
    /// assert_eq!(provenance.shared_cores().len(), 1);
    /// ```
    pub fn shared_cores(&self) -> Vec<SharedCores> {
        let words: Vec<&str> = self.get("cores").unwrap_or_default().split_whitespace().collect();
        let hosts = self.hosts();
        let mut of_kernels: BTreeMap<usize, Vec<(usize, BTreeSet<usize>)>> = BTreeMap::new();
        for (rank, (kernel, word)) in self.kernels().into_iter().zip(words).enumerate() {
            if let Some(cores) = parse_cores(word) {
                of_kernels.entry(kernel).or_default().push((rank, cores));
            }
        }
        let groups = of_kernels.into_values().flat_map(|ranks| crowded(&ranks));
        let named = |group: SharedCores| {
            let mut names = group.ranks.iter().map(|rank| hosts[rank.index()]);
            let host = names.next().unwrap_or_default();
            SharedCores {
                host: host.to_owned(),
                spans_hosts: names.any(|name| name != host),
                ..group
            }
        };
        groups.map(named).collect()
    }
}

/// The key of the kernels of ranks.
const KERNELS: &str = "kernels";

/// Numbers words in the order of their first appearance.
fn numbered<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let number = |word: &'a str| {
        let next = numbers.len();
        *numbers.entry(word).or_insert(next)
    };
    words.into_iter().map(number).collect()
}

/// Returns the groups of ranks of one kernel that have fewer cores than ranks, without their host;
/// `ranks` has each rank with its cores.
fn crowded(ranks: &[(usize, BTreeSet<usize>)]) -> Vec<SharedCores> {
    // A group consists of all ranks that use only cores of a set: the cores of one rank, or of
    // ranks that overlap.
    let mut sets: Vec<BTreeSet<usize>> = ranks.iter().map(|(_, cores)| cores.clone()).collect();
    let mut unions: Vec<BTreeSet<usize>> = Vec::new();
    for (_, cores) in ranks {
        let (overlapping, apart): (Vec<_>, Vec<_>) =
            unions.into_iter().partition(|union| !union.is_disjoint(cores));
        unions = apart;
        unions.push(overlapping.into_iter().flatten().chain(cores.iter().copied()).collect());
    }
    sets.extend(unions);
    sets.sort_by_key(|set| (set.len(), set.iter().copied().collect::<Vec<_>>()));
    sets.dedup();
    let mut groups: Vec<SharedCores> = Vec::new();
    for set in sets {
        let inside = ranks
            .iter()
            .filter(|(_, cores)| cores.is_subset(&set))
            .map(|(rank, _)| Processor(*rank as u32));
        let inside: Vec<Processor> = inside.collect();
        let is_covered =
            groups.iter().any(|group| group.cores.iter().all(|core| set.contains(core)));
        if inside.len() > set.len() && !is_covered {
            let (host, cores) = (String::new(), set.into_iter().collect());
            groups.push(SharedCores { host, spans_hosts: false, cores, ranks: inside });
        }
    }
    groups.sort_by(|a, b| a.ranks.cmp(&b.ranks));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(hosts: &str, cores: &str) -> Vec<String> {
        let provenance = Provenance::new().with("hosts", hosts).with("cores", cores);
        let words = |shared: &SharedCores| {
            shared.to_string().split(": ").next().unwrap_or_default().to_owned()
        };
        provenance.shared_cores().iter().map(words).collect()
    }

    #[test]
    fn ranks_on_one_core_are_grouped() {
        assert_eq!(
            groups("a a a a", "0 1 0 1"),
            ["ranks 0 and 2 share core 0", "ranks 1 and 3 share core 1"]
        );
        assert_eq!(groups("a b", "0 0"), [""; 0]);
        assert_eq!(groups("a a", "0 1"), [""; 0]);
    }

    #[test]
    fn ranks_that_may_use_enough_cores_are_not_grouped() {
        assert_eq!(groups("a a a", "0-7 0-7 0-7"), [""; 0]);
        assert_eq!(groups("a a a a", "0-1 0-1 0-1 0-1"), ["ranks 0 to 3 share cores 0 and 1"]);
        assert_eq!(groups("a a a", "0 0-1 1"), ["ranks 0 to 2 share cores 0 and 1"]);
        assert_eq!(groups("a a a", "0 0 0-3"), ["ranks 0 and 1 share core 0"]);
    }

    #[test]
    fn hosts_of_one_kernel_share_its_cores() {
        let provenance = |boots: [&str; 4]| {
            let mut provenance =
                Provenance::new().with("hosts", "a b c c").with("cores", "0-1 0-1 0-1 2");
            provenance.set_kernels(boots);
            provenance
        };
        let namespaces = provenance(["x"; 4]);
        assert_eq!(namespaces.get("kernels"), Some("0 0 0 0"));
        let [shared] = &namespaces.shared_cores()[..] else { panic!("{namespaces:?}") };
        assert_eq!((shared.host.as_str(), shared.spans_hosts), ("a", true));
        assert!(
            shared
                .to_string()
                .starts_with("ranks 0 to 2 share cores 0 and 1, as their hosts have one kernel: ")
        );
        // Hosts with a kernel each need no key.
        let hosts = provenance(["x", "y", "z", "z"]);
        assert_eq!((hosts.get("kernels"), hosts.shared_cores()), (None, vec![]));
        // Virtual machines may have the same name.
        let mut machines =
            Provenance::new().with("hosts", "localhost localhost").with("cores", "0 0");
        assert_eq!(machines.shared_cores().len(), 1);
        machines.set_kernels(["x", "y"]);
        assert_eq!(machines.shared_cores(), []);
        // Kernels of fewer ranks say nothing.
        assert_eq!(namespaces.with("kernels", "0 0").shared_cores(), []);
    }

    #[test]
    fn unknown_cores_are_ignored() {
        assert_eq!(groups("a a", "any any"), [""; 0]);
        assert_eq!(groups("a a", "9-1 x"), [""; 0]);
        assert_eq!(Provenance::new().with("hosts", "a a").shared_cores(), []);
    }
}

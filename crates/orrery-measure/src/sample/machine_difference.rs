//! Differences between the machines of two sets of measurements, as far as their provenance names
//! them.

use std::collections::BTreeSet;

use super::Provenance;

/// The keys of the provenance, besides the hosts, whose values differ between machines.
const MACHINE_KEYS: [&str; 3] = ["machine", "truth", "thread-level"];

/// The key of the meaning of nodes in files of timings.
const NODES: &str = "nodes";

/// A difference between the machines of two sets of measurements.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineDifference {
    /// A key of the provenance has another value.
    #[error("its {key} is {found:?}, not {expected:?}")]
    Entry {
        /// The key.
        key: &'static str,
        /// The value in the later measurements.
        found: String,
        /// The value in the earlier measurements.
        expected: String,
    },
    /// Processors of the same number are on different hosts.
    #[error(
        "{}: processor {processor} is on {found:?}, not on {expected:?}",
        match (*.permuted, *.different) {
            (true, _) => "its hosts are in another order".to_owned(),
            (false, 1) => format!("1 of {compared} processors is on another host"),
            (false, _) => format!("{different} of {compared} processors are on other hosts"),
        }
    )]
    Hosts {
        /// The first processor whose host differs.
        processor: usize,
        /// Its host in the later measurements.
        found: String,
        /// Its host in the earlier measurements.
        expected: String,
        /// The number of processors whose hosts differ.
        different: usize,
        /// The number of processors whose hosts both measurements name.
        compared: usize,
        /// True if both name the same hosts in another order.
        permuted: bool,
    },
    /// Nodes of schemes are hosts that the earlier measurements do not name.
    #[error("{count} of its hosts {} unknown, such as \
        {first:?}", if *.count == 1 { "is" } else { "are" })]
    UnknownHosts {
        /// The first such host.
        first: String,
        /// The number of such hosts.
        count: usize,
    },
}

impl MachineDifference {
    /// Returns true if the hosts differ, so that times of different links would be taken as times
    /// of one link.
    pub fn concerns_hosts(&self) -> bool {
        !matches!(self, Self::Entry { .. })
    }

    /// The difference of the hosts of processors 0, 1, …, as far as both are known; an empty name
    /// is an unknown host. `None` if they agree.
    ///
    /// ```
    /// use orrery_measure::sample::MachineDifference;
    /// assert_eq!(MachineDifference::of_hosts(&["a", "b"], &["a", "b", "c"]), None);
    /// let permuted = MachineDifference::of_hosts(&["a", "b"], &["b", "a"]).unwrap();
    /// assert_eq!(permuted.to_string(), "its hosts are in another order: processor 0 is on \"b\", not on \"a\"");
    /// ```
    pub fn of_hosts<A: AsRef<str>, B: AsRef<str>>(expected: &[A], found: &[B]) -> Option<Self> {
        let pairs =
            expected.iter().map(AsRef::as_ref).zip(found.iter().map(AsRef::as_ref)).enumerate();
        let known: Vec<(usize, (&str, &str))> =
            pairs.filter(|(_, (one, other))| !one.is_empty() && !other.is_empty()).collect();
        let mut different = known.iter().filter(|(_, (one, other))| one != other);
        let &(processor, (expected, found)) = different.next()?;
        let sorted = |hosts: &mut dyn Iterator<Item = &&str>| {
            let mut hosts: Vec<String> = hosts.map(ToString::to_string).collect();
            hosts.sort_unstable();
            hosts
        };
        let permuted = sorted(&mut known.iter().map(|(_, (one, _))| one))
            == sorted(&mut known.iter().map(|(_, (_, other))| other));
        Some(Self::Hosts {
            processor,
            found: found.to_owned(),
            expected: expected.to_owned(),
            different: 1 + different.count(),
            compared: known.len(),
            permuted,
        })
    }

    /// The hosts of schemes (`found`) that a model (`expected`) does not name, in any order, since
    /// laws belong to a network and not to processors; `None` if there are none, or if the model
    /// names no hosts.
    pub fn of_network<A: AsRef<str>>(expected: &[A], found: &[&str]) -> Option<Self> {
        let known: BTreeSet<&str> =
            expected.iter().map(AsRef::as_ref).filter(|host| !host.is_empty()).collect();
        let unknown: BTreeSet<&str> =
            found.iter().copied().filter(|host| !known.contains(host)).collect();
        let first =
            found.iter().find(|host| unknown.contains(*host)).filter(|_| !known.is_empty())?;
        Some(Self::UnknownHosts { first: (*first).to_owned(), count: unknown.len() })
    }
}

impl Provenance {
    /// The differences between the machine of earlier measurements and that of later ones. A
    /// difference of hosts is the last.
    pub fn machine_differences(&self, later: &Self) -> Vec<MachineDifference> {
        let mut differences = self.entry_differences(later);
        differences.extend(MachineDifference::of_hosts(&self.node_hosts(), &later.node_hosts()));
        differences
    }

    /// The differences apart from the hosts.
    pub fn entry_differences(&self, later: &Self) -> Vec<MachineDifference> {
        let entry = |key: &'static str| {
            let (expected, found) = (self.get(key)?.to_owned(), later.get(key)?.to_owned());
            (expected != found).then_some(MachineDifference::Entry { key, found, expected })
        };
        MACHINE_KEYS.into_iter().filter_map(entry).collect()
    }

    /// The host of each processor, or of each node where nodes are hosts.
    fn node_hosts(&self) -> Vec<&str> {
        let mut hosts = self.hosts();
        if self.get(NODES) == Some("hosts") {
            let mut known = BTreeSet::new();
            hosts.retain(|host| known.insert(*host));
        }
        hosts
    }

    /// Adds the hosts of further processors that other measurements of the same machine name.
    pub fn add_hosts(&mut self, other: &Self) {
        let (own, others) = (self.hosts(), other.hosts());
        if others.len() > own.len() {
            let all = [&own[..], &others[own.len()..]].concat().join(" ");
            self.set("hosts", all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &str) -> Provenance {
        Provenance::new().with("hosts", names)
    }

    #[test]
    fn hosts_are_compared_by_processor() {
        let texts = |one: &str, other: &str| -> Vec<String> {
            let differences = hosts(one).machine_differences(&hosts(other));
            differences.iter().map(ToString::to_string).collect()
        };
        assert_eq!(texts("a b c", "a b"), [""; 0]);
        assert_eq!(texts("a b", "a b c"), [""; 0]);
        assert_eq!(
            texts("a b c", "a c b"),
            ["its hosts are in another order: processor 1 is on \"c\", not on \"b\""]
        );
        assert_eq!(
            texts("a b c", "a x y"),
            ["2 of 3 processors are on other hosts: processor 1 is on \"x\", not on \"b\""]
        );
        assert_eq!(
            MachineDifference::of_hosts(&["", "b"], &["a", "b"]),
            None,
            "an empty name is unknown"
        );
        assert_eq!(Provenance::new().machine_differences(&hosts("a")), []);
    }

    #[test]
    fn nodes_that_are_hosts_are_compared_by_host() {
        let nodes = |names: &str| hosts(names).with("nodes", "hosts");
        assert_eq!(nodes("a a b b").machine_differences(&nodes("a b")), []);
        assert_eq!(hosts("a a b b").machine_differences(&hosts("a b")).len(), 1);
        assert_eq!(MachineDifference::of_network(&["a", "b"], &["b", "b", "a"]), None);
        let unknown =
            MachineDifference::of_network(&["a", "b"], &["b", "c", "c"]).map(|one| one.to_string());
        assert_eq!(unknown.as_deref(), Some("1 of its hosts is unknown, such as \"c\""));
    }

    #[test]
    fn further_hosts_are_added() {
        let mut provenance = hosts("a b");
        provenance.add_hosts(&hosts("a b c"));
        assert_eq!(provenance.hosts(), ["a", "b", "c"]);
        provenance.add_hosts(&hosts("x"));
        assert_eq!(provenance.hosts(), ["a", "b", "c"]);
    }
}

//! Hosts of a cluster, grouped by kind.

use std::collections::BTreeSet;

use orrery_base::units::Bytes;

/// A group of identical hosts: one entry of the cluster file.
#[derive(Debug, Clone, PartialEq)]
pub struct HostGroup {
    /// The names of the hosts.
    pub names: Vec<String>,
    /// The kind of their processing elements, for example the name of the processor.
    pub kind: String,
    /// The number of processing elements of each host.
    pub cores: u32,
    /// The maximum number of processes on one element.
    pub processes: u32,
    /// The memory of each host that applications can use, if known.
    pub memory: Option<Bytes>,
    /// The price of one core for an hour, in any currency, if known.
    pub price: Option<f64>,
}

/// The hosts of a cluster, grouped by the kind of their processing elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    kinds: Vec<Kind>,
}

/// The reason why groups of hosts do not form a cluster; displayed as a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ClusterError {
    /// The index of the invalid entry and its invalid key; `None` if no entry is at fault.
    pub place: Option<(usize, &'static str)>,
    message: String,
}

/// The maximum number of processes that a cluster can run.
const MAX_PROCESSES: u64 = 1 << 31;

impl ClusterError {
    /// A cluster without a host.
    pub(super) fn empty() -> Self {
        let message = "there is no host; describe one or more in [[hosts]]".to_owned();
        Self { place: None, message }
    }
}

impl Cluster {
    /// A cluster of these hosts. Kinds are in the order in which they are first named.
    ///
    /// # Errors
    ///
    /// When there is no host, when two hosts have the same name, when more than 2^31 processes fit,
    /// or when hosts of one kind differ in the number of processes per element or in price. Cores
    /// and memory may differ.
    pub fn new(entries: Vec<HostGroup>) -> Result<Self, ClusterError> {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut known = BTreeSet::new();
        let mut room = 0_u64;
        for (entry, hosts) in entries.into_iter().enumerate() {
            let elements = hosts.names.len() as u64 * u64::from(hosts.cores);
            room = room.saturating_add(elements.saturating_mul(u64::from(hosts.processes)));
            if room > MAX_PROCESSES {
                let message = format!(
                    "the cluster can run more than {MAX_PROCESSES} processes; reduce \"cores\" or \
                        \"processes\""
                );
                return Err(ClusterError { place: Some((entry, "cores")), message });
            }
            if let Some(name) = hosts.names.iter().find(|name| !known.insert((*name).clone())) {
                let message = format!("the host {name:?} is named twice; name each host once");
                return Err(ClusterError { place: Some((entry, "names")), message });
            }
            let Some(kind) = kinds.iter_mut().find(|kind| kind.name == hosts.kind) else {
                kinds.push(Kind::new(hosts));
                continue;
            };
            let differs = |key| {
                let kind = &hosts.kind;
                let message = format!(
                    "{key} differs from that of earlier hosts of the kind {kind:?}; make them \
                        agree, or give these hosts a kind of their own"
                );
                Err(ClusterError { place: Some((entry, key)), message })
            };
            if kind.processes != hosts.processes {
                return differs("processes");
            }
            if kind.price != hosts.price {
                return differs("price");
            }
            kind.hosts.push(hosts);
        }
        if known.is_empty() { Err(ClusterError::empty()) } else { Ok(Self { kinds }) }
    }

    /// All kinds of processing elements.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The kind with this name; `None` if the cluster has no such kind.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }
}

/// All processing elements of one kind in a [`Cluster`], with the hosts that have them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Kind {
    /// The name of the kind.
    pub name: String,
    /// The maximum number of processes on one element.
    pub processes: u32,
    /// The price of one element for an hour, in any currency, if known.
    pub price: Option<f64>,
    /// The hosts, one entry for each group of identical hosts.
    pub hosts: Vec<HostGroup>,
}

impl Kind {
    /// The kind of a first group of hosts.
    fn new(hosts: HostGroup) -> Self {
        Self {
            name: hosts.kind.clone(),
            processes: hosts.processes,
            price: hosts.price,
            hosts: vec![hosts],
        }
    }

    /// The number of elements.
    pub fn elements(&self) -> u32 {
        self.hosts.iter().map(|hosts| hosts.names.len() as u32 * hosts.cores).sum()
    }

    /// The number of elements that can run `processes` processes each, when each process needs
    /// `bytes` bytes of memory; `None` if the need is unknown.
    ///
    /// A host with memory B and c cores can use min(c, ⌊B / (m·b)⌋) elements with m processes of b
    /// bytes. Where B or b is unknown, all c cores count.
    pub fn room(&self, processes: u32, bytes: Option<f64>) -> u32 {
        self.hosts
            .iter()
            .map(|hosts| hosts.names.len() as u32 * room(hosts, processes, bytes))
            .sum()
    }

    /// The number of elements to use on each host so that `elements` are used in total, each with
    /// `processes` processes of `bytes` bytes.
    ///
    /// Elements are spread evenly over the hosts within their [capacity](Kind::room), earlier hosts
    /// first. Returns `None` when the hosts cannot run that many.
    pub fn spread(
        &self,
        elements: u32,
        processes: u32,
        bytes: Option<f64>,
    ) -> Option<Vec<(&str, u32)>> {
        let hosts = self.hosts.iter().flat_map(|hosts| {
            let room = room(hosts, processes, bytes);
            hosts.names.iter().map(move |name| (name.as_str(), room))
        });
        let (mut taken, rooms): (Vec<_>, Vec<_>) =
            hosts.map(|(name, room)| ((name, 0), room)).unzip();
        let mut left = elements;
        while left > 0 {
            let before = left;
            for ((_, taken), room) in taken.iter_mut().zip(&rooms) {
                if left > 0 && *taken < *room {
                    *taken += 1;
                    left -= 1;
                }
            }
            if left == before {
                return None;
            }
        }
        Some(taken)
    }
}

/// The number of elements of one host of a group that can run `processes` processes of `bytes`
/// bytes each; all cores if the memory or the need is unknown.
fn room(hosts: &HostGroup, processes: u32, bytes: Option<f64>) -> u32 {
    let (Some(memory), Some(bytes)) = (hosts.memory, bytes) else { return hosts.cores };
    let fit = (memory.get() as f64 / (f64::from(processes) * bytes)).floor();
    if fit < f64::from(hosts.cores) { fit as u32 } else { hosts.cores }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind() -> Kind {
        let hosts = |names: &[&str], cores, memory: Option<u64>| HostGroup {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            kind: "k".into(),
            cores,
            processes: 4,
            memory: memory.map(Bytes::new),
            price: None,
        };
        let mut kind = Kind::new(hosts(&["a", "b"], 2, Some(100)));
        kind.hosts.push(hosts(&["c"], 3, None));
        kind
    }

    #[test]
    fn memory_limits_the_elements_of_a_host() {
        let kind = kind();
        assert_eq!(kind.elements(), 7);
        assert_eq!(kind.room(1, None), 7);
        assert_eq!(kind.room(1, Some(50.0)), 7);
        assert_eq!(kind.room(1, Some(51.0)), 5); // one element on a, one on b, three on c
        assert_eq!(kind.room(2, Some(50.0)), 5);
        assert_eq!(kind.room(3, Some(50.0)), 3);
        assert_eq!(kind.room(4, Some(0.0)), 7);
    }

    #[test]
    fn elements_are_spread_evenly_within_memory() {
        let kind = kind();
        assert_eq!(kind.spread(4, 1, None).unwrap(), [("a", 2), ("b", 1), ("c", 1)]);
        assert_eq!(kind.spread(5, 2, Some(50.0)).unwrap(), [("a", 1), ("b", 1), ("c", 3)]);
        assert_eq!(kind.spread(6, 2, Some(50.0)), None);
        for elements in 0..=7 {
            let spread = kind.spread(elements, 1, None).unwrap();
            assert_eq!(spread.iter().map(|(_, taken)| taken).sum::<u32>(), elements);
        }
    }
}

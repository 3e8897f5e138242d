use std::collections::BTreeSet;

use super::Kind;
use crate::units::Bytes;

/// HostGroup that are alike: an entry of the cluster file.
#[derive(Debug, Clone, PartialEq)]
pub struct HostGroup {
    /// Their names.
    pub names: Vec<String>,
    /// The kind of their processing elements, such as the name of a processor.
    pub kind: String,
    /// How many processing elements each host has.
    pub cores: u32,
    /// How many processes may run on each element at most.
    pub processes: u32,
    /// The memory of each host for the application, where it is known.
    pub memory: Option<Bytes>,
    /// What an hour of one core costs, in any currency, where it is known.
    pub price: Option<f64>,
}

/// A cluster as a person describes it: its hosts, by the kind of their processing elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    kinds: Vec<Kind>,
}

/// Entries that do not make a cluster.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClusterError {
    /// There is no host.
    #[error("there is no host; describe one or more in [[hosts]]")]
    Empty,
    /// A host stands twice.
    #[error("the host {name:?} stands twice; name each host once")]
    Twice {
        /// The entry, from 0.
        entry: usize,
        /// The name of the host.
        name: String,
    },
    /// Entries of one kind differ in what all elements of a kind have in common.
    #[error(
        "{key} differs from that of earlier hosts of the kind {kind:?}; make them agree, or give these hosts a kind of \
         their own"
    )]
    Differs {
        /// The entry, from 0.
        entry: usize,
        /// What differs.
        key: &'static str,
        /// The kind.
        kind: String,
    },
    /// The cluster has room for more processes than can be counted.
    #[error("there is room for more than {MOST} processes; correct \"cores\" and \"processes\"")]
    TooLarge {
        /// The entry with which it became too large, from 0.
        entry: usize,
    },
}

/// The most processes that a cluster has room for.
const MOST: u64 = 1 << 31;

impl ClusterError {
    /// The entry that is wrong and what in it, where it is one.
    pub fn place(&self) -> Option<(usize, &'static str)> {
        match self {
            Self::Empty => None,
            Self::Twice { entry, .. } => Some((*entry, "names")),
            Self::Differs { entry, key, .. } => Some((*entry, key)),
            Self::TooLarge { entry } => Some((*entry, "cores")),
        }
    }
}

impl Cluster {
    /// A cluster of these hosts. Kinds stand in the order in which they are first named.
    ///
    /// # Errors
    ///
    /// No host at all, a host that stands twice, room for more than 2^31 processes, and hosts of one kind that take a different number of processes on each
    /// element or have a different price. Their cores and their memory may differ.
    pub fn new(entries: Vec<HostGroup>) -> Result<Self, ClusterError> {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut known = BTreeSet::new();
        let mut room = 0_u64;
        for (entry, hosts) in entries.into_iter().enumerate() {
            let elements = hosts.names.len() as u64 * u64::from(hosts.cores);
            room = room.saturating_add(elements.saturating_mul(u64::from(hosts.processes)));
            if room > MOST {
                return Err(ClusterError::TooLarge { entry });
            }
            if let Some(name) = hosts.names.iter().find(|name| !known.insert((*name).clone())) {
                return Err(ClusterError::Twice { entry, name: name.clone() });
            }
            let Some(kind) = kinds.iter_mut().find(|kind| kind.name == hosts.kind) else {
                kinds.push(Kind::new(hosts));
                continue;
            };
            let differs = |key| Err(ClusterError::Differs { entry, key, kind: hosts.kind.clone() });
            if kind.processes != hosts.processes {
                return differs("processes");
            }
            if kind.price != hosts.price {
                return differs("price");
            }
            kind.hosts.push(hosts);
        }
        if known.is_empty() { Err(ClusterError::Empty) } else { Ok(Self { kinds }) }
    }

    /// The kinds of processing elements.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The kind of this name.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }
}

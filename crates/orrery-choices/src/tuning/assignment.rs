use orrery_applications::run::Configuration;
use orrery_cluster::platform::Cluster;

/// The processes of one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProcesses {
    /// The name of the host.
    pub name: String,
    /// The number of its processing elements that take part: the first ones.
    pub elements: u32,
    /// The number of processes on each of these elements.
    pub processes_per_element: u32,
}

impl HostProcesses {
    /// The number of processes on the host.
    pub fn processes(&self) -> u64 {
        u64::from(self.elements) * u64::from(self.processes_per_element)
    }

    /// The element of each process of the host, in the order of ranks.
    fn elements_by_rank(&self) -> impl Iterator<Item = u32> {
        let each = self.processes_per_element as usize;
        (0..self.elements).flat_map(move |element| std::iter::repeat_n(element, each))
    }
}

/// The number of processes on each host of a cluster.
///
/// Ranks are numbered host by host in the order of the cluster, and element by element on a host:
/// consecutive ranks are neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    hosts: Vec<HostProcesses>,
}

/// The reason why the processes of a configuration cannot be assigned to the hosts of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// The cluster has no host of this kind.
    #[error(
        "the cluster has no hosts of the kind {kind:?}; describe them in the cluster file, or \
            correct the configuration"
    )]
    Kind {
        /// The kind.
        kind: String,
    },
    /// The cluster has fewer elements of this kind.
    #[error(
        "the configuration takes {requested} elements of the kind {kind:?}, but the cluster has \
            {available}; take fewer"
    )]
    Elements {
        /// The kind.
        kind: String,
        /// The number of elements in the configuration.
        requested: u32,
        /// The number of elements in the cluster.
        available: u32,
    },
    /// The cluster file allows fewer processes on each element.
    #[error(
        "the configuration has {requested} processes on each element of the kind {kind:?}, but the \
            cluster file allows \
         {allowed}; take fewer, or raise \"processes\" in the cluster file"
    )]
    Processes {
        /// The kind.
        kind: String,
        /// The number of processes in the configuration.
        requested: u32,
        /// The number of processes that the cluster file allows.
        allowed: u32,
    },
    /// The hosts have too little memory.
    #[error(
        "with {processes} processes on each element, the hosts of the kind {kind:?} have memory \
            for {available} elements, \
         not for {requested}; take fewer"
    )]
    Memory {
        /// The kind.
        kind: String,
        /// The number of processes on each element.
        processes: u32,
        /// The number of elements in the configuration.
        requested: u32,
        /// The number of elements that the memory holds.
        available: u32,
    },
    /// Configuration and layout have different numbers of processes.
    #[error(
        "the configuration has {found} processes, but its layout {expected}; correct one of them"
    )]
    Ranks {
        /// The number of processes of the configuration.
        found: u64,
        /// The number of processes of the layout.
        expected: u32,
    },
}

impl Assignment {
    /// Assigns the processes of a configuration to hosts. `processes` is their number; `bytes` is
    /// the memory that each needs, where that is known.
    ///
    /// Elements are spread evenly over the hosts of their kind, as by
    /// [`Kind::spread`](orrery_cluster::platform::Kind::spread).
    ///
    /// # Errors
    ///
    /// A configuration with another number of processes, or one that takes more than the cluster
    /// has: kinds, elements, processes on each element, or memory.
    pub fn new(
        cluster: &Cluster,
        configuration: &Configuration,
        processes: u32,
        bytes: Option<f64>,
    ) -> Result<Self, AssignmentError> {
        let found = configuration.processes();
        if found != u64::from(processes) {
            return Err(AssignmentError::Ranks { found, expected: processes });
        }
        if let Some(share) =
            configuration.shares.iter().find(|share| cluster.kind(&share.kind).is_none())
        {
            return Err(AssignmentError::Kind { kind: share.kind.clone() });
        }
        let mut hosts = Vec::new();
        for host_kind in cluster.kinds() {
            let Some(share) = configuration.share(&host_kind.name) else { continue };
            let (kind, requested, each) = (host_kind.name.clone(), share.elements, share.processes);
            if requested > host_kind.elements() {
                return Err(AssignmentError::Elements {
                    kind,
                    requested,
                    available: host_kind.elements(),
                });
            }
            if each > host_kind.processes {
                let allowed = host_kind.processes;
                return Err(AssignmentError::Processes { kind, requested: each, allowed });
            }
            let Some(spread) = host_kind.spread(requested, each, bytes) else {
                let available = host_kind.room(each, bytes);
                return Err(AssignmentError::Memory {
                    kind,
                    processes: each,
                    requested,
                    available,
                });
            };
            let used = spread.into_iter().filter(|(_, elements)| *elements > 0);
            hosts.extend(used.map(|(name, elements)| HostProcesses {
                name: name.to_owned(),
                elements,
                processes_per_element: each,
            }));
        }
        Ok(Self { hosts })
    }

    /// The hosts with processes, in the order of ranks.
    pub fn hosts(&self) -> &[HostProcesses] {
        &self.hosts
    }

    /// The number of processes.
    pub fn processes(&self) -> u64 {
        self.hosts.iter().map(HostProcesses::processes).sum()
    }

    /// Returns true if an element has more than one process.
    pub fn shares_elements(&self) -> bool {
        self.hosts.iter().any(|host| host.processes_per_element > 1)
    }

    /// The host and the element of each rank.
    pub fn ranks(&self) -> impl Iterator<Item = (&str, u32)> {
        self.hosts
            .iter()
            .flat_map(|host| host.elements_by_rank().map(|element| (host.name.as_str(), element)))
    }
}

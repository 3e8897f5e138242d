use orrery_applications::run::Configuration;
use orrery_base::file::Fault;
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
    ) -> Result<Self, Fault> {
        let found = configuration.processes();
        if found != u64::from(processes) {
            return Err(Fault::new(format!(
                "the configuration has {found} processes, but its layout {processes}; correct one \
                    of them"
            )));
        }
        if let Some(share) =
            configuration.shares.iter().find(|share| cluster.kind(&share.kind).is_none())
        {
            let kind = &share.kind;
            return Err(Fault::new(format!(
                "the cluster has no hosts of the kind {kind:?}; describe them in the cluster file, \
                    or correct the configuration"
            )));
        }
        let mut hosts = Vec::new();
        for host_kind in cluster.kinds() {
            let Some(share) = configuration.share(&host_kind.name) else { continue };
            let (kind, requested, each) = (&host_kind.name, share.elements, share.processes);
            if requested > host_kind.elements() {
                let available = host_kind.elements();
                return Err(Fault::new(format!(
                    "the configuration takes {requested} elements of the kind {kind:?}, but the \
                        cluster has {available}; take fewer"
                )));
            }
            if each > host_kind.processes {
                let allowed = host_kind.processes;
                return Err(Fault::new(format!(
                    "the configuration has {each} processes on each element of the kind {kind:?}, \
                        but the cluster file allows {allowed}; take fewer, or raise \"processes\" \
                        in the cluster file"
                )));
            }
            let Some(spread) = host_kind.spread(requested, each, bytes) else {
                let available = host_kind.room(each, bytes);
                return Err(Fault::new(format!(
                    "with {each} processes on each element, the hosts of the kind {kind:?} have \
                        memory for {available} elements, not for {requested}; take fewer"
                )));
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

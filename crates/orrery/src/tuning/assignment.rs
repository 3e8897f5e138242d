use crate::platform::Cluster;
use crate::run::Configuration;

/// The processes of one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The host.
    pub host: String,
    /// How many of its processing elements take part: the first ones.
    pub elements: u32,
    /// How many processes run on each of them.
    pub each: u32,
}

impl Place {
    /// The processes of the host.
    pub fn processes(&self) -> u64 {
        u64::from(self.elements) * u64::from(self.each)
    }

    /// The element of each of its processes, in the order of ranks.
    pub(super) fn element_of_each(&self) -> impl Iterator<Item = u32> {
        let each = self.each;
        (0..self.elements).flat_map(move |element| std::iter::repeat_n(element, each as usize))
    }
}

/// Which host gets how many processes. Ranks are counted host by host in the order of the cluster, and on a host element
/// by element: neighbours in rank are neighbours in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    places: Vec<Place>,
}

/// A configuration that the cluster has no place for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// The cluster has no such kind.
    #[error("the cluster has no hosts of the kind {kind:?}; describe them, or correct the configuration")]
    Kind {
        /// The kind.
        kind: String,
    },
    /// There are not as many elements.
    #[error("the configuration takes {asked} elements of the kind {kind:?}, but there are {there}; take fewer")]
    Elements {
        /// The kind.
        kind: String,
        /// How many are asked for.
        asked: u32,
        /// How many there are.
        there: u32,
    },
    /// An element may not run as many processes.
    #[error(
        "the configuration has {asked} processes on each element of the kind {kind:?}, but {most} are allowed; take fewer, \
         or allow more"
    )]
    Processes {
        /// The kind.
        kind: String,
        /// How many are asked for.
        asked: u32,
        /// How many are allowed.
        most: u32,
    },
    /// The memory of the hosts is too small.
    #[error(
        "with {each} processes on each, the hosts of the kind {kind:?} have memory for {room} elements, not for {asked}; \
         take fewer"
    )]
    Memory {
        /// The kind.
        kind: String,
        /// The processes on each element.
        each: u32,
        /// How many elements are asked for.
        asked: u32,
        /// How many there is memory for.
        room: u32,
    },
    /// The layout has another number of processes.
    #[error("the configuration has {found} processes, but its layout {expected}; correct one of them")]
    Ranks {
        /// The processes of the configuration.
        found: u64,
        /// The processes of the layout.
        expected: u32,
    },
}

impl Assignment {
    /// Assigns the processes of a configuration to hosts, which are to be so many in all, each of which needs so many
    /// bytes, where that is known. Elements are spread evenly over the hosts of their kind, as
    /// [`Kind::spread`](crate::platform::Kind::spread) does.
    ///
    /// # Errors
    ///
    /// A number of processes that is not that of the configuration, and a configuration that takes more than the cluster
    /// has: kinds, elements, processes on each, or memory.
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
        if let Some(share) = configuration.shares.iter().find(|share| cluster.kind(&share.kind).is_none()) {
            return Err(AssignmentError::Kind { kind: share.kind.clone() });
        }
        let mut places = Vec::new();
        for kind in cluster.kinds() {
            let Some(share) = configuration.share(&kind.name) else { continue };
            let (name, asked, each) = (kind.name.clone(), share.elements, share.processes);
            if asked > kind.elements() {
                return Err(AssignmentError::Elements { kind: name, asked, there: kind.elements() });
            }
            if each > kind.processes {
                return Err(AssignmentError::Processes { kind: name, asked: each, most: kind.processes });
            }
            let Some(hosts) = kind.spread(asked, each, bytes) else {
                return Err(AssignmentError::Memory { kind: name, each, asked, room: kind.room(each, bytes) });
            };
            let used = hosts.into_iter().filter(|(_, elements)| *elements > 0);
            places.extend(used.map(|(host, elements)| Place { host: host.to_owned(), elements, each }));
        }
        Ok(Self { places })
    }

    /// The hosts that take part, in the order of ranks.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The number of processes.
    pub fn processes(&self) -> u64 {
        self.places.iter().map(Place::processes).sum()
    }

    /// Whether processes share an element anywhere.
    pub fn shares_elements(&self) -> bool {
        self.places.iter().any(|place| place.each > 1)
    }

    /// Host and element of each rank.
    pub fn ranks(&self) -> impl Iterator<Item = (&str, u32)> {
        self.places.iter().flat_map(|place| place.element_of_each().map(|element| (place.host.as_str(), element)))
    }
}

use std::fmt;
use std::iter::repeat_n;
use std::str::FromStr;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{HostId, Topology};

/// How ranks are dealt out to the hosts of a topology.
///
/// ```
/// use orrery::platform::{Host, HostId, MappingPolicy, Topology};
/// let host = |name: &str| Host { name: name.into(), speed: 1e9, cores: 2 };
/// let two = Topology { hosts: vec![host("a"), host("b")], ..Topology::default() };
/// let numbers = |seating: MappingPolicy| seating.hosts(&two, 4).iter().map(|host| host.0).collect::<Vec<_>>();
/// assert_eq!(numbers(MappingPolicy::RoundRobinNode), [0, 1, 0, 1]);
/// assert_eq!(numbers(MappingPolicy::RoundRobinProcessor), [0, 0, 1, 1]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingPolicy {
    /// Round robin per node: a rank on each host in turn. The word is `rrn`.
    RoundRobinNode,
    /// Round robin per processor: the cores of a host, then those of the next. The word is `rrp`.
    RoundRobinProcessor,
    /// Cores drawn without replacement, with this seed. The word is `random:SEED`.
    Random(u64),
}

impl MappingPolicy {
    /// The host of each rank; when all cores have a rank it begins again.
    ///
    /// # Panics
    ///
    /// When there is no host.
    pub fn hosts(self, topology: &Topology, ranks: usize) -> Vec<HostId> {
        let hosts = || (0..topology.hosts.len() as u32).map(HostId);
        let seats = || hosts().flat_map(|host| repeat_n(host, topology.hosts[host.index()].cores as usize));
        assert!(seats().next().is_some(), "a topology has hosts");
        match self {
            Self::RoundRobinNode => (0..).flat_map(|_| hosts()).take(ranks).collect(),
            Self::RoundRobinProcessor => (0..).flat_map(|_| seats()).take(ranks).collect(),
            Self::Random(seed) => {
                let mut drawn: Vec<HostId> = seats().collect();
                drawn.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
                drawn.into_iter().cycle().take(ranks).collect()
            }
        }
    }
}

impl FromStr for MappingPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "rrn" => Ok(Self::RoundRobinNode),
            None if text == "rrp" => Ok(Self::RoundRobinProcessor),
            None if text == "random" => Ok(Self::Random(1)),
            Some(("random", seed)) => {
                seed.parse().map(Self::Random).map_err(|_| format!("{seed:?} is no seed: a whole number from 0 up"))
            }
            _ => Err(format!("unknown placement {text:?}; known are rrn, rrp, random and random:SEED")),
        }
    }
}

impl fmt::Display for MappingPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobinNode => f.write_str("rrn"),
            Self::RoundRobinProcessor => f.write_str("rrp"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

//! The cluster: its processors, the pairs of them, the hosts that they share, and where the ranks of a program stand; and
//! the cluster as a person describes it, hosts by the kind of their processing elements, with its [`mod@file`]; or as simulators do, hosts and links in a [`Topology`],
//! read from [`xml`].

mod cluster;
pub mod file;
mod hostlist;
mod hosts;
mod kind;
mod mapping;
mod pairs;
mod placement;
mod processor;
mod quantity;
mod rank_mapping;
mod topology;
pub mod xml;

pub use cluster::{Cluster, ClusterError, HostGroup};
pub use hostlist::{HostlistError, host_names};
pub use hosts::{Hosts, LinkClass};
pub use kind::Kind;
pub use mapping::MappingPolicy;
pub use pairs::{Pairs, PerPair};
pub use placement::Placement;
pub use processor::Processor;
pub use rank_mapping::{RankMapping, RankMappingError, RankMappingFault};
pub use topology::{Host, HostId, Link, LinkId, Port, Topology};

//! The cluster: processors and pairs of them, hosts, rank placement, cluster files, and network
//! topologies.
//!
//! Measurements and point-to-point models number [`Processor`]s. The configuration search reads a
//! [`Cluster`] from a cluster [`mod@file`]. Simulations need a [`Topology`] of hosts and links,
//! from a cluster file or from a platform of SimGrid ([`xml`]). Slurm's tree of switches is read
//! from its [`topology.conf`](slurm_topology).

mod cluster;
pub mod file;
mod host_names;
mod hosts;
mod mapping;
mod overheads;
mod processors;
mod quantity;
pub mod slurm_topology;
mod topology;
pub mod xml;

pub use cluster::{Cluster, ClusterError, HostGroup, Kind};
pub use file::{Assumption, Network};
pub use host_names::{HostlistError, host_names};
pub use hosts::{Hosts, LinkClass, ranks_per_host};
pub use mapping::{MappingPolicy, RankMapping};
pub use overheads::{HostOverheads, MemoryOverheads, Overheads, PiecewiseTime};
pub use processors::{Pairs, PerPair, Placement, Processor, processor_name};
pub use topology::{Host, HostId, Link, LinkId, Port, Topology, Uplink};

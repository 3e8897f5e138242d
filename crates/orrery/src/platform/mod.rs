//! The cluster: its processors, the pairs of them, the hosts that they share, and where the ranks of a program stand; and
//! the cluster as a person describes it, hosts by the kind of their processing elements, with its [`mod@file`]; or as simulators do, hosts and links in a [`Topology`],
//! read from [`xml`].

mod cluster;
pub mod file;
mod hostlist;
mod hosts;
mod kind;
mod pairs;
mod placement;
mod places;
mod processor;
mod quantity;
mod seating;
mod topology;
pub mod xml;

pub use cluster::{Cluster, ClusterError, HostGroup};
pub use hostlist::{HostlistError, host_names};
pub use hosts::{Hosts, LinkClass};
pub use kind::Kind;
pub use pairs::{Pairs, PerPair};
pub use placement::Placement;
pub use places::{Places, PlacesError, PlacesFault};
pub use processor::Processor;
pub use seating::Seating;
pub use topology::{Host, HostId, Link, LinkId, Port, Topology};

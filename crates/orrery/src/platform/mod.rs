//! The cluster: its processors, the pairs of them, the hosts that they share, and where the ranks of a program stand.

mod hosts;
mod pairs;
mod placement;
mod processor;

pub use hosts::{Hosts, LinkClass};
pub use pairs::{Pairs, PerPair};
pub use placement::Placement;
pub use processor::Processor;

//! The cluster: its processors, the pairs of them, and where the ranks of a program stand.

mod pairs;
mod placement;
mod processor;

pub use pairs::{Pairs, PerPair};
pub use placement::Placement;
pub use processor::Processor;

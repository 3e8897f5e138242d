//! Parallel routines on grids of processes: matrices in block-cyclic layouts, and their redistribution.

mod cyclic;
mod grid;
mod layout;
mod matching;
mod redistribution;

pub use cyclic::{Cyclic, Overlaps};
pub use grid::ProcessGrid;
pub use layout::{Layout, LayoutError};
pub use redistribution::{Caterpillar, Matching, Redistribution, StepSchedule};

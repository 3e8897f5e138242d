//! Parallel routines on grids of processes: matrices in block-cyclic layouts, and their redistribution.

mod call;
mod cyclic;
mod factorization;
mod gemm;
mod grid;
mod layout;
mod matching;
mod program;
mod redistribution;
mod stage;
mod stages;
mod syrk;
mod trsm;

pub use call::{Grid, Routine, RoutineCall, RoutineError, RoutineKind};
pub use cyclic::{Cyclic, Overlaps};
pub use grid::ProcessGrid;
pub use layout::{Layout, LayoutError};
pub use program::{KernelTimes, RoutineCollectives, RoutineProgram, TimedRoutine};
pub use redistribution::{Caterpillar, Matching, Redistribution, StepSchedule};

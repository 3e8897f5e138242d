//! Parallel routines on grids of processes: matrices in block-cyclic layouts, and their
//! redistribution.

mod approximation;
mod block_grid;
mod call;
mod closed_form;
mod cyclic;
mod factorization;
mod gemm;
mod grid;
mod layout;
mod matching;
mod program;
mod qr;
mod redistribution;
mod redistribution_call;
mod stage;
mod stages;
mod syrk;
mod transfers;
mod trsm;

pub use approximation::Approximation;
pub use block_grid::Grid;
pub use call::{Routine, RoutineCall, RoutineError, RoutineKind};
pub use closed_form::HomogeneousMachine;
pub use cyclic::{Cyclic, Overlaps};
pub use grid::ProcessGrid;
pub use layout::Layout;
pub use program::{KernelTimes, RoutineCollectives, RoutineProgram, TimedRoutine};
pub use redistribution::{Caterpillar, Matching, Redistribution, StepSchedule};
pub use redistribution_call::{RedistributionCall, RedistributionProgram};

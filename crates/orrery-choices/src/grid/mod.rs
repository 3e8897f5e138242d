//! The choice of the grid of processes on which a parallel routine is fastest, and of the plan for
//! operands on different grids.

mod choose;
mod plan;

pub use choose::{ChosenGrids, GridChoice, choose_grid};
pub use plan::{PlacedMatrix, Plan, PlanChoice, PlanKind, Plans, choose_plan};

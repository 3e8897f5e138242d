//! Parallel routines on grids of processes.

mod closed_forms;
mod messages;
mod redistribution;

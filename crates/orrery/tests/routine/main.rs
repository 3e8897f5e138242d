//! Parallel routines on grids of processes.

mod choice;
mod closed_forms;
mod messages;
mod redistribution;

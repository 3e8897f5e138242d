//! Parallel routines on grids of processes.

mod messages;
mod redistribution;

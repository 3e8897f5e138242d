//! Parallel routines on grids of processes.

mod redistribution;

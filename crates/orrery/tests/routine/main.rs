//! Parallel routines on grids of processes.

mod choice;
mod closed_forms;
mod connections;
mod forecasts;
mod messages;
mod redistribution;

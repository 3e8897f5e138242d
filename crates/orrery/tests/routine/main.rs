//! Parallel routines on grids of processes.

mod choice;
mod closed_forms;
mod connections;
#[path = "../common/equal_ports.rs"]
mod equal_ports;
mod forecasts;
mod leading_terms;
mod messages;
mod published_studies;
mod redistribution;

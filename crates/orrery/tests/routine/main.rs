//! Parallel routines on grids of processes.

mod choice;
mod closed_forms;
mod connections;
mod forecasts;
mod leading_terms;
mod messages;
mod published_studies;
mod redistribution;

//! Replays of traces on clusters.

mod cluster_network;
mod jobs;
mod send_buffer;
mod sharing;
mod simgrid;
#[path = "../common/table.rs"]
mod table;
mod traces;

//! Replays of traces on clusters.

mod cluster_network;
mod jobs;
mod local_sends;
mod sharing;
mod simgrid;
mod traces;

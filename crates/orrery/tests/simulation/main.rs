//! Replays of traces on clusters.

mod cluster_network;
mod jobs;
mod sharing;
mod simgrid;
mod traces;

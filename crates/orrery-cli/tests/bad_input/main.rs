//! What goes wrong is told in one message: what, where and what to do next; never a panic, and
//! nothing on stdout.

mod applications;
mod breakpoints;
mod collectives;
#[path = "../common/mod.rs"]
mod common;
mod fitting;
mod measured_range;
mod models;
mod names;
mod other_hosts;
mod outputs;
mod plans;
mod refused;
mod repeated_rows;
mod replays;
mod runs;
mod samples;
mod schemes;
mod share;
mod torn_lines;
mod traces;
mod units;
mod usage;
mod wrong_file;

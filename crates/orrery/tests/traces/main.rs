//! Formats of traces.

mod generator;
mod goal;
mod goal_schedules;
mod recording;
mod tit;
mod trace_binary;

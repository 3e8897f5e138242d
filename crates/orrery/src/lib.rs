//! Performance models of clusters: measurement, estimation, prediction and choice of algorithms and configurations.
//!
//! The modules in the order of the data flow; a module uses modules above it only, except that a placement of
//! [`platform`] maps the ranks of a [`schedule`]:
//!
//! | module | content |
//! |---|---|
//! | [`units`] | seconds, bytes and rates as types |
//! | [`budget`] | the memory and the work that an input may cost |
//! | [`file`](mod@file) | file access: located errors, atomic replacement, locked files of campaigns |
//! | [`json`] | JSON with positions |
//! | [`numeric`] | estimates, robust statistics, least squares, breakpoints |
//! | [`sharing`] | bandwidth sharing: penalties of concurrent transfers, max-min fairness |
//! | [`platform`] | processors, hosts, placements; cluster files, SimGrid platforms |
//! | [`schedule`] | operations and programs: written once, then run, predicted or simulated |
//! | [`engine`] | plays a schedule on a point-to-point network in virtual time, with the critical path |
//! | [`sample`] | experiments and their readings; samples files |
//! | [`machine`] | machines that run schedules: local processes, the simulated cluster |
//! | [`measure`] | campaigns: which experiments, in which order, how often |
//! | [`comm`] | point-to-point models: parameters, estimation, prediction |
//! | [`trace`] | traces of applications |
//! | [`simulate`] | replay on a cluster whose links are shared |
//! | [`run`] | runs of applications: sizes, configurations, times |
//! | [`scaling`] | execution-time models of applications, and the search for the best configuration |
//! | [`model`] | the model file: everything fitted for one cluster; predictions, validation |
//! | [`simulated_cluster`] | a fitted model as a machine to measure on |
//! | [`collective`] | choice of the algorithm and the root of collective operations |
//! | [`tuning`] | decisions as files for other tools |

pub mod budget;
pub mod collective;
pub mod comm;
pub mod engine;
pub mod file;
pub mod json;
pub mod machine;
pub mod measure;
pub mod model;
pub mod numeric;
pub mod platform;
pub mod run;
pub mod sample;
pub mod scaling;
pub mod schedule;
pub mod sharing;
pub mod simulate;
pub mod simulated_cluster;
pub mod trace;
pub mod tuning;
pub mod units;

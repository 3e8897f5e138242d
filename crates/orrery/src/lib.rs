//! Performance models of clusters: measurement, estimation, prediction and choice of algorithms and configurations.
//!
//! The rooms of the house in the order in which data flow through them:
//!
//! | room | what lives there |
//! |---|---|
//! | [`units`] | seconds, bytes and rates as types |
//! | [`file`](mod@file) | what all files share: located errors, replacement in one step, locked files that grow |
//! | [`json`] | JSON texts with the position of each value |
//! | [`numeric`] | estimates, robust statistics, least squares |
//! | [`sharing`] | bandwidth sharing: penalties of concurrent transfers, one law for each kind of network |
//! | [`platform`] | processors, pairs, placement of ranks; the hosts of a cluster |
//! | [`schedule`] | operations and programs: written once, run, predicted and simulated |
//! | [`engine`] | plays a schedule in virtual time on a network; keeps the critical path |
//! | [`machine`] | where a schedule runs for real or in simulation |
//! | [`sample`] | raw timings with provenance, and their file |
//! | [`measure`] | campaigns: what to measure, in which order, when to stop |
//! | [`comm`] | point-to-point models: parameters, estimation, prediction |
//! | [`trace`] | what applications did, as tracers wrote it down |
//! | [`simulate`] | replay on a cluster whose links are shared |
//! | [`run`] | runs of applications: sizes, configurations, times |
//! | [`scaling`] | execution-time models of applications, and the best configuration |
//! | [`model`] | the model: everything fitted, and its file |
//! | [`collective`] | which algorithm of a collective operation, from which root, is the fastest at which size |
//! | [`tuning`] | decisions as files that other tools read |

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
pub mod trace;
pub mod tuning;
pub mod units;

//! Samples, the machines that run schedules, and campaigns.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`sample`] | experiments and their readings; samples files |
//! | [`machine`] | machines that run schedules: local processes, the simulated cluster |
//! | [`measure`] | campaigns: which experiments, in which order, how often |

// Private items that only some features use; the lint finds others in builds with all of them.
#![cfg_attr(not(feature = "applications"), allow(dead_code, unused_imports))]

#[cfg(feature = "estimation")]
pub mod machine;
#[cfg(feature = "estimation")]
pub mod measure;
pub mod sample;

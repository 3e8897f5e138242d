//! What runs: schedules of messages, collective operations, kernels and parallel routines.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`schedule`] | operations and programs: written once, then run, predicted or simulated |
//! | [`kernel`] | compute kernels of linear algebra: calls, and models of their times |
//! | [`routine`] | parallel routines on grids of processes, redistribution |

// Private items that only some features use; the lint finds others in builds with all of them.
#![cfg_attr(not(feature = "applications"), allow(dead_code, unused_imports))]

pub mod kernel;
#[cfg(feature = "applications")]
pub mod routine;
pub mod schedule;

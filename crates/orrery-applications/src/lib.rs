//! Runs of applications and their execution-time models.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`run`] | runs of applications: sizes, configurations, times |
//! | [`scaling`] | execution-time models of applications, and the search for the best configuration |

pub mod run;
pub mod scaling;

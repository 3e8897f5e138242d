//! Models of a cluster: parameters, fits, predictions, validation, forecasts.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`comm`] | point-to-point models: parameters, estimation, prediction |
//! | [`model`] | the model file: everything fitted for one cluster; predictions, validation |
//! | [`estimation`] | models from a machine in one call: the measuring protocol and the fit |
//! | [`simulated_cluster`] | a fitted model as a machine to measure on |
//! | [`forecast`] | forecasts of measured series, with intervals |
//! | [`conditions`] | the present load of hosts and links, and models under it |

// Private items that only some features use; the lint finds others in builds with all of them.
#![cfg_attr(not(feature = "applications"), allow(dead_code, unused_imports))]

pub mod comm;
#[cfg(feature = "applications")]
pub mod conditions;
#[cfg(feature = "estimation")]
pub mod estimation;
#[cfg(feature = "applications")]
pub mod forecast;
pub mod model;
#[cfg(feature = "estimation")]
pub mod simulated_cluster;

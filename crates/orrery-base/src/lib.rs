//! What all layers share: units, budgets of inputs, files, JSON with positions, numerical methods.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`names`] | the most similar valid name for one that is unknown |
//! | [`units`] | seconds, bytes and rates as types |
//! | [`budget`] | the memory and the work that an input may cost |
//! | [`file`](mod@file) | file access: located errors, atomic replacement, locked files of campaigns |
//! | [`json`] | JSON with positions |
//! | [`numeric`] | estimates, robust statistics, least squares, breakpoints |

// Private items that only some features use; the lint finds others in builds with all of them.
#![cfg_attr(not(feature = "estimation"), allow(dead_code, unused_imports))]

pub mod budget;
pub mod file;
pub mod json;
pub mod names;
pub mod numeric;
pub mod units;

// For the macros of this crate.
#[doc(hidden)]
pub use serde;

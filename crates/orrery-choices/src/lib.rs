//! Choices by a model or by measured rows, and the files that apply them.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`collective`] | choice of the algorithm and the root of collective operations |
//! | [`grid`] | choice of the grid of processes for a parallel routine |
//! | [`tuning`] | decisions as files for other tools |

// Private items that only some features use; the lint finds others in builds with all of them.
#![cfg_attr(not(feature = "applications"), allow(dead_code, unused_imports))]

pub mod collective;
#[cfg(feature = "applications")]
pub mod grid;
#[cfg(feature = "applications")]
pub mod tuning;

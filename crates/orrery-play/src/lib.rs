//! Programs in virtual time: the engine, traces of applications and their replay.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`engine`] | plays a schedule on a point-to-point network in virtual time, with the critical path |
//! | [`trace`] | traces of applications |
//! | [`simulate`] | replay on a cluster whose links are shared |

// Private items that only some features use; the lint finds others in builds with all of them.
#![cfg_attr(not(feature = "applications"), allow(dead_code, unused_imports))]

pub mod engine;
mod event_key;
pub mod simulate;
#[cfg(feature = "applications")]
pub mod trace;

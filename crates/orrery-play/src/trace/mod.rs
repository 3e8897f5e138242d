//! Traces of applications: the actions of each rank, and the readers and writers of trace formats.
//!
//! A trace holds amounts of computation and of data ([`actions`]) and no times. With the speed of
//! each rank it becomes a schedule. [`tit`] and [`binary`] read and write such traces. [`goal`]
//! reads and writes graphs of operations with times. [`mod@file`] reads and writes files of all
//! formats.

pub mod actions;
pub mod binary;
pub mod file;
pub mod goal;
pub mod recording;
pub mod tit;

//! Traces of applications: what each rank did, as a tracer wrote it down. One folder per format.
//!
//! A trace knows no machine: [`tit`] holds amounts of computation and of data, and becomes a schedule once it is told how
//! fast its ranks compute; [`goal`] holds times. [`mod@file`] reads traces from disk.

pub mod actions;
pub mod file;
pub mod goal;
pub mod tit;

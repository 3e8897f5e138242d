//! Traces of applications: what each rank did, as a tracer wrote it down. One folder per format.
//!
//! A trace knows no machine: it holds amounts of computation and of data ([`actions`]), and becomes a schedule once it is
//! told how fast its ranks compute. [`tit`] and [`binary`] read and write it; [`goal`] holds times, and graphs where the
//! others have lists. [`mod@file`] reads traces from disk.

pub mod actions;
pub mod binary;
pub mod file;
pub mod goal;
pub mod tit;

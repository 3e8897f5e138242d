//! Traces of programs: one folder for each format.

pub mod goal;

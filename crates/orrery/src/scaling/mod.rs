//! Execution-time models of applications on clusters whose processing elements differ, and the search of their best
//! configuration.
//!
//! A run takes as long as its slowest processing element, T = max_i T_i. The time T_i of an element depends on its kind,
//! on the size of the problem, on the number of processes and their grid, and on how many processes run on the element
//! itself. Source: Kishimoto, Ichikawa, "An execution-time estimation model for heterogeneous clusters" (2004),
//! section 3.

mod element_time;
pub mod search;

pub use element_time::{ElementTime, Layout};

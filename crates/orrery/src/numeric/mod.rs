//! Numbers in, numbers out: estimates with intervals, robust location and scale, least squares.

mod estimate;

pub use estimate::{Estimate, Interval};

//! Breakpoints of series: where a line or a level gives way to another one.
//!
//! [`breakpoints`] finds, for each number of breaks, the ones that leave the least sum of squares, and how many breaks
//! the data ask for; [`Partition::segments`] fits the pieces, [`Partition::intervals`] tells how sure the breaks are, and
//! [`supremum_test`] whether there is any break at all.

mod argmax;
mod error;
mod interval;
mod optimum;
mod residuals;
mod search;
mod segment;
mod series;
mod supremum;

pub use error::BreakpointError;
pub use interval::BreakInterval;
pub use search::{Breakpoints, Partition, breakpoints, min_segment_points};
pub use segment::Segment;
pub use series::{OrderedSeries, Shape};
pub use supremum::{SupremumTest, supremum_test};

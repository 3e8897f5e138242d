//! Breakpoints of series: positions where a regression line or a level changes.
//!
//! [`breakpoints`] finds the partitions with the least residual sum of squares for each number of
//! breaks and selects the number by BIC. [`Partition::segments`] returns the regression lines,
//! [`Partition::intervals`] the confidence intervals of the breaks, and [`supremum_test`] tests
//! whether there is a break.

mod interval;
mod residuals;
mod search;
mod segment;
mod series;
mod supremum;

pub use interval::BreakInterval;
pub use search::{Breakpoints, SearchCost, breakpoints, min_segment_points, search_cost};
pub use segment::{Partition, Segment};
pub use series::{BreakpointError, OrderedSeries, Shape};
pub use supremum::{SupremumTest, supremum_test};

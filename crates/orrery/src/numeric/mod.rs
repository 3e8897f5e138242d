//! Numbers in, numbers out: estimates with intervals, robust location and scale, least squares, breakpoints, an order by likeness.

mod blocks;
pub mod breakpoints;
mod cholesky;
mod conjugate;
mod elimination;
mod estimate;
mod huber;
mod least_squares;
mod line;
mod location;
mod nonnegative;
mod parallel;
mod partition;
mod proportion;
mod quantile;
mod rows;
mod scale;
mod seriation;
mod trend;
mod varying;

pub use estimate::{Estimate, Interval};
pub use huber::{RobustFit, robust_nonnegative};
pub use least_squares::{LeastSquares, Solution, Unidentified};
pub use line::Line;
pub use location::{mean, median, median_estimate, relative_half_width, relative_half_width_of_median};
pub use nonnegative::nonnegative_least_squares;
pub(crate) use parallel::parallel_map;
pub use proportion::binomial_proportion;
pub use quantile::{expected_excess, normal_p_value, normal_quantile, student_quantile};
pub use rows::SparseRows;
pub(crate) use scale::pooled_relative_deviation_by;
pub use scale::{median_variance_factor, outliers, pooled_relative_deviation, robust_deviation};
pub use seriation::seriation;
pub use trend::{Trend, trend};
pub(crate) use varying::UpdatableLeastSquares;

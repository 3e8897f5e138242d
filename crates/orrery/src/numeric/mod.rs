//! Numerical methods on slices: estimates with confidence intervals, robust statistics, least squares, breakpoints and
//! seriation.

mod block;
mod block_structure;
pub mod breakpoints;
mod covariance;
mod estimate;
mod least_squares;
mod line;
mod linear_solvers;
mod location;
mod multiple_testing;
mod nonnegative;
mod normal_equations;
mod parallel;
mod partition;
mod quantile;
mod ranks;
mod rows;
mod scale;
mod seriation;
mod trend;
mod two_samples;
mod updatable;

pub(crate) use covariance::Covariance;
pub use estimate::{Estimate, Interval, binomial_proportion};
pub use least_squares::LeastSquares;
pub use line::Line;
pub use location::{mean, median, median_estimate, relative_half_width, relative_half_width_of_median};
pub use multiple_testing::false_discovery_rates;
pub(crate) use nonnegative::nonnegative_from;
pub use nonnegative::{RobustFit, nonnegative_least_squares, robust_nonnegative};
pub use normal_equations::Unidentified;
pub(crate) use parallel::parallel_map;
pub use partition::partition;
pub(crate) use quantile::normal_score;
pub use quantile::{
    expected_excess, normal_p_value, normal_quantile, student_cumulative, student_quantile, variance_ratio_p_value,
};
pub use ranks::{kruskal_wallis, rank_correlation, sign_test};
pub use rows::SparseRows;
pub(crate) use scale::pooled_relative_deviation_by;
pub use scale::{median_variance_factor, outliers, pooled_relative_deviation, robust_deviation};
pub use seriation::seriation;
pub use trend::{Trend, trend};
pub use two_samples::{rank_sum_test, shift};
pub use updatable::Solution;
pub(crate) use updatable::UpdatableLeastSquares;

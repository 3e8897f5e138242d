//! Numerical methods on slices: estimates with confidence intervals, robust statistics, least squares, breakpoints and
//! seriation.

#[cfg(feature = "estimation")]
mod block;
#[cfg(feature = "estimation")]
mod block_structure;
pub mod breakpoints;
#[cfg(feature = "estimation")]
mod covariance;
mod estimate;
#[cfg(feature = "estimation")]
mod least_squares;
mod line;
#[cfg(feature = "estimation")]
mod linear_solvers;
mod location;
mod multiple_testing;
#[cfg(feature = "estimation")]
mod nonnegative;
#[cfg(feature = "estimation")]
mod normal_equations;
mod parallel;
mod partition;
mod quantile;
#[cfg(feature = "estimation")]
mod ranks;
#[cfg(feature = "estimation")]
mod rows;
mod scale;
#[cfg(feature = "estimation")]
mod seriation;
mod symmetric;
#[cfg(feature = "estimation")]
mod trend;
#[cfg(feature = "estimation")]
mod updatable;

#[cfg(feature = "estimation")]
pub(crate) use covariance::Covariance;
pub use estimate::{Estimate, Interval, binomial_proportion};
#[cfg(feature = "estimation")]
pub use least_squares::LeastSquares;
pub use line::Line;
pub use location::{mean, median, median_estimate, relative_half_width, relative_half_width_of_median};
pub use multiple_testing::false_discovery_rates;
#[cfg(feature = "estimation")]
pub(crate) use nonnegative::nonnegative_from;
#[cfg(feature = "estimation")]
pub use nonnegative::{RobustFit, nonnegative_least_squares, robust_nonnegative};
#[cfg(feature = "estimation")]
pub use normal_equations::Unidentified;
pub(crate) use parallel::parallel_map;
pub use partition::partition;
pub(crate) use quantile::normal_score;
pub use quantile::{
    expected_excess, normal_p_value, normal_quantile, student_cumulative, student_quantile, variance_ratio_p_value,
};
#[cfg(feature = "estimation")]
pub use ranks::{kruskal_wallis, rank_correlation, sign_test};
#[cfg(feature = "estimation")]
pub use rows::SparseRows;
pub(crate) use scale::pooled_relative_deviation_by;
pub use scale::{median_variance_factor, outliers, pooled_relative_deviation, robust_deviation};
#[cfg(feature = "estimation")]
pub use seriation::seriation;
pub(crate) use symmetric::SymmetricMatrix;
#[cfg(feature = "estimation")]
pub use trend::{Trend, trend};
#[cfg(feature = "estimation")]
pub use updatable::Solution;
#[cfg(feature = "estimation")]
pub(crate) use updatable::UpdatableLeastSquares;

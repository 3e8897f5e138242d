//! Numerical methods on slices: estimates with confidence intervals, robust statistics, least
//! squares, breakpoints and seriation; shortest paths.

pub mod breakpoints;
mod distribution;
mod estimate;
#[cfg(feature = "estimation")]
mod least_squares;
mod line;
mod location;
mod parallel;
mod partition;
mod quantile;
mod ranks;
mod scale;
mod seriation;
mod shortest_paths;
mod symmetric;
mod trend;
mod two_samples;

pub use distribution::{chi_squared_p_value, digamma, ln_gamma, trigamma, variance_ratio_p_value};
pub use estimate::{Estimate, Interval, binomial_proportion};
#[cfg(feature = "estimation")]
pub use least_squares::{
    Covariance, LeastSquares, RobustFit, Solution, SparseRows, Unidentified, UpdatableLeastSquares,
    least_squares, nonnegative_from, nonnegative_least_squares, robust_nonnegative,
};
pub use line::Line;
pub use location::{
    mean, median, median_estimate, relative_half_width, relative_half_width_of_median,
};
pub use parallel::parallel_map;
pub use partition::partition;
pub use quantile::{
    expected_excess, false_discovery_rates, normal_p_value, normal_quantile, normal_score,
    student_cumulative, student_quantile,
};
pub use ranks::{kruskal_wallis, rank_correlation, sign_test};
pub use scale::{
    median_variance_factor, outliers, pooled_relative_deviation, pooled_relative_deviation_by,
    robust_deviation,
};
pub use seriation::seriation;
pub use shortest_paths::ShortestPaths;
pub use symmetric::{LowerTriangle, SymmetricMatrix};
pub use trend::{Trend, trend};
pub use two_samples::{rank_sum_test, shift, shift_has_interval, shift_sample_size};

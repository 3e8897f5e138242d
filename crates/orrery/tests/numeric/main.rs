//! Least squares and breakpoints against oracles.

mod breakpoints;
mod least_squares;
#[path = "../common/skip.rs"]
mod skip;
mod two_samples;

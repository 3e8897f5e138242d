//! Least squares and breakpoints against oracles.

mod breakpoints;
mod least_squares;

//! Forecasts of series: plain references, laws, invented and public series.

mod intervals;
mod laws;
mod public;
#[path = "../common/public_data.rs"]
mod public_data;
mod reference;
#[path = "../common/skip.rs"]
mod skip;
mod support;
mod synthetic;

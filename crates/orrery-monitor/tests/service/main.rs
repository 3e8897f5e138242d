//! The service over HTTP: samples in, forecasts out; what it refuses; its description.

#[path = "../http/mod.rs"]
mod http;

mod answers;
mod description;
mod models;
mod refusals;
mod running;

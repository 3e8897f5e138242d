//! The service over HTTP: samples in, forecasts out; what it refuses; its description.

#[path = "../http/mod.rs"]
mod http;
#[path = "../../../orrery/tests/common/skip.rs"]
mod skip;

mod answers;
mod attacks;
mod description;
mod disturbed_store;
mod missing_store;
mod models;
mod refusals;
mod running;

//! Models of the times of compute kernels.

mod campaign;
mod classes;
mod fit;
mod memory;
mod public;
#[path = "../common/public_data.rs"]
mod public_data;
#[path = "../common/skip.rs"]
mod skip;

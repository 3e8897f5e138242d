//! The C interface of Orrery, declared in `include/orrery.h`.
//!
//! | file | content |
//! |---|---|
//! | `status` | status codes, messages of errors, the guard around every function |
//! | `registry`, `handles` | contents by handles that are checked; models with their warnings and their load |
//! | `argument` | pointers and texts of the caller |
//! | `model` | models: read, made of numbers, written, freed |
//! | `parameter` | the parameters of a model |
//! | `predict` | times of messages and collective operations |
//! | `conditions`, `service` | the present load of hosts and links, and models under it; the service that sends it, with the feature `monitor` |
//! | `forecast`, `connection` | latency and bandwidth between processors |
//! | `kernel`, `routine` | times and memory of kernels and parallel routines |
//! | `estimation` | what is measured and fitted; estimations on simulated clusters |
//! | `explain` | the terms of a predicted time, and its alarms |
//! | `choose` | the fastest algorithm of a collective operation |
//! | `mpi` | models estimated in a running MPI program, with the feature `mpi`, declared in `include/orrery_mpi.h` |
//! | `collectives` | collective operations by the algorithms of a model, with the feature `mpi` |
//!
//! No panic crosses the border, and no pointer of the caller is kept.

#![allow(unsafe_code)]

mod argument;
mod choose;
#[cfg(feature = "mpi")]
mod collectives;
mod conditions;
mod connection;
mod estimation;
mod explain;
mod forecast;
mod handles;
mod kernel;
mod model;
#[cfg(feature = "mpi")]
mod mpi;
mod parameter;
mod predict;
mod registry;
mod routine;
mod service;
mod status;

pub use choose::orrery_choose_collective;
#[cfg(feature = "mpi")]
pub use collectives::{orrery_bcast, orrery_gather, orrery_reduce, orrery_scatter};
pub use conditions::{
    ConditionsHandle, orrery_conditions_bandwidth, orrery_conditions_fetch, orrery_conditions_free,
    orrery_conditions_latency, orrery_conditions_parse, orrery_conditions_path,
    orrery_conditions_read, orrery_model_now,
};
pub use connection::{orrery_bandwidth, orrery_latency};
pub use estimation::{EstimationOptions, orrery_estimate_simulated, orrery_estimation_options};
pub use explain::{orrery_explain_collective, orrery_explain_message};
pub use forecast::CForecast;
pub use handles::ModelHandle;
pub use kernel::{orrery_kernel_space, orrery_kernel_time};
pub use model::{
    orrery_model_check, orrery_model_free, orrery_model_host, orrery_model_kinds,
    orrery_model_of_lmo, orrery_model_parse, orrery_model_processors, orrery_model_read,
    orrery_model_text, orrery_model_write,
};
#[cfg(feature = "mpi")]
pub use mpi::{orrery_estimate, orrery_lmo_estimate};
pub use parameter::{CEstimate, orrery_model_parameter, orrery_model_set_parameter};
pub use predict::{
    CPrediction, orrery_message_time, orrery_predict_collective, orrery_predict_message,
};
pub use routine::{orrery_routine_space, orrery_routine_time};
pub use status::{Status, orrery_error, orrery_version};

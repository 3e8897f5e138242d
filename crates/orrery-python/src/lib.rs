//! The Python module `orrery`: samples, models, runs and predictions as tables that Arrow consumers
//! read without copies, and predictions as NumPy arrays.
//!
//! | file | content |
//! |---|---|
//! | `arrow` | columns in the layout of Apache Arrow, and their export |
//! | `column`, `table` | the classes of columns and tables; tables of the report as columns |
//! | `error`, `work` | exceptions; work on threads, which signals interrupt |
//! | `application` | forecasts of applications and of their regions |
//! | `argument` | arguments as values of the library |
//! | `budget` | limits of memory and work |
//! | `samples`, `model`, `runs` | what is read from files: also traces |
//! | `conditions` | the present load of hosts and links, read or asked of a service |
//! | `forecast` | the class of a forecast |
//! | `routine`, `connection` | forecasts of kernels, parallel routines and the network |
//! | `machine`, `measure`, `fit`, `predict`, `validate`, `choose`, `simulate` | the verbs of the command |
//!
//! The package around it, in `python/orrery`, has the exceptions and the types.

mod application;
mod argument;
mod arrow;
mod budget;
mod choose;
mod column;
mod conditions;
mod connection;
mod error;
mod fit;
mod forecast;
mod machine;
mod measure;
mod model;
mod predict;
mod predicted;
mod routine;
mod runs;
mod samples;
mod simulate;
mod table;
mod validate;
mod work;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::application::{forecast_map, predict_application, rank_regions};
    #[pymodule_export]
    use crate::budget::{limit_memory, limit_operations};
    #[pymodule_export]
    use crate::choose::{choose_collective, choose_grid, choose_order};
    #[pymodule_export]
    use crate::column::TableColumn;
    #[pymodule_export]
    use crate::conditions::{Conditions, ConditionsOfPath, fetch_conditions, read_conditions};
    #[pymodule_export]
    use crate::connection::{bandwidth, latency};
    #[pymodule_export]
    use crate::fit::fit;
    #[pymodule_export]
    use crate::forecast::Forecast;
    #[pymodule_export]
    use crate::machine::{Machine, local_machine, serve_worker, simulated_machine};
    #[pymodule_export]
    use crate::measure::{measure_collectives, measure_comm};
    #[pymodule_export]
    use crate::model::{Model, read_model};
    #[pymodule_export]
    use crate::predict::{Predictions, explain, predict};
    #[pymodule_export]
    use crate::routine::{kernel_space, kernel_time, routine_space, routine_time};
    #[pymodule_export]
    use crate::runs::{Runs, Trace, read_runs, read_trace};
    #[pymodule_export]
    use crate::samples::{Samples, read_samples};
    #[pymodule_export]
    use crate::simulate::{Simulation, simulate};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::validate::{Validation, validate};

    /// The version of the library.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python uses")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

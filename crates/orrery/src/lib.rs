//! Performance models of clusters: measurement, estimation, prediction and choice of algorithms and
//! configurations.
//!
//! The main nouns are at the root of the crate. This program measures a cluster, fits a model, and
//! predicts:
//!
//! ```
//! use orrery::comm::lmo::LmoNetwork;
//! use orrery::{Algorithm, Bytes, CollectiveKind, Estimation, ModelKind, Precision, Processor, Query, SimulatedMachine};
//!
//! // A cluster of four processors with known parameters. `LocalMachine` measures on processes of this host.
//! let network = LmoNetwork::new(&[10e-6; 4], &[1e-9; 4], Some(&[20e-6; 6]), &[8e-9; 6]);
//! let mut machine = SimulatedMachine::new(network, 0.02, 1);
//!
//! // Round trips first, then one-to-two experiments, each repeated until its median is known to 2 %; then the fit.
//! let estimation = Estimation { precision: Precision::within(0.02), ..Estimation::lmo() };
//! let model = estimation.estimate(&mut machine)?.fit.model;
//!
//! let scatter = Query::collective(CollectiveKind::Scatter, Algorithm::Linear, Processor(0), 4, Bytes::new(16 << 10));
//! let prediction = model.predict(ModelKind::Lmo, &scatter)?;
//! let (low, high) = prediction.interval.expect("readings have spread");
//! assert!(low < prediction.seconds && prediction.seconds < high);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Features of the crate, all on by default. Without any, a program can read, check, write and
//! compare models, predict, choose algorithms and simulate:
//!
//! | feature | content |
//! |---|---|
//! | `estimation` | models from measurements: the modules `sample::file`, `machine`, `measure`, `estimation`, `simulated_cluster` and `collective::measured`; fits and validation |
//! | `applications` | applications, parallel routines and files of other programs: the modules `run`, `scaling`, `trace`, `tuning`, `sample::import`, `simulate::loggp`, `routine`, `grid`, `forecast` and `conditions` |
//! | `parallel` | work on all cores; results agree to rounding |
//!
//! The library is a crate for each of its layers; this one shows their modules, and what can be
//! asked ([`request`]). In the order of the data flow:
//!
//! | module | crate | content |
//! |---|---|---|
//! | [`names`] | `orrery-base` | the most similar valid name for one that is unknown |
//! | [`units`] | `orrery-base` | seconds, bytes and rates as types |
//! | [`budget`] | `orrery-base` | the memory and the work that an input may cost |
//! | [`file`](mod@file) | `orrery-base` | file access: located errors, atomic replacement, locked files of campaigns |
//! | [`json`] | `orrery-base` | JSON with positions |
//! | [`numeric`] | `orrery-base` | estimates, robust statistics, least squares, breakpoints |
//! | [`schedule`] | `orrery-program` | operations and programs: written once, then run, predicted or simulated |
//! | [`kernel`] | `orrery-program` | compute kernels of linear algebra: calls, and models of their times |
//! | [`routine`] | `orrery-program` | parallel routines on grids of processes, redistribution |
//! | [`sharing`] | `orrery-cluster` | bandwidth sharing: penalties of concurrent transfers, max-min fairness |
//! | [`platform`] | `orrery-cluster` | processors, hosts, placements; cluster files, SimGrid platforms |
//! | [`engine`] | `orrery-play` | plays a schedule on a point-to-point network in virtual time, with the critical path |
//! | [`trace`] | `orrery-play` | traces of applications |
//! | [`simulate`] | `orrery-play` | replay on a cluster whose links are shared |
//! | [`sample`] | `orrery-measure` | experiments and their readings; samples files |
//! | [`machine`] | `orrery-measure` | machines that run schedules: local processes, the simulated cluster |
//! | [`measure`] | `orrery-measure` | campaigns: which experiments, in which order, how often |
//! | [`run`] | `orrery-applications` | runs of applications: sizes, configurations, times |
//! | [`scaling`] | `orrery-applications` | execution-time models of applications, and the search for the best configuration |
//! | [`comm`] | `orrery-models` | point-to-point models: parameters, estimation, prediction |
//! | [`model`] | `orrery-models` | the model file: everything fitted for one cluster; predictions, validation |
//! | [`estimation`] | `orrery-models` | models from a machine in one call: the measuring protocol and the fit |
//! | [`simulated_cluster`] | `orrery-models` | a fitted model as a machine to measure on |
//! | [`forecast`] | `orrery-models` | forecasts of measured series, with intervals |
//! | [`conditions`] | `orrery-models` | the present load of hosts and links, and models under it |
//! | [`collective`] | `orrery-choices` | choice of the algorithm and the root of collective operations |
//! | [`grid`] | `orrery-choices` | choice of the grid of processes for a parallel routine |
//! | [`tuning`] | `orrery-choices` | decisions as files for other tools |
//! | [`request`] | this one | what can be asked of a model, checked in one place |

pub mod request;

#[cfg(feature = "applications")]
pub use orrery_applications::{run, scaling};
pub use orrery_base::{budget, file, json, names, numeric, units};
pub use orrery_choices::collective;
#[cfg(feature = "applications")]
pub use orrery_choices::{grid, tuning};
pub use orrery_cluster::{platform, sharing};
pub use orrery_measure::sample;
#[cfg(feature = "estimation")]
pub use orrery_measure::{machine, measure};
pub use orrery_models::{comm, model};
#[cfg(feature = "applications")]
pub use orrery_models::{conditions, forecast};
#[cfg(feature = "estimation")]
pub use orrery_models::{estimation, simulated_cluster};
#[cfg(feature = "applications")]
pub use orrery_play::trace;
pub use orrery_play::{engine, simulate};
#[cfg(feature = "applications")]
pub use orrery_program::routine;
pub use orrery_program::{kernel, schedule};

pub use collective::CollectiveChoice;
#[cfg(feature = "estimation")]
pub use estimation::Estimation;
#[cfg(feature = "estimation")]
pub use machine::local::LocalMachine;
#[cfg(feature = "estimation")]
pub use machine::{Machine, SimulatedMachine};
#[cfg(feature = "estimation")]
pub use measure::Precision;
#[cfg(feature = "applications")]
pub use model::{Availability, Connections, Forecaster};
pub use model::{Model, ModelKind, Prediction, Predictor, Query};
pub use numeric::Estimate;
pub use platform::{Processor, Topology};
#[cfg(feature = "applications")]
pub use run::Runs;
pub use sample::Experiment;
#[cfg(feature = "estimation")]
pub use sample::Samples;
#[cfg(feature = "applications")]
pub use scaling::Application;
pub use schedule::{Algorithm, CollectiveKind};
pub use simulate::{FlowModel, Simulation};
#[cfg(feature = "applications")]
pub use trace::actions::Trace;
pub use units::{Bytes, Seconds};

//! What the estimators of all kinds of models share: observations, least squares along critical
//! paths, and the correlations of errors.

mod by_class;
pub(super) mod correlations;
pub(super) mod critical_path_fit;
mod error;
mod estimator;
mod observation;
pub(super) mod path_search;
pub(super) mod trains;

pub(crate) use by_class::fit_by_class;
pub use error::FitError;
pub use estimator::{
    BASIC_EXPERIMENTS, Estimated, EstimationOptions, Estimator, FitParameters, Termination,
};
pub use observation::{Observation, Observations};

//! What the estimators of all kinds of models share: observations, least squares along critical
//! paths, and the correlations of errors.

pub(super) mod correlations;
pub(super) mod critical_path_fit;
mod estimator;
mod observation;
pub(super) mod path_search;
pub(super) mod trains;

pub(crate) use estimator::fit_by_class;
pub use estimator::{
    BASIC_EXPERIMENTS, Estimated, EstimationOptions, Estimator, FitError, FitParameters,
    Termination,
};
pub use observation::{Observation, Observations};

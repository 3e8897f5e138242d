//! Point-to-point models and thresholds: what is fitted to simulated readings is the model that was simulated.

mod collective_choice;
mod designs;
mod estimation;
mod fit_diagnostics;
mod homogeneous_models;
mod link_classes;
mod support;
mod thresholds;
mod thresholds_model;

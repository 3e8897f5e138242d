use super::{ModelKind, Prediction};
use crate::numeric::Estimate;
use crate::platform::LinkClass;
use crate::sample::Experiment;

/// Observed against predicted times, experiment by experiment and model by model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Validation {
    /// One row for each experiment and model, ordered by experiment, then by model.
    pub rows: Vec<ValidationRow>,
    /// For each model: all experiments of one operation together, then those of each class of links where it has
    /// several, and at last all operations together.
    pub summary: Vec<ValidationSummary>,
}

/// One experiment against one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationRow {
    /// What was measured.
    pub experiment: Experiment,
    /// Whether its links run within a host or across hosts, in clusters with both.
    pub class: Option<LinkClass>,
    /// The median of the readings in seconds, with its interval and the number of readings.
    pub observed: Estimate,
    /// What the model says.
    pub predicted: Prediction,
    /// (predicted − observed) / observed.
    pub error: f64,
}

/// How well one model predicts a set of experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationSummary {
    /// The model.
    pub model: ModelKind,
    /// `roundtrip`, `scatter/linear`, …; `all` for all of them.
    pub operation: String,
    /// Those experiments alone whose links are of this class; `None` for all.
    pub class: Option<LinkClass>,
    /// How many experiments.
    pub rows: usize,
    /// Mean of |error|.
    pub mean_error: f64,
    /// Median of |error|.
    pub median_error: f64,
    /// Largest |error|.
    pub max_error: f64,
}

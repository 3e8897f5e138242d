use crate::comm::FitError;
use crate::machine::MachineError;
use crate::measure::{CampaignEnd, CampaignError, Interference, SizeChoice};
use crate::model::FitOutcome;
use crate::sample::Samples;

/// The readings of an estimation, and the decisions that were taken while it measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The readings.
    pub samples: Samples,
    /// Whether everything was measured within the time limit.
    pub end: CampaignEnd,
    /// The size of messages; `None` if the time limit ended the search for thresholds.
    pub size: Option<SizeChoice>,
    /// True if experiments ran in parallel.
    pub parallel: bool,
    /// The test on which this was decided, if there was one.
    pub interference: Option<Interference>,
}

/// A fitted model and what was measured for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated {
    /// The readings.
    pub measured: Measured,
    /// The model with a report about the fit.
    pub fit: FitOutcome,
}

/// The reason why a model could not be estimated.
#[derive(Debug, thiserror::Error)]
pub enum EstimationError {
    /// The machine failed in the test whether experiments can run in parallel.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A campaign failed.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// The readings do not identify the models.
    #[error(transparent)]
    Fit(#[from] FitError),
}

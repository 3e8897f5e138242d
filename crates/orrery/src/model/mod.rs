//! The model: everything that was fitted, with intervals and provenance.

mod concurrent;
mod escalating;
pub mod file;
mod fit;
mod kind;
mod native;
mod predict;
mod prediction;
mod ranking;
mod validate;
mod validation;

pub use concurrent::{
    LawAccuracy, PenaltyComparison, SharingFit, SharingFitError, SharingValidation, fit_sharing, validate_sharing,
};
pub use fit::{FitOptions, Fitted, LmoEstimator, fit};
pub use kind::ModelKind;
pub use native::{NativeComparison, compare_native};
pub use predict::{PredictError, Predictor};
pub use prediction::{Prediction, Query};
pub use ranking::{RANKING_LEVEL, Ranked};
pub use validate::validate;
pub use validation::{Validation, ValidationRow, ValidationSummary};

use crate::comm::{Hlmo, Hockney, Lmo, LogGp, PLogP, Thresholds};
use crate::platform::Hosts;
use crate::sample::Provenance;
use crate::scaling::Application;
use crate::schedule::Collective;
use crate::sharing::Parameters;
use crate::units::Bytes;

/// Everything fitted for one cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    /// Where the model comes from.
    pub provenance: Provenance,
    /// The smallest and the largest message that was measured; `None` in a model that was not measured.
    pub measured: Option<(Bytes, Bytes)>,
    /// The host of each processor, empty where it is not known; its length is the number of processors.
    pub hosts: Vec<String>,
    /// Hockney, for pairs and as the mean.
    pub hockney: Option<Hockney>,
    /// LMO without link latency.
    pub lom: Option<Lmo>,
    /// LMO.
    pub lmo: Option<Lmo>,
    /// Thresholds of linear scatter and gather.
    pub thresholds: Vec<Thresholds>,
    /// LMO of alike processors and links.
    pub hlmo: Option<Hlmo>,
    /// LogP.
    pub logp: Option<LogGp>,
    /// LogGP.
    pub loggp: Option<LogGp>,
    /// PLogP.
    pub plogp: Option<PLogP>,
    /// What concurrent transfers do to each other.
    pub sharing: Parameters,
    /// The execution times of an application.
    pub application: Option<Application>,
}

impl Model {
    /// How many processors the model speaks of.
    pub fn processors(&self) -> usize {
        self.hosts.len()
    }

    /// The kinds of communication models in it.
    pub fn kinds(&self) -> Vec<ModelKind> {
        ModelKind::ALL.into_iter().filter(|kind| self.has(*kind)).collect()
    }

    /// Whether it holds this kind of communication model.
    pub fn has(&self, kind: ModelKind) -> bool {
        match kind {
            ModelKind::Hockney | ModelKind::HockneyMean => self.hockney.is_some(),
            ModelKind::Lom => self.lom.is_some(),
            ModelKind::Lmo => self.lmo.is_some(),
            ModelKind::Hlmo => self.hlmo.is_some(),
            ModelKind::LogP => self.logp.is_some(),
            ModelKind::LogGp => self.loggp.is_some(),
            ModelKind::PLogP => self.plogp.is_some(),
        }
    }

    /// The thresholds of an operation, if it has some.
    pub fn thresholds_of(&self, collective: &Collective) -> Option<&Thresholds> {
        self.thresholds.iter().find(|thresholds| thresholds.apply_to(collective))
    }

    /// Which processors share a host.
    pub fn shared_hosts(&self) -> Hosts {
        Hosts::new(&self.hosts)
    }

    /// Whether a message of this size lies outside the measured range.
    pub fn extrapolates(&self, size: Bytes) -> bool {
        self.measured.is_some_and(|(smallest, largest)| size < smallest || size > largest)
    }
}

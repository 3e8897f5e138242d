//! The model of a cluster: all fitted parameters, with intervals and provenance.

mod alarm;
#[cfg(feature = "applications")]
mod availability;
mod collective_errors;
#[cfg(feature = "estimation")]
mod concurrent;
#[cfg(feature = "applications")]
mod connection;
mod diff;
pub mod file;
#[cfg(feature = "estimation")]
mod fit;
mod flows;
#[cfg(feature = "applications")]
mod forecaster;
mod host_classes;
#[cfg(feature = "applications")]
mod host_kernels;
mod irregular;
mod kernels;
#[cfg(feature = "applications")]
mod link_slowdown;
#[cfg(feature = "applications")]
mod load_doubt;
mod losses;
mod measurements;
mod parameter_draws;
mod per_host;
mod played_flows;
mod predict;
mod predict_error;
mod prediction;
#[cfg(feature = "applications")]
mod redistribution_predictor;
#[cfg(feature = "applications")]
mod routine_alarm;
#[cfg(feature = "applications")]
mod routine_explanation;
#[cfg(feature = "applications")]
mod routine_predictor;
mod uncertainty;
#[cfg(feature = "estimation")]
mod validate;
#[cfg(feature = "applications")]
mod validate_routines;

pub use crate::comm::ModelKind;
pub use alarm::Alarm;
#[cfg(feature = "applications")]
pub use availability::{Availability, AvailabilityError, Candidates, MIN_FORECAST_PART};
pub use collective_errors::{CollectiveAlgorithm, MeasuredError, UnknownAlgorithm};
#[cfg(feature = "estimation")]
pub use concurrent::{
    LawAccuracy, PenaltyComparison, SharingFit, SharingFitError, SharingValidation, fit_sharing,
    validate_sharing,
};
#[cfg(feature = "applications")]
pub use connection::{Bandwidth, ConnectionError, Connections, Latency};
pub use diff::{
    Change, CommonProcessors, DiffError, DiffOptions, Finding, MeasuredErrorChange, MessageChange,
    ModelDiff, ParameterChange, SharedLinkChange, Subject, diff,
};
#[cfg(feature = "estimation")]
pub use fit::{
    AtBound, FailedPart, FitDiagnostics, FitOptions, FitOutcome, FittedKernels, GroupVerdict,
    HalfDuplex, MISFIT, Misfit, OperationResiduals, Residual, SharedLink, SharedLinks,
    SizeResiduals, diagnose, fit, fit_kernels, is_test,
};
pub use flows::SharedPorts;
#[cfg(feature = "applications")]
pub use forecaster::{Forecaster, KernelAlarm, KernelForecast};
pub use host_classes::{ALL_HOSTS, HostClasses, HostClassesError};
#[cfg(feature = "applications")]
pub use host_kernels::{HostKernels, kernel_for, measured_kernel};
pub use kernels::{KernelChoice, KernelOnHost, KernelPredictError};
#[cfg(feature = "applications")]
pub use link_slowdown::{Factor, LinkSlowdown};
#[cfg(feature = "applications")]
pub use load_doubt::{LoadDoubt, doubtful_hosts, left_out};
pub use measurements::{Measurements, SeenExperiments, Sweep};
pub use played_flows::PlayedFlows;
pub use predict::Predictor;
pub use predict_error::PredictError;
pub use prediction::{Prediction, Query};
#[cfg(feature = "applications")]
pub use redistribution_predictor::{RedistributionPrediction, validate_redistributions};
#[cfg(feature = "applications")]
pub use routine_alarm::{MemoryExcess, RoutineAlarm};
#[cfg(feature = "applications")]
pub use routine_explanation::{RoutinePart, RoutineShare};
#[cfg(feature = "applications")]
pub use routine_predictor::{RoutinePredictError, RoutinePrediction, RoutinePredictor};
pub use uncertainty::{Discrepancies, Discrepancy, Uncertainty};
#[cfg(feature = "estimation")]
pub use validate::{
    NativeComparison, RANKING_LEVEL, Ranked, RankingBasis, Validation, ValidationRow,
    ValidationSummary, compare_native, inside, validate,
};
#[cfg(feature = "applications")]
pub use validate_routines::{GridRegret, RoutineComparison, grid_regrets, validate_routines};

use std::collections::BTreeMap;

use crate::comm::{Correlations, ParameterErrors, ParameterSet, Thresholds, TypedParameters};
#[cfg(feature = "applications")]
use orrery_applications::scaling::Application;
use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Hosts;
use orrery_cluster::sharing::FittedLaws;
use orrery_measure::sample::{MachineDifference, Provenance};
use orrery_program::schedule::Collective;

/// All models fitted for one cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    /// The origin of the model.
    pub provenance: Provenance,
    /// The sizes of the smallest and the largest measured message; `None` if the model was not
    /// measured.
    pub measured: Option<(Bytes, Bytes)>,
    /// What was measured besides.
    pub measurements: Measurements,
    /// The host of each processor, empty if unknown; its length is the number of processors.
    pub hosts: Vec<String>,
    /// The parameters of each point-to-point model, by the kind that stores them.
    pub point_to_point: BTreeMap<ModelKind, ParameterSet>,
    /// The correlations of the errors of parameters, by the kind that stores them; without, errors
    /// count as independent.
    pub correlations: BTreeMap<ModelKind, Correlations>,
    /// The discrepancies of kinds of models; kinds without any are left out.
    pub discrepancies: BTreeMap<ModelKind, Discrepancies>,
    /// Thresholds of linear scatter and gather.
    pub thresholds: Vec<Thresholds>,
    /// The time of each processor to combine a byte in reductions \[s/B\]; empty if it is unknown.
    pub combination: Vec<Estimate>,
    /// The fitted sharing laws.
    pub sharing: FittedLaws,
    /// The models of compute kernels, by host.
    pub kernels: Vec<KernelOnHost>,
    /// The memory of each host where it is known, of all of its processes together.
    pub host_memory: BTreeMap<String, Bytes>,
    /// The execution times of an application.
    #[cfg(feature = "applications")]
    pub application: Option<Application>,
}

impl Model {
    /// A model of this number of processors, on hosts without names, without parameters.
    ///
    /// ```
    /// use orrery_models::comm::Lmo;
    /// use orrery_base::numeric::Estimate;
    /// use orrery_cluster::platform::{PerPair, Processor};
    /// use orrery_base::units::Bytes;
    /// use orrery_models::model::Model;
    /// use orrery_models::model::ModelKind;
    /// use orrery_models::model::Query;
    /// let lmo = Lmo {
    ///     fixed_delay: vec![Estimate::exact(10e-6); 2],
    ///     byte_delay: vec![Estimate::exact(1e-9); 2],
    ///     link_latency: Some(PerPair::from_fn(2, |_, _| Estimate::exact(20e-6))),
    ///     link_byte_delay: PerPair::from_fn(2, |_, _| Estimate::exact(8e-9)),
    /// };
    /// let model = Model::new(2).with(ModelKind::Lmo, &lmo);
    /// let message = Query::message(Processor(0), Processor(1), Bytes::new(1000));
    /// assert_eq!(model.predict(ModelKind::Lmo, &message)?.seconds.to_string(), "50.0 µs");
    /// # Ok::<(), orrery_models::model::PredictError>(())
    /// ```
    pub fn new(processors: usize) -> Self {
        Self { hosts: vec![String::new(); processors], ..Self::default() }
    }

    /// Returns the time of one query by a kind of model; a [`Predictor`] answers many.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind, or the processors of the query.
    pub fn predict(&self, kind: ModelKind, query: &Query) -> Result<Prediction, PredictError> {
        Predictor::new(self, kind)?.predict(query)
    }

    /// The number of processors.
    pub fn processors(&self) -> usize {
        self.hosts.len()
    }

    /// The kinds of point-to-point models in it.
    pub fn kinds(&self) -> Vec<ModelKind> {
        ModelKind::ALL.iter().copied().filter(|kind| self.has(*kind)).collect()
    }

    /// The kind of point-to-point model that is taken if a request names none; `None` if there is
    /// no such model.
    pub fn preferred_kind(&self) -> Option<ModelKind> {
        ModelKind::preferred(&self.kinds())
    }

    /// Returns true if it holds this kind of point-to-point model.
    pub fn has(&self, kind: ModelKind) -> bool {
        self.parameters(kind).is_some()
    }

    /// The parameters of a kind of point-to-point model; `None` if the model does not hold it.
    pub fn parameters(&self, kind: ModelKind) -> Option<&ParameterSet> {
        self.point_to_point.get(&kind.stored_as())
    }

    /// The parameters of a kind of point-to-point model as a struct.
    ///
    /// ```
    /// use orrery_models::comm::{Hockney, Lmo};
    /// use orrery_models::model::{Model, ModelKind};
    /// let model = Model::default();
    /// assert_eq!(model.get::<Lmo>(ModelKind::Lmo), None);
    /// ```
    pub fn get<P: TypedParameters>(&self, kind: ModelKind) -> Option<P> {
        P::from_set(self.parameters(kind)?).map(|parameters| parameters.on_hosts(&self.hosts))
    }

    /// Stores the parameters of a kind of point-to-point model.
    pub fn set<P: TypedParameters>(&mut self, kind: ModelKind, parameters: &P) {
        self.point_to_point.insert(kind.stored_as(), parameters.to_set());
    }

    /// Returns the model with the parameters of one more kind of point-to-point model.
    #[must_use]
    pub fn with<P: TypedParameters>(mut self, kind: ModelKind, parameters: &P) -> Self {
        self.set(kind, parameters);
        self
    }

    /// Returns the errors of the parameters of a kind of point-to-point model.
    pub fn parameter_errors(&self, kind: ModelKind) -> ParameterErrors<'_> {
        ParameterErrors::new(kind, self.processors(), self.correlations.get(&kind.stored_as()))
    }

    /// Returns the thresholds of an operation; `None` if there are none.
    pub fn thresholds_of(&self, collective: &Collective) -> Option<&Thresholds> {
        self.thresholds.iter().find(|thresholds| thresholds.apply_to(collective))
    }

    /// Returns the hosts of the processors.
    pub fn shared_hosts(&self) -> Hosts {
        Hosts::new(&self.hosts)
    }

    /// The differences between the machine of the model and that of later measurements, by
    /// processor.
    pub fn machine_differences(&self, later: &Provenance) -> Vec<MachineDifference> {
        let mut differences = self.provenance.entry_differences(later);
        differences.extend(MachineDifference::of_hosts(&self.known_hosts(), &later.hosts()));
        differences
    }

    /// The hosts of measured schemes that the model does not have; order and number do not matter.
    /// `None` if there are none.
    pub fn network_difference(&self, later: &Provenance) -> Option<MachineDifference> {
        MachineDifference::of_network(&self.known_hosts(), &later.hosts())
    }

    /// The hosts of the processors, or those of the provenance in a model without processors.
    fn known_hosts(&self) -> Vec<&str> {
        if self.hosts.is_empty() {
            self.provenance.hosts()
        } else {
            self.hosts.iter().map(String::as_str).collect()
        }
    }

    /// Returns true if a message of this size lies outside the measured range.
    pub fn extrapolates(&self, size: Bytes) -> bool {
        self.measured.is_some_and(|(smallest, largest)| size < smallest || size > largest)
    }
}

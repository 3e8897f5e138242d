//! The definition of a kind of point-to-point model, and the options and the result of its estimation.

use super::hockney::HockneyEstimator;
use super::lmo::LmoEstimator;
use super::plogp::ProtocolSwitch;
use super::thresholds::SlopeCorrection;
use super::{Correlations, FitError, Observations, ParameterGroup, ParameterSet, PointToPoint, TypedParameters};
use crate::sample::ExperimentKind;

/// The kinds of experiments that identify the delays of processors and links.
pub const BASIC_EXPERIMENTS: &[ExperimentKind] = &[ExperimentKind::RoundTrip, ExperimentKind::OneToTwo];

/// The definition of a kind of point-to-point model: its names, parameters, estimation and network.
pub trait ModelDefinition: Sync {
    /// The keyword in the model file and on the command line: `loggp`.
    fn name(&self) -> &'static str;

    /// The time T(m) of a message of m bytes between two processors, in symbols; `_` precedes a subscript.
    fn formula(&self) -> &'static str;

    /// The meaning of the parameters, in words.
    fn about(&self) -> &'static str;

    /// The name of the kind that stores the parameters if this kind is another view of them; otherwise `None`.
    fn stored_as(&self) -> Option<&'static str> {
        None
    }

    /// The parameters of this kind, in groups of one shape; parameters that another kind stores are left out.
    fn groups(&self) -> &'static [ParameterGroup];

    /// The kinds of experiments that the parameters are estimated from. Estimators get [`BASIC_EXPERIMENTS`] in any case,
    /// for the spread of readings that they pool.
    fn uses(&self) -> &'static [ExperimentKind] {
        BASIC_EXPERIMENTS
    }

    /// The observations that the model is meant to reproduce; `None` for all observations of the kinds that it uses.
    fn domain(&self, observations: &Observations) -> Option<Observations> {
        let _ = observations;
        None
    }

    /// The kinds of experiments that this kind requires; without them, a fit of all models skips it.
    fn requires(&self) -> &'static [ExperimentKind] {
        &[]
    }

    /// Returns true if the parameters can be those of a single pair of processors.
    fn allows_single_pair(&self) -> bool {
        false
    }

    /// Estimates the parameters.
    ///
    /// # Errors
    ///
    /// When the observations do not identify them.
    fn fit(&self, observations: &Observations, options: &EstimationOptions) -> Result<Estimated, FitError>;

    /// The network of these parameters for this number of processors; `None` if parameters are missing.
    fn network(&self, parameters: &ParameterSet, processors: usize) -> Option<Box<dyn PointToPoint>>;

    /// Fills in parameters that the model file may omit.
    fn complete(&self, parameters: &mut ParameterSet) {
        let _ = parameters;
    }

    /// The names of parameters and of objects with parameters that the model file may omit.
    fn optional(&self) -> &'static [&'static str] {
        &[]
    }

    /// The corrections of gather slopes that apply to this kind; `None` for models that do not separate the delays of
    /// processors from those of links.
    fn slope_correction(&self) -> Option<SlopeCorrection> {
        None
    }

    /// Returns true if concurrent messages share the ports of processors as flows when a collective operation is predicted,
    /// instead of passing them one after the other as on the [`ModelDefinition::network`].
    fn shares_ports(&self) -> bool {
        false
    }

    /// The message sizes between which the parameters show a change of protocol.
    fn protocol_switches(&self, parameters: &ParameterSet) -> Vec<ProtocolSwitch> {
        let _ = parameters;
        Vec::new()
    }
}

/// The estimators that a fit uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimationOptions {
    /// The estimator of LMO and LOM.
    pub lmo: LmoEstimator,
    /// The estimator of Hockney.
    pub hockney: HockneyEstimator,
    /// The level of the intervals, between 0 and 1.
    pub level: f64,
}

/// The result of an estimation.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated {
    /// The parameters.
    pub parameters: ParameterSet,
    /// The correlations of their errors; `None` if the estimator does not return them.
    pub correlations: Option<Correlations>,
    /// How the iterations ended, for estimators that iterate over critical paths.
    pub termination: Option<Termination>,
}

impl Estimated {
    /// The parameters of a least-squares problem, with the correlations of their errors.
    pub(super) fn new(parameters: &impl TypedParameters, correlations: Correlations) -> Self {
        Self { parameters: parameters.to_set(), correlations: Some(correlations), termination: None }
    }
}

impl From<ParameterSet> for Estimated {
    fn from(parameters: ParameterSet) -> Self {
        Self { parameters, correlations: None, termination: None }
    }
}

/// The reason why the iteration of an estimator over critical paths ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// The critical paths no longer change.
    Converged {
        /// The number of least-squares solutions.
        iterations: usize,
    },
    /// The critical paths keep changing without a better fit; the best solution is kept.
    NoImprovement {
        /// The number of least-squares solutions.
        iterations: usize,
    },
}

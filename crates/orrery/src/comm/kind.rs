//! The registry of point-to-point models. The command, the model file, fits, predictions and reports take the kinds of
//! models from here: a new kind is a [`ModelDefinition`] and one line in the list of [`ModelKind`].

use std::fmt;
use std::str::FromStr;

use super::hockney::HockneyEstimator;
use super::lmo::LmoEstimator;
use super::plogp::ProtocolSwitch;
use super::thresholds::SlopeCorrection;
use super::{
    FitError, Observations, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape, hlmo, hockney, lmo,
    loggp, plogp,
};
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

    /// The kind that stores the parameters if this kind is another view of them; otherwise `None`.
    fn stored_as(&self) -> Option<ModelKind> {
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

    /// The names of objects in the model file that may be omitted.
    fn optional_objects(&self) -> &'static [&'static str] {
        &[]
    }

    /// The corrections of gather slopes that apply to this kind; `None` for models that do not separate the delays of
    /// processors from those of links.
    fn slope_correction(&self) -> Option<SlopeCorrection> {
        None
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
    /// How the iterations ended, for estimators that iterate over critical paths.
    pub termination: Option<Termination>,
}

impl From<ParameterSet> for Estimated {
    fn from(parameters: ParameterSet) -> Self {
        Self { parameters, termination: None }
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

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $definition:expr),+ $(,)?) => {
        /// A kind of point-to-point model.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ModelKind { $($(#[$doc])* $kind),+ }

        impl ModelKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// The definition of the kind.
            pub fn definition(self) -> &'static dyn ModelDefinition {
                match self { $(Self::$kind => &$definition),+ }
            }
        }
    };
}

kinds! {
    /// Hockney with parameters for each pair.
    Hockney => hockney::Definition,
    /// Hockney with the mean parameters for every pair.
    HockneyMean => hockney::MeanDefinition,
    /// LMO without link latency.
    Lom => lmo::Definition { with_latency: false },
    /// LMO.
    Lmo => lmo::Definition { with_latency: true },
    /// LMO with equal processors and equal links.
    Hlmo => hlmo::Definition,
    /// LogP.
    LogP => loggp::Definition { with_bytes: false },
    /// LogGP.
    LogGp => loggp::Definition { with_bytes: true },
    /// PLogP.
    PLogP => plogp::Definition,
}

impl ModelKind {
    /// The keyword of the kind in files and on the command line.
    pub fn name(self) -> &'static str {
        self.definition().name()
    }

    /// The keywords of all kinds, separated by commas.
    pub fn names() -> String {
        Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }

    /// The kind that stores the parameters: this kind itself, or the kind of which it is a view.
    #[must_use]
    pub fn stored_as(self) -> Self {
        self.definition().stored_as().unwrap_or(self)
    }

    /// The kinds with parameters of their own.
    pub fn stored() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| kind.stored_as() == *kind)
    }

    /// The kinds that are views of the parameters of this one; this kind itself comes last.
    pub fn views(self) -> impl Iterator<Item = Self> {
        Self::ALL.iter().rev().copied().filter(move |kind| kind.stored_as() == self)
    }

    /// The parameters of the kind and of its views, with their shapes.
    pub fn parameters(self) -> impl Iterator<Item = (Shape, &'static ParameterSpec)> {
        let groups = self.views().flat_map(|kind| kind.definition().groups());
        groups.flat_map(|group| group.parameters.iter().map(|spec| (group.shape, spec)))
    }

    /// The corrections of gather slopes that apply to this kind of model.
    pub fn slope_correction(self) -> Option<SlopeCorrection> {
        self.definition().slope_correction()
    }
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ModelKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("unknown kind of model {text:?}; known are {}", Self::names()))
    }
}

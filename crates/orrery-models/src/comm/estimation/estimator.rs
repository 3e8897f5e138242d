//! The estimation of a kind of point-to-point model: its options and its result.

use std::fmt;

use super::{FitError, Observations};
use crate::comm::hockney::HockneyEstimator;
use crate::comm::lmo::LmoEstimator;
use crate::comm::{Correlations, ParameterSet, TypedParameters};
use orrery_measure::sample::ExperimentKind;

/// The kinds of experiments that identify the delays of processors and links.
pub const BASIC_EXPERIMENTS: &[ExperimentKind] =
    &[ExperimentKind::RoundTrip, ExperimentKind::OneToTwo];

/// Estimates parameters from observations; the error says why they do not identify them.
pub type FitParameters = fn(&Observations, &EstimationOptions) -> Result<Estimated, FitError>;

/// The estimation of the parameters of a kind of point-to-point model from observations.
#[derive(Debug)]
pub struct Estimator {
    /// The kinds of experiments that the parameters are estimated from. Estimators get
    /// [`BASIC_EXPERIMENTS`] in any case, for the spread of readings that they pool.
    pub uses: &'static [ExperimentKind],
    /// The observations that the model is meant to reproduce; `None` for all observations of the
    /// kinds that it uses.
    pub domain: fn(&Observations) -> Option<Observations>,
    /// The kinds of experiments that this kind requires; without them, a fit of all models skips
    /// it.
    pub requires: &'static [ExperimentKind],
    /// True if the parameters can be those of a single pair of processors.
    pub allows_single_pair: bool,
    /// The estimation itself.
    pub fit: FitParameters,
}

impl Estimator {
    /// An estimator from the basic experiments, whose `fit` a kind replaces.
    pub(in crate::comm) const BASIC: Self = Self {
        uses: BASIC_EXPERIMENTS,
        domain: |_| None,
        requires: &[],
        allows_single_pair: false,
        fit: |_, _| {
            Ok(Estimated { parameters: ParameterSet::new(), correlations: None, termination: None })
        },
    };
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
    pub(in crate::comm) fn new(
        parameters: &impl TypedParameters,
        correlations: Correlations,
    ) -> Self {
        Self {
            parameters: parameters.to_set(),
            correlations: Some(correlations),
            termination: None,
        }
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

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged { iterations } => write!(f, "converged in {iterations} iterations"),
            Self::NoImprovement { iterations } => {
                write!(f, "did not converge; the best of {iterations} iterations is kept")
            }
        }
    }
}

//! The estimation of a kind of point-to-point model: its options and its result.

use std::fmt;

use super::Observations;
use crate::comm::hockney::HockneyEstimator;
use crate::comm::lmo::LmoEstimator;
use crate::comm::within_host::{PREFIX, WITHIN_HOST};
use crate::comm::{Correlations, ModelKind, ParameterSet, TypedParameters};
use orrery_base::budget::OverBudget;
use orrery_cluster::platform::LinkClass;
use orrery_measure::sample::ExperimentKind;
use orrery_play::engine::EngineError;

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
    /// True if the estimation itself has parameters for links within a host and others for links
    /// across hosts.
    pub separates_classes: bool,
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
        separates_classes: false,
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

/// Estimates a model from links across hosts, and its parameters for links within a host from
/// those, if the samples have links of both classes and the model declares such parameters. Where
/// one class does not identify them, all links count as alike; the reason is returned, too.
///
/// # Errors
///
/// When the observations do not identify the parameters.
pub(crate) fn fit_by_class(
    kind: ModelKind,
    observations: &Observations,
    options: &EstimationOptions,
) -> Result<(Estimated, Option<FitError>), FitError> {
    let hosts = observations.hosts();
    let Estimator { fit, separates_classes, .. } = *kind.estimator();
    let specs = || kind.definition().groups.iter().flat_map(|group| group.parameters);
    let within_name = |name: &str| {
        let is_same = |own: &&'static str| own.strip_prefix(PREFIX) == Some(name);
        specs().map(|spec| spec.name).find(is_same)
    };
    let has_one_fit = separates_classes || !hosts.are_mixed();
    if has_one_fit || specs().all(|spec| spec.object() != Some(WITHIN_HOST)) {
        return Ok((fit(observations, options)?, None));
    }
    let of_class = |class| {
        let chosen = observations.filtered(|experiment| experiment.class(hosts) == Some(class));
        fit(&chosen, options)
    };
    let both = of_class(LinkClass::AcrossHosts)
        .and_then(|across| Ok((across, of_class(LinkClass::WithinHost)?)));
    let (across, within) = match both {
        Ok(both) => both,
        Err(error) => return Ok((fit(observations, options)?, Some(error))),
    };
    let parameters =
        within.parameters.iter().fold(across.parameters, |set, one| match within_name(one.name) {
            Some(name) => set.with_index(name, one.index.clone(), &one.estimates[..]),
            None => set,
        });
    // Correlations are kept for links across hosts; errors of the others count as independent.
    let correlations = across.correlations.filter(|all| *all != Correlations::default());
    Ok((Estimated { parameters, correlations, termination: across.termination }, None))
}

/// The reason why the parameters of a model cannot be estimated from the given samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// There are too few processors for the model.
    #[error("{model} needs at least {needed} processors, but the samples have {given}: {why}")]
    Processors {
        /// The name of the model.
        model: &'static str,
        /// The number of processors that it needs.
        needed: usize,
        /// The number of processors in the samples.
        given: usize,
        /// The reason why it needs them.
        why: &'static str,
    },
    /// Experiments that the estimator needs are not among the samples.
    #[error("{model} lacks {count} {}: {}", if *.count == 1 { "experiment" } else { "experiments" },
        listed(.missing))]
    Missing {
        /// The name of the model, with its estimator.
        model: &'static str,
        /// The number of missing experiments.
        count: usize,
        /// The names of the first missing experiments.
        missing: Vec<String>,
        /// The campaign that measures them: `comm` or `overheads`.
        campaign: &'static str,
    },
    /// The experiments do not determine some parameters, though no usual experiment is missing.
    #[error("{model}: the samples do not identify {}; measure more experiments, or fit another \
        model", listed(.parameters))]
    Unidentified {
        /// The name of the model.
        model: &'static str,
        /// The names of the parameters.
        parameters: Vec<String>,
    },
    /// Exchanges cannot be simulated.
    #[error("the exchanges of pairs cannot be simulated with the model ports: {0}")]
    Exchanges(String),
    /// The work is beyond the budget of the samples.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A sample has a schedule that cannot run.
    #[error(transparent)]
    Schedule(#[from] EngineError),
}

/// The maximum number of names in a message.
const MAX_NAMED: usize = 6;

impl FitError {
    /// The error for `count` missing experiments. It stores the first of `names`; the others are
    /// not computed.
    pub(in crate::comm) fn missing(
        model: &'static str,
        count: usize,
        names: impl Iterator<Item = String>,
        campaign: &'static str,
    ) -> Self {
        Self::Missing { model, count, missing: names.take(MAX_NAMED + 1).collect(), campaign }
    }
}

/// Returns the first words, joined by commas.
fn listed(words: &[String]) -> String {
    let shown = words.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if words.len() > MAX_NAMED { format!("{shown}, …") } else { shown }
}

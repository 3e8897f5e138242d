//! Fits of models to samples, with what the readings show besides the parameters of kinds of
//! models.

mod collective_errors;
mod combination;
mod diagnostics;
mod discrepancies;
mod exchange_backlog;
mod exchange_times;
mod half_duplex;
mod kernels;
mod protocol_limits;
mod queue;
mod shared_links;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use diagnostics::{
    AtBound, FitDiagnostics, MISFIT, Misfit, OperationResiduals, Residual, SizeResiduals, diagnose,
};
pub use half_duplex::HalfDuplex;
pub use kernels::{FittedKernels, fit_kernels};
pub use shared_links::{GroupVerdict, SharedLink, SharedLinks};

use serde::{Deserialize, Serialize};

use super::measurements::READINGS;
use super::{Measurements, Model, ModelKind};
use crate::comm::hockney::HockneyEstimator;
use crate::comm::lmo::LmoEstimator;
use crate::comm::ports::{Uplinks, correlated_fit_with_uplinks};
use crate::comm::thresholds::{self, ThresholdOptions};
use crate::comm::{
    BASIC_EXPERIMENTS, EstimationOptions, FitError, Hlmo, Lmo, Observation, Observations, Ports,
    Termination, fit_by_class,
};
use crate::model::Sweep;
use collective_errors::add_errors;
use discrepancies::discrepancies;
use exchange_backlog::exchange_backlog;
use orrery_base::units::{Bytes, SizeList};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{
    ConditionChange, Experiment, ExperimentKind, LaunchDifference, Samples, condition_changes,
};
use orrery_play::simulate::SimulationError;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// Options of a fit: models, estimators and the data that they use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitOptions {
    /// The kinds of models; `None` for all kinds that the samples identify.
    pub kinds: Option<Vec<ModelKind>>,
    /// The estimator of LMO and LOM.
    pub estimator: LmoEstimator,
    /// The estimator of Hockney.
    pub hockney: HockneyEstimator,
    /// The level of the intervals, between 0 and 1.
    pub level: f64,
    /// True if parameters are also estimated from collective operations and exchanges among the
    /// samples (paths estimator). Otherwise these remain an independent test of the model.
    pub collectives: bool,
    /// The options of the estimation of thresholds of linear scatter and gather; `None` to skip it.
    /// The level of all intervals applies to them too.
    pub thresholds: Option<ThresholdOptions>,
    /// The only pair of processors for models of the LogP family; `None` for the means over the
    /// pairs.
    pub pair: Option<(Processor, Processor)>,
    /// The smallest and the largest message size that is used; `None` for all. Thresholds are
    /// estimated from all sizes.
    pub sizes: Option<(Bytes, Bytes)>,
    /// Groups of processors that may share a link, beside those that exchanges suggest.
    pub groups: Vec<Vec<Processor>>,
    /// True to correct predictions by the errors in the measured collective operations.
    pub corrections: bool,
    /// The sizes whose collective operations, also those of an MPI library, no part of the fit
    /// sees, so that they test its predictions.
    pub held_out: SizeList,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            kinds: None,
            estimator: LmoEstimator::default(),
            hockney: HockneyEstimator::default(),
            level: 0.95,
            collectives: false,
            thresholds: Some(ThresholdOptions::default()),
            pair: None,
            sizes: None,
            groups: Vec::new(),
            corrections: true,
            held_out: SizeList::default(),
        }
    }
}

impl FitOptions {
    /// Returns true if the parameters of this kind of model are estimated from this experiment.
    fn uses(&self, kind: ModelKind, experiment: &Experiment) -> bool {
        let estimator = kind.estimator();
        let takes_tests = !estimator.uses.iter().all(|used| *used == ExperimentKind::RoundTrip);
        let is_used = estimator.uses.contains(&experiment.kind())
            || self.collectives && takes_tests && is_test(experiment);
        is_used && self.is_of_pair(kind, experiment) && self.is_in_range(experiment)
    }

    /// Returns the names of measured experiments that change nothing: no estimator of a fitted
    /// model receives them, and they are no test of models.
    pub fn unused(&self, samples: &Samples, fitted: &Model) -> BTreeSet<String> {
        // Campaigns measure them by default, whatever is fitted later.
        let usual = [
            ExperimentKind::Exchanges,
            ExperimentKind::TwoToOne,
            ExperimentKind::SendReceive,
            ExperimentKind::Anchor,
            ExperimentKind::Combination,
        ];
        let is_usual = |experiment: &Experiment| usual.contains(&experiment.kind());
        let has_ports = fitted.point_to_point.contains_key(&ModelKind::Ports);
        let is_used = |experiment: &Experiment| {
            is_test(experiment)
                || is_usual(experiment)
                || self.corrections
                    && experiment.kind() == ExperimentKind::Native
                    && !fitted.kinds().is_empty()
                || has_ports && protocol_limits::uses(experiment)
                || fitted.point_to_point.keys().any(|kind| self.passes(*kind, experiment))
        };
        let names = |used: bool| {
            let all = samples.series().iter().map(|series| series.experiment);
            all.filter(move |experiment| is_used(experiment) == used)
                .map(|experiment| experiment.name())
        };
        let used: BTreeSet<String> = names(true).collect();
        names(false).filter(|name| !used.contains(name)).collect()
    }

    /// Returns true if the estimator of this kind of model receives this experiment.
    fn passes(&self, kind: ModelKind, experiment: &Experiment) -> bool {
        let of_experiment = experiment.kind();
        let is_passed = BASIC_EXPERIMENTS.contains(&of_experiment)
            || kind.estimator().uses.contains(&of_experiment)
            || self.collectives && is_test(experiment);
        is_passed && self.is_in_range(experiment)
    }

    /// Returns true unless the experiment is of another pair than the one selected for this kind of
    /// model.
    fn is_of_pair(&self, kind: ModelKind, experiment: &Experiment) -> bool {
        match (self.pair, experiment.pair()) {
            (Some((a, b)), Some((i, j))) if kind.estimator().allows_single_pair => {
                (i, j) == (a, b) || (j, i) == (a, b)
            }
            _ => true,
        }
    }

    /// Returns true if the size of an experiment is in the selected range.
    fn is_in_range(&self, experiment: &Experiment) -> bool {
        self.sizes.is_none_or(|(low, high)| (low..=high).contains(&experiment.size()))
    }

    /// Returns true if no part of the fit sees this experiment.
    pub fn holds_out(&self, experiment: &Experiment) -> bool {
        experiment.is_collective() && self.held_out.as_slice().contains(&experiment.size())
    }

    /// Returns the samples without the experiments that are held out.
    fn seen<'a>(&self, samples: &'a Samples) -> Cow<'a, Samples> {
        let mut seen = Cow::Borrowed(samples);
        if samples.series().iter().any(|series| self.holds_out(&series.experiment)) {
            seen.to_mut().retain(|experiment, _| !self.holds_out(experiment));
        }
        seen
    }

    /// Returns the options of the estimators.
    fn estimation(&self) -> EstimationOptions {
        EstimationOptions { lmo: self.estimator, hockney: self.hockney, level: self.level }
    }
}

/// Returns true for experiments that no model is fitted to by default, so that they test the
/// models.
pub fn is_test(experiment: &Experiment) -> bool {
    let used = |kind: &ModelKind| kind.estimator().uses.contains(&experiment.kind());
    let is_other = matches!(
        experiment.kind(),
        ExperimentKind::Anchor | ExperimentKind::Combination | ExperimentKind::SendReceive
    );
    !is_other && experiment.has_program() && !ModelKind::ALL.iter().any(used)
}

/// A part of a fit that the samples do not give because of an error; the rest of the model is as if
/// the experiments of this part were not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedPart {
    /// The part, such as `discrepancies of ports` or `eager limit`.
    pub part: String,
    /// The error.
    pub reason: String,
}

/// The part and the error: `eager limit: not estimated: …`.
impl fmt::Display for FailedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not estimated: {}", self.part, self.reason)
    }
}

/// Returns the value of a result. For an error, it returns the default value and adds a record of
/// the failed `part`, each once.
fn or_failed<T: Default>(
    result: Result<T, impl fmt::Display>,
    part: impl Into<String>,
    failed: &mut Vec<FailedPart>,
) -> T {
    result.unwrap_or_else(|error| {
        let part = FailedPart { part: part.into(), reason: error.to_string() };
        // Parts that are estimated repeatedly fail once.
        if !failed.contains(&part) {
            failed.push(part);
        }
        T::default()
    })
}

/// A fitted model with a report about the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOutcome {
    /// The model.
    pub model: Model,
    /// How the iterations of estimators over critical paths ended.
    pub terminations: Vec<(ModelKind, Termination)>,
    /// Kinds that were not requested by name and are not identified by the samples, with the
    /// reason.
    pub skipped: Vec<(ModelKind, FitError)>,
    /// Kinds whose parameters are the same for links within and across hosts, because those of one
    /// class are not identified, with the reason.
    pub mixed_links: Vec<(ModelKind, FitError)>,
    /// Parts besides the parameters of kinds that are left out because of an error.
    pub failed: Vec<FailedPart>,
    /// The number of observations used.
    pub observations: usize,
    /// The links that groups of processors share, if the samples contain concurrent exchanges and
    /// the model `ports` was fitted.
    pub shared_links: Option<SharedLinks>,
    /// The processors whose messages in both directions share one capacity, if the samples contain
    /// exchanges and the model `ports` was fitted.
    pub half_duplex: Option<Vec<HalfDuplex>>,
    /// The changes of the machine during the campaign, which anchors among the samples show.
    pub changes: Vec<ConditionChange>,
    /// The number of readings of exchanges that are set aside because of these changes, so that
    /// they show neither half-duplex processors nor shared links.
    pub set_aside: usize,
    /// True if readings of any experiment differ. Otherwise intervals come from the residuals of
    /// the fit, and are absent if all residuals are zero.
    pub spread: bool,
}

/// Fits models to samples.
///
/// # Errors
///
/// When a requested kind cannot be estimated, or no kind at all.
pub fn fit(samples: &Samples, options: &FitOptions) -> Result<FitOutcome, FitError> {
    let samples = options.seen(samples);
    let changes = condition_changes(&samples);
    let (samples, set_aside) = without_changes(samples, &changes);
    let samples = &*samples;
    let candidates: Vec<ModelKind> =
        options.kinds.clone().unwrap_or_else(|| ModelKind::stored().collect());
    let is_passed = |experiment: &Experiment| {
        candidates.iter().any(|kind| options.passes(kind.stored_as(), experiment))
    };
    let all = Observations::from_samples(samples, is_passed);
    let mut outcome = FitOutcome {
        model: without_parameters(samples, &all, options),
        terminations: Vec::new(),
        skipped: Vec::new(),
        mixed_links: Vec::new(),
        failed: Vec::new(),
        observations: all.len(),
        shared_links: None,
        half_duplex: None,
        changes,
        set_aside,
        spread: all.have_spread(),
    };
    let measured: BTreeSet<ExperimentKind> = all.iter().map(|one| one.experiment.kind()).collect();
    let mut by_experiments: BTreeMap<Vec<ExperimentKind>, Observations> = BTreeMap::new();
    for kind in options.kinds.clone().unwrap_or_else(|| attempted(&all)) {
        let estimator = kind.stored_as().estimator();
        let passes = |experiment: &Experiment| options.passes(kind.stored_as(), experiment);
        let is_of_pair = |experiment: &Experiment| options.is_of_pair(kind.stored_as(), experiment);
        let used = estimator.uses.iter().copied().filter(|used| measured.contains(used)).collect();
        let observations = by_experiments
            .entry(used)
            .or_insert_with(|| Observations::from_samples(samples, passes));
        let of_pair = options.pair.filter(|_| estimator.allows_single_pair);
        let of_pair = of_pair.map(|_| observations.filtered(is_of_pair));
        let estimated = match &of_pair {
            Some(of_pair) => {
                (estimator.fit)(of_pair, &options.estimation()).map(|estimated| (estimated, None))
            }
            None => fit_by_class(kind.stored_as(), observations, &options.estimation()),
        };
        match estimated {
            Ok((estimated, mixed)) => {
                outcome.mixed_links.extend(mixed.map(|reason| (kind, reason)));
                outcome
                    .terminations
                    .extend(estimated.termination.map(|termination| (kind, termination)));
                outcome.model.point_to_point.insert(kind.stored_as(), estimated.parameters);
                let correlations =
                    estimated.correlations.filter(|correlations| !correlations.is_empty());
                outcome.model.correlations.extend(correlations.map(|all| (kind.stored_as(), all)));
            }
            Err(error) if options.kinds.is_none() => outcome.skipped.push((kind, error)),
            Err(error) => return Err(error),
        }
    }
    outcome.extend_ports(samples, options)?;
    outcome.model.measurements.exchange_backlog = exchange_backlog(&outcome.model, samples);
    outcome.model.combination =
        combination::estimate(samples, outcome.model.processors(), options.level);
    if let Some(of_thresholds) = options.thresholds {
        outcome
            .add_thresholds(samples, ThresholdOptions { level: options.level, ..of_thresholds })?;
    }
    let failed = &mut outcome.failed;
    outcome.model.discrepancies = discrepancies(&outcome.model, samples, options, failed);
    add_errors(&mut outcome.model, samples, options, failed);
    if outcome.model.kinds().is_empty()
        && outcome.model.thresholds.is_empty()
        && let Some((_, error)) = outcome.skipped.pop()
    {
        return Err(error);
    }
    Ok(outcome)
}

/// Returns samples without anchors, to which nothing is fitted, and without the exchanges that
/// changes of the machine affect, and the number of readings of these exchanges. Sets of several
/// pairs are all left out of a launch with a change: their times alone and together may be of
/// different conditions.
fn without_changes<'a>(
    mut samples: Cow<'a, Samples>,
    changes: &[ConditionChange],
) -> (Cow<'a, Samples>, usize) {
    let mut set_aside = 0;
    // Without anchors, there are no changes.
    if !samples.series().iter().any(|one| one.experiment.kind() == ExperimentKind::Anchor) {
        return (samples, set_aside);
    }
    samples.to_mut().retain(|experiment, reading| {
        let Experiment::Exchanges { pairs, .. } = experiment else {
            return experiment.kind() != ExperimentKind::Anchor;
        };
        let mut of_launch = changes.iter().filter(|change| change.launch == reading.launch);
        let is_changed = of_launch.any(|change| *pairs > 1 || change.affects(experiment));
        set_aside += usize::from(is_changed);
        !is_changed
    });
    (samples, set_aside)
}

/// Returns the kinds that are attempted by default: those whose required experiments were measured.
fn attempted(observations: &Observations) -> Vec<ModelKind> {
    let measured = |required: &ExperimentKind| {
        observations.iter().any(|one| one.experiment.kind() == *required)
    };
    ModelKind::stored().filter(|kind| kind.estimator().requires.iter().all(measured)).collect()
}

/// The number of times that half-duplex processors and shared links are estimated in turn where
/// there are both.
const HALF_DUPLEX_ROUNDS: usize = 2;

impl FitOutcome {
    /// Adds what further experiments show to the model `ports`: the limits of protocols,
    /// capacities that both directions share, links that groups share, and the queue, which is the
    /// data in an out-port that a handshake waits for.
    ///
    /// Each of them changes the times from which the next ones are estimated: first the protocol of
    /// single messages, then capacities, then the queue at a port.
    fn extend_ports(&mut self, samples: &Samples, options: &FitOptions) -> Result<(), FitError> {
        if let Some(mut ports) = self.model.get::<Ports>(ModelKind::Ports) {
            let passes = |experiment: &Experiment| options.passes(ModelKind::Ports, experiment);
            let mut observations = Observations::from_samples(samples, passes);
            let mut correlations = None;
            // Messages beyond the eager limit wait for their receive, and those that are not
            // buffered hold their sender. The first fit took them for eager ones.
            let limits = protocol_limits::add(samples, &mut ports, options.level);
            or_failed(limits, "eager limit", &mut self.failed);
            let (eager_limit, buffered_limit) = (ports.eager_limit, ports.buffered_limit);
            if let Some(largest) = ports.largest_eager() {
                observations = observations.with_limits(ports.limits());
                // Only concurrent messages beyond the limit have other times now.
                let waits = |one: &Observation| {
                    let is_concurrent = one.experiment.kind().has_concurrent_messages();
                    is_concurrent && one.experiment.size() > largest
                };
                if observations.iter().any(waits) {
                    let no_links = Uplinks::default();
                    let again =
                        correlated_fit_with_uplinks(&observations, options.level, &no_links, None);
                    let again =
                        or_failed(again.map(Some), "ports with handshakes", &mut self.failed);
                    if let Some(again) = again {
                        (ports, correlations) = (again.ports, Some(again.correlations));
                    }
                }
                (ports.eager_limit, ports.buffered_limit) = (eager_limit, buffered_limit);
            }
            let failed = |error: SimulationError| FitError::Exchanges(error.to_string());
            shared_links::check_operations(samples)?;
            // Links that groups share delay exchanges of single pairs, too, and take part in the
            // estimation of ports.
            let without_links = ports.clone();
            let of_fit = || self.model.correlations.get(&ModelKind::Ports).cloned();
            let correlations_without_links = correlations.clone();
            let known = correlations.clone().or_else(of_fit).unwrap_or_default();
            // Half-duplex processors and links both slow exchanges: each is estimated with the
            // other one, the processors of the first round without links.
            for _ in 0..HALF_DUPLEX_ROUNDS {
                self.half_duplex =
                    half_duplex::add(samples, &mut ports, &known, options.level).map_err(failed)?;
                // The links of the last round are found anew with these processors.
                let both_ports_byte_delay = ports.both_ports_byte_delay;
                ports = Ports { both_ports_byte_delay, ..without_links.clone() };
                let found = shared_links::add(
                    samples,
                    &observations,
                    (&mut ports, &known),
                    &options.groups,
                    options.level,
                );
                self.shared_links = None;
                correlations.clone_from(&correlations_without_links);
                if let Some((links, refitted, failure)) = found {
                    self.shared_links = Some(links);
                    correlations = refitted.or(correlations);
                    let failure = failure.map_or(Ok(()), Err);
                    or_failed(failure, "ports with shared links", &mut self.failed);
                }
                // One kind alone does not depend on another one: a further round would return it
                // again.
                if ports.both_ports_byte_delay.is_empty() || ports.uplinks.is_empty() {
                    break;
                }
            }
            let correlations = correlations.filter(|correlations| !correlations.is_empty());
            self.model.correlations.extend(correlations.map(|all| (ModelKind::Ports, all)));
            // The fits above may have replaced the ports by others without the limits.
            (ports.eager_limit, ports.buffered_limit) = (eager_limit, buffered_limit);
            // The queue depends on all parameters before.
            let queue = queue::estimate(samples, &ports, options.level);
            ports.queue = or_failed(queue, "data ahead of handshakes", &mut self.failed);
            self.model = std::mem::take(&mut self.model).with(ModelKind::Ports, &ports);
        }
        Ok(())
    }

    /// Estimates thresholds with the fitted models and adds them to the model.
    fn add_thresholds(
        &mut self,
        samples: &Samples,
        options: ThresholdOptions,
    ) -> Result<(), FitError> {
        let model = &mut self.model;
        let lmo: Option<Lmo> = model.get(ModelKind::Lmo).or_else(|| model.get(ModelKind::Lom));
        let hlmo: Option<Hlmo> = model.get(ModelKind::Hlmo);
        model.thresholds = thresholds::estimate(samples, lmo.as_ref(), hlmo.as_ref(), &options)?;
        let slopes =
            |of: &thresholds::Thresholds| of.named().any(|(name, _)| name.ends_with("_slope"));
        if model.thresholds.iter().any(slopes) {
            model.provenance.set("threshold_slopes", options.slopes.name());
        }
        Ok(())
    }
}

/// Returns the model with provenance, hosts and measured range, and without parameters.
fn without_parameters(
    samples: &Samples,
    observations: &Observations,
    options: &FitOptions,
) -> Model {
    let mut provenance = samples.provenance.clone();
    provenance.set("estimator", options.estimator.name());
    provenance.set("hockney", options.hockney.name());
    provenance.set("collectives_in_fit", if options.collectives { "yes" } else { "no" });
    if let Some((a, b)) = options.pair {
        provenance.set("pair", format!("{a}-{b}"));
    }
    if let Some((low, high)) = options.sizes {
        provenance.set("fitted_sizes", format!("{}..{}", low.get(), high.get()));
    }
    if options.held_out != SizeList::default() {
        provenance.set("held_out_sizes", options.held_out.to_string());
    }
    provenance.set(READINGS, samples.count().to_string());
    let sizes = || observations.iter().map(|observation| observation.experiment.size());
    let measured: Option<(Bytes, Bytes)> = sizes().min().zip(sizes().max());
    let mut hosts: Vec<String> =
        samples.provenance.hosts().iter().map(ToString::to_string).collect();
    hosts.resize(observations.processors(), String::new());
    let measurements = Measurements::of(samples);
    Model { provenance, measured, measurements, hosts, ..Model::default() }
}

impl Measurements {
    /// Returns what these samples contain.
    pub fn of(samples: &Samples) -> Self {
        let experiments = || samples.series().iter().map(|series| series.experiment);
        let mut largest: BTreeMap<(CollectiveKind, Processor, usize), Bytes> = BTreeMap::new();
        for experiment in experiments() {
            if let Experiment::Collective { kind, algorithm: Algorithm::Linear, root, procs, size } =
                experiment
                && CollectiveKind::SCATTER_GATHER.contains(&kind)
            {
                let known = largest.entry((kind, root, procs)).or_insert(size);
                *known = size.max(*known);
            }
        }
        let sweep = |((operation, root, procs), largest): ((_, _, _), Bytes)| Sweep {
            operation,
            root,
            procs,
            largest,
        };
        Self {
            processors: experiments()
                .filter(Experiment::has_program)
                .map(|experiment| experiment.procs())
                .max(),
            measured: None,
            exchanging: experiments().filter_map(|experiment| experiment.exchanging()).max(),
            sweeps: largest.into_iter().map(sweep).collect(),
            exchange_backlog: None,
            launches: LaunchDifference::of(samples),
            seen: experiments().collect(),
        }
    }
}

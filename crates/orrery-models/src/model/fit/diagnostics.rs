//! Diagnostics of a fit: residuals, parameters at their bounds, and the causes that the residuals
//! suggest.

use std::collections::BTreeMap;
use std::fmt;

use crate::comm::{Observation, Observations, ParameterUnit, Shape};
use crate::model::{FitOptions, Model, ModelKind, PredictError};
use orrery_base::numeric::{Estimate, mean, median};
use orrery_base::units::{Bytes, Seconds};
use orrery_measure::sample::{Experiment, ExperimentKind, Samples, Series, SharedCores};
use orrery_play::engine::Engine;

/// The mean |relative residual| of one experiment and size above which a model counts as not
/// fitting it.
pub const MISFIT: f64 = 0.1;

/// The number of robust deviations beyond which a residual is an outlier among those of its
/// experiment and size.
const OUTLIER_DEVIATIONS: f64 = 10.0;

/// The smallest number of observations of the same experiment on different processors in which
/// outliers are sought.
const MIN_GROUP: usize = 4;

/// The largest fraction of outliers in a group; more are not exceptions.
const MAX_OUTLIER_PART: f64 = 0.25;

/// The largest fraction of a group, besides one experiment, that events during the measurement
/// disturb: more experiments whose readings agree are not described by the model.
const MAX_EVENT_PART: f64 = 0.02;

/// The accuracy with which a fitted model reproduces the observations that it was fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct FitDiagnostics {
    /// The model.
    pub kind: ModelKind,
    /// The number of observations.
    pub observations: usize,
    /// The mean of |error| over the observations.
    pub mean_error: f64,
    /// The observation with the largest |error|.
    pub largest: Residual,
    /// The residuals by operation.
    pub residuals: Vec<OperationResiduals>,
    /// Parameters that the fit sets to their lowest possible value, 0.
    pub at_bounds: Vec<AtBound>,
    /// The causes that the residuals suggest; empty where the model fits.
    pub misfits: Vec<Misfit>,
}

/// The residual of one observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The experiment.
    pub experiment: Experiment,
    /// The observed time \[s\].
    pub observed: f64,
    /// (predicted − observed) / observed.
    pub error: f64,
}

/// The residuals of one operation.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationResiduals {
    /// The operation: `roundtrip`, `one-to-two`, ….
    pub operation: String,
    /// The mean of |error| over its observations.
    pub mean_error: f64,
    /// The observation with the largest |error|.
    pub largest: Residual,
    /// The residuals by size, ascending.
    pub sizes: Vec<SizeResiduals>,
}

/// The residuals of one operation at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeResiduals {
    /// The size of the message.
    pub size: Bytes,
    /// The number of observations.
    pub observations: usize,
    /// The mean of the observed times \[s\].
    pub observed: f64,
    /// The mean error, with its sign: above 0 where predictions are too long.
    pub bias: f64,
    /// The mean of |error|.
    pub mean_error: f64,
}

/// A parameter that a fit sets to 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtBound {
    /// The name of the parameter.
    pub parameter: &'static str,
    /// The number of its values that are 0.
    pub count: usize,
    /// The number of its values.
    pub total: usize,
}

/// `link_byte_delay is 0 for 3 of 6 …`.
impl fmt::Display for AtBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AtBound { parameter, count, total } = self;
        let of = if *total > 1 { format!(" in {count} of {total} values") } else { String::new() };
        write!(
            f,
            "{parameter} is 0{of}, the lowest possible value: the samples attribute its share of \
                the time to other \
             parameters"
        )
    }
}

/// A cause of misfit that the residuals suggest.
#[derive(Debug, Clone, PartialEq)]
pub enum Misfit {
    /// Times of round trips shift between two sizes, or the sign of their residuals changes: the
    /// protocol may change there.
    ProtocolChange {
        /// The largest size before the change.
        last: Bytes,
        /// The smallest size after the change.
        first: Bytes,
    },
    /// Round trips of a larger size take less time, where a model has a flat line.
    FallingTimes {
        /// The smaller size and its mean time \[s\].
        from: (Bytes, f64),
        /// The larger size and its mean time \[s\].
        to: (Bytes, f64),
    },
    /// Only operations with concurrent messages take longer than predicted: they may share a link.
    SharedLink {
        /// The operation with the largest error.
        operation: String,
        /// Its mean error, below 0.
        bias: f64,
    },
    /// Ranks run on the same cores.
    SharedCores(Vec<SharedCores>),
    /// Single experiments are far from all others of their kind, by noise as far as their readings
    /// show.
    Outliers(Vec<Experiment>),
    /// Experiments are far from the others of their kind in readings that agree: the model lacks
    /// something.
    Repeatable(Vec<Experiment>),
    /// Pairs differ more than a model with the same parameters for all can express.
    UnequalPairs,
    /// The residuals have no pattern with a known cause.
    Unexplained,
}

/// The cause and a remedy: `messages beyond 8K …; fit one range with --sizes`.
impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProtocolChange { last, first } => write!(
                f,
                "times between {last} and {first} leave the line of smaller messages: the protocol \
                    may change there; fit \
                 each range of sizes by itself"
            ),
            Self::FallingTimes { from, to } => write!(
                f,
                "times of round trips fall from {} at {} to {} at {}: models never fall with the \
                    size, so their lines are flat \
                 there; measure again, or fit each range of sizes by itself",
                Seconds::new(from.1),
                from.0,
                Seconds::new(to.1),
                to.0
            ),
            Self::SharedLink { operation, bias } => write!(
                f,
                "{operation} takes {:.0} % longer than predicted while single messages fit: \
                    concurrent messages may share \
                 a link; calibrate a sharing law",
                -100.0 * bias / (1.0 + bias)
            ),
            Self::SharedCores(groups) => {
                let words: Vec<String> = groups.iter().map(ToString::to_string).collect();
                write!(f, "{}; measure with at most one rank per core", words.join("; "))
            }
            Self::Outliers(experiments) => write!(
                f,
                "{}: far from all others of the same kind and size; measure again",
                first_of(experiments)
            ),
            Self::Repeatable(experiments) => write!(
                f,
                "{}: far from the others of the same kind and size in readings that agree: the \
                    model lacks what delays these; another measurement returns the same",
                first_of(experiments)
            ),
            Self::UnequalPairs => f.write_str(
                "pairs of processors differ more than parameters that are equal for all can \
                    express; use a model with \
                 parameters of each pair or processor",
            ),
            Self::Unexplained => f.write_str(
                "no known pattern; compare the residuals by size, and fit a range of sizes or \
                    another model",
            ),
        }
    }
}

/// The first experiments, and the number of the others.
fn first_of(experiments: &[Experiment]) -> String {
    let words: Vec<String> = experiments.iter().take(3).map(ToString::to_string).collect();
    let more = experiments.len().saturating_sub(words.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", words.join(", "))
}

impl Misfit {
    /// The keyword of the cause in tables.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ProtocolChange { .. } => "protocol-change",
            Self::FallingTimes { .. } => "falling-times",
            Self::SharedLink { .. } => "shared-link",
            Self::SharedCores(_) => "shared-cores",
            Self::Outliers(_) => "outliers",
            Self::Repeatable(_) => "repeatable",
            Self::UnequalPairs => "unequal-pairs",
            Self::Unexplained => "unexplained",
        }
    }
}

/// Compares each point-to-point model with the observations that a fit with these options uses.
///
/// # Errors
///
/// When the samples name processors that the model does not have.
pub fn diagnose(
    model: &Model,
    samples: &Samples,
    options: &FitOptions,
) -> Result<Vec<FitDiagnostics>, PredictError> {
    let samples = &*options.seen(samples);
    let shared_cores = samples.provenance.shared_cores();
    let mut all = Vec::new();
    for &kind in model.point_to_point.keys() {
        let observations =
            Observations::from_samples(samples, |experiment| options.uses(kind, experiment));
        let domain = (kind.estimator().domain)(&observations);
        let residuals = residuals(model, kind, domain.as_ref().unwrap_or(&observations))?;
        let Some(largest) = largest(&residuals) else { continue };
        let by_operation = by_operation(&residuals);
        all.push(FitDiagnostics {
            kind,
            observations: residuals.len(),
            mean_error: mean_error(&residuals),
            largest,
            misfits: misfits(kind, (&residuals, samples), &by_operation, &shared_cores),
            residuals: by_operation,
            at_bounds: at_bounds(model, kind),
        });
    }
    Ok(all)
}

/// Returns the residuals of all observations with times above 0.
fn residuals(
    model: &Model,
    kind: ModelKind,
    observations: &Observations,
) -> Result<Vec<Residual>, PredictError> {
    let mut network = model.network(kind)?;
    let mut engine = Engine::new();
    let mut residuals = Vec::new();
    for Observation { experiment, seconds, .. } in
        observations.iter().filter(|one| one.seconds > 0.0)
    {
        let Some((program, placement)) = experiment.program() else { continue };
        let predicted =
            engine.run(&program, &placement, &mut *network)?.read(program.reading()).get();
        residuals.push(Residual {
            experiment: *experiment,
            observed: *seconds,
            error: predicted / seconds - 1.0,
        });
    }
    Ok(residuals)
}

/// Returns the residual with the largest |error|; `None` without residuals.
fn largest(residuals: &[Residual]) -> Option<Residual> {
    residuals.iter().copied().max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))
}

/// Returns the mean |error| of residuals.
fn mean_error(residuals: &[Residual]) -> f64 {
    mean(&residuals.iter().map(|residual| residual.error.abs()).collect::<Vec<_>>())
}

/// Groups residuals by operation, and within it by size.
fn by_operation(residuals: &[Residual]) -> Vec<OperationResiduals> {
    let mut operations: BTreeMap<(ExperimentKind, String), BTreeMap<Bytes, Vec<Residual>>> =
        BTreeMap::new();
    for residual in residuals {
        let key = (residual.experiment.kind(), residual.experiment.name());
        operations
            .entry(key)
            .or_default()
            .entry(residual.experiment.size())
            .or_default()
            .push(*residual);
    }
    let operation =
        |((_, operation), sizes): ((ExperimentKind, String), BTreeMap<Bytes, Vec<Residual>>)| {
            let all: Vec<Residual> = sizes.values().flatten().copied().collect();
            let of_size = |(size, residuals): (Bytes, Vec<Residual>)| SizeResiduals {
                size,
                observations: residuals.len(),
                observed: mean(
                    &residuals.iter().map(|residual| residual.observed).collect::<Vec<_>>(),
                ),
                bias: mean(&residuals.iter().map(|residual| residual.error).collect::<Vec<_>>()),
                mean_error: mean_error(&residuals),
            };
            Some(OperationResiduals {
                operation,
                mean_error: mean_error(&all),
                largest: largest(&all)?,
                sizes: sizes.into_iter().map(of_size).collect(),
            })
        };
    operations.into_iter().filter_map(operation).collect()
}

/// Returns the parameters, besides message sizes, of which some values are 0, the bound of the fit;
/// values that no experiment depends on are left out.
fn at_bounds(model: &Model, kind: ModelKind) -> Vec<AtBound> {
    let of = |name: &'static str| {
        let estimates =
            model.parameters(kind).map(|parameters| parameters.estimates(name)).unwrap_or_default();
        // No experiment depends on an estimate without readings.
        let at_bound = |estimate: &&Estimate| estimate.value <= 0.0 && estimate.samples != Some(0);
        let count = estimates.iter().filter(at_bound).count();
        (count > 0).then_some(AtBound { parameter: name, count, total: estimates.len() })
    };
    kind.definition()
        .groups
        .iter()
        .flat_map(|group| group.parameters)
        .filter(|spec| spec.unit != ParameterUnit::Bytes)
        .filter_map(|spec| of(spec.name))
        .collect()
}

/// Returns the causes that the residuals suggest; empty if every experiment and size fits and there
/// are no outliers.
fn misfits(
    kind: ModelKind,
    (residuals, samples): (&[Residual], &Samples),
    operations: &[OperationResiduals],
    shared_cores: &[SharedCores],
) -> Vec<Misfit> {
    let mut found = Vec::new();
    let (outliers, repeatable) = outliers(residuals, samples);
    let is_off = operations
        .iter()
        .flat_map(|operation| &operation.sizes)
        .any(|size| size.mean_error > MISFIT);
    if is_off {
        if !shared_cores.is_empty() {
            found.push(Misfit::SharedCores(shared_cores.to_vec()));
        }
        let is_homogeneous =
            kind.parameters().all(|(shape, _)| matches!(shape, Shape::Cluster | Shape::Sizes));
        if is_homogeneous && pairs_are_unequal(residuals) {
            found.push(Misfit::UnequalPairs);
        }
        if outliers.is_empty() {
            found.extend(falling_times(residuals));
            found.extend(protocol_change(residuals, operations));
        }
        found.extend(shared_link(operations));
    }
    if !outliers.is_empty() {
        found.push(Misfit::Outliers(outliers));
    }
    if !repeatable.is_empty() {
        found.push(Misfit::Repeatable(repeatable));
    }
    if is_off && found.is_empty() {
        found.push(Misfit::Unexplained);
    }
    found
}

/// Returns the mean time of symmetric round trips by size.
fn round_trips(residuals: &[Residual]) -> Vec<(Bytes, f64)> {
    let mut times: BTreeMap<Bytes, Vec<f64>> = BTreeMap::new();
    for residual in residuals {
        if let Experiment::RoundTrip { size, reply, .. } = residual.experiment
            && size == reply
        {
            times.entry(size).or_default().push(residual.observed);
        }
    }
    times.into_iter().map(|(size, seconds)| (size, mean(&seconds))).collect()
}

/// Returns the two sizes between which round trips become shorter most, if by more than [`MISFIT`].
fn falling_times(residuals: &[Residual]) -> Option<Misfit> {
    let points = round_trips(residuals);
    let mut slowest = *points.first()?;
    let mut found: Option<((Bytes, f64), (Bytes, f64))> = None;
    for point in points {
        let ratio = |(from, to): &((Bytes, f64), (Bytes, f64))| to.1 / from.1;
        let fall = (slowest, point);
        if ratio(&fall) < found.as_ref().map_or(1.0 - MISFIT, ratio) {
            found = Some(fall);
        }
        if point.1 > slowest.1 {
            slowest = point;
        }
    }
    found.map(|(from, to)| Misfit::FallingTimes { from, to })
}

/// The smallest ratio of a message's time to the line through the two sizes before it that counts
/// as a level shift.
const MIN_LEVEL_SHIFT: f64 = 1.2;

/// Returns the sizes between which the protocol may change: where the mean time of round trips
/// shifts upwards most, or else where their bias changes sign by more than twice [`MISFIT`]. `None`
/// if there is no such place.
fn protocol_change(residuals: &[Residual], operations: &[OperationResiduals]) -> Option<Misfit> {
    let points = round_trips(residuals);
    let slope = |a: (Bytes, f64), b: (Bytes, f64)| (b.1 - a.1) / (b.0.get() - a.0.get()) as f64;
    let shift = |three: &[(Bytes, f64)]| {
        let expected = three[1].1
            + slope(three[0], three[1]).max(0.0) * (three[2].0.get() - three[1].0.get()) as f64;
        (three[1].0, three[2].0, three[2].1 / expected)
    };
    // A steeper line is not a level shift.
    let is_step = |four: &&[(Bytes, f64)]| slope(four[2], four[3]) < slope(four[1], four[2]);
    let shifts = points.windows(4).filter(is_step).map(|four| shift(&four[..3]));
    let shifts = shifts.filter(|(.., factor)| *factor > MIN_LEVEL_SHIFT);
    if let Some((last, first, _)) = shifts.max_by(|a, b| a.2.total_cmp(&b.2)) {
        return Some(Misfit::ProtocolChange { last, first });
    }
    let is_round_trip =
        |one: &&OperationResiduals| one.largest.experiment.kind() == ExperimentKind::RoundTrip;
    let change = |pair: &[SizeResiduals]| (pair[1].bias - pair[0].bias).abs();
    let switches =
        |pair: &&[SizeResiduals]| pair[0].bias * pair[1].bias < 0.0 && change(pair) > 2.0 * MISFIT;
    let pairs = operations.iter().find(is_round_trip)?.sizes.windows(2).filter(switches);
    let largest = pairs.max_by(|a, b| change(a).total_cmp(&change(b)))?;
    Some(Misfit::ProtocolChange { last: largest[0].size, first: largest[1].size })
}

/// Returns the operation with concurrent messages whose time exceeds its prediction most, if single
/// messages fit.
fn shared_link(operations: &[OperationResiduals]) -> Option<Misfit> {
    let is_single = |operation: &&OperationResiduals| {
        !operation.largest.experiment.kind().has_concurrent_messages()
    };
    let (single, concurrent): (Vec<_>, Vec<_>) = operations.iter().partition(is_single);
    let bias = |operation: &OperationResiduals| {
        mean(&operation.sizes.iter().map(|size| size.bias).collect::<Vec<_>>())
    };
    let worst = concurrent.into_iter().min_by(|a, b| bias(a).total_cmp(&bias(b)))?;
    let single_bias = single.iter().map(|operation| bias(operation)).fold(0.0, f64::min);
    let is_longer = bias(worst) < -MISFIT && bias(worst) < 2.0 * single_bias;
    is_longer.then(|| Misfit::SharedLink { operation: worst.operation.clone(), bias: bias(worst) })
}

/// Groups residuals by experiment, without regard to the processors.
fn alike(residuals: &[Residual]) -> BTreeMap<Experiment, Vec<&Residual>> {
    let mut groups: BTreeMap<Experiment, Vec<&Residual>> = BTreeMap::new();
    residuals
        .iter()
        .for_each(|one| groups.entry(one.experiment.without_processors()).or_default().push(one));
    groups
}

/// Returns true if more than half of the squared residuals differs between processors.
fn pairs_are_unequal(residuals: &[Residual]) -> bool {
    let (mut within, mut all) = (0.0, 0.0);
    for group in alike(residuals).into_values() {
        let errors: Vec<f64> = group.iter().map(|residual| residual.error).collect();
        let centre = mean(&errors);
        within += errors.iter().map(|error| (error - centre).powi(2)).sum::<f64>();
        all += errors.iter().map(|error| error.powi(2)).sum::<f64>();
    }
    within > 0.5 * all
}

/// Returns the experiments whose residuals differ from those of the same experiment on other
/// processors by more than [`MISFIT`] and by more than [`OUTLIER_DEVIATIONS`]: first those that
/// another measurement may change, then those in which it would return the same.
fn outliers(residuals: &[Residual], samples: &Samples) -> (Vec<Experiment>, Vec<Experiment>) {
    let distances = |group: &[&Residual]| -> Vec<(Experiment, f64)> {
        let centre = median(&group.iter().map(|residual| residual.error).collect::<Vec<_>>());
        group
            .iter()
            .map(|residual| (residual.experiment, (residual.error - centre).abs()))
            .collect()
    };
    let groups = alike(residuals).into_values().filter(|group| group.len() >= MIN_GROUP);
    let groups: Vec<Vec<(Experiment, f64)>> = groups.map(|group| distances(&group)).collect();
    // The median distance of normal residuals is 0.6745 standard deviations.
    let typical =
        median(&groups.iter().flatten().map(|(_, distance)| *distance).collect::<Vec<_>>())
            / 0.6745;
    let limit = MISFIT.max(OUTLIER_DEVIATIONS * typical);
    let (mut by_noise, mut repeatable) = (Vec::new(), Vec::new());
    for group in &groups {
        let far: Vec<Experiment> =
            group.iter().filter(|(_, distance)| *distance > limit).map(|one| one.0).collect();
        if far.len() as f64 > MAX_OUTLIER_PART * group.len() as f64 {
            continue;
        }
        // An event disturbs all readings of an experiment, but rarely many experiments.
        let are_events = far.len() as f64 <= MAX_EVENT_PART.mul_add(group.len() as f64, 1.0);
        for experiment in far {
            let readings = samples.get(&experiment).map(Series::seconds).unwrap_or_default();
            match Repeatability::of(&readings, limit) {
                Repeatability::Exact => repeatable.push(experiment),
                Repeatability::Close if !are_events => repeatable.push(experiment),
                _ => by_noise.push(experiment),
            }
        }
    }
    (by_noise, repeatable)
}

/// The agreement of the readings of an experiment that is far from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeatability {
    /// There is one reading, or their spread may explain the distance.
    Unknown,
    /// Readings differ by less than the distance.
    Close,
    /// All readings are equal.
    Exact,
}

impl Repeatability {
    /// The agreement of readings \[s\] at this distance, relative to them.
    fn of(readings: &[f64], distance: f64) -> Self {
        let low = readings.iter().copied().fold(f64::INFINITY, f64::min);
        let high = readings.iter().copied().fold(0.0, f64::max);
        match readings.len() {
            0 | 1 => Self::Unknown,
            _ if high <= low => Self::Exact,
            _ if high - low < distance * low => Self::Close,
            _ => Self::Unknown,
        }
    }
}

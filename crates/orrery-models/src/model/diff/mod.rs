//! The differences between two models of one cluster beyond their intervals.
//!
//! Parameters of a model trade off against each other: a fixed delay of a processor may grow by
//! what a latency of its links loses. Predicted times of messages between pairs of processors
//! decide whether something changed; parameters show the cause.

mod change;
mod findings;
mod measured_errors;
mod processors;
mod shared_links;

use std::collections::BTreeMap;

pub use change::Change;
pub use findings::{Finding, Subject};
pub use measured_errors::MeasuredErrorChange;
pub use processors::CommonProcessors;
pub use shared_links::SharedLinkChange;

use super::{Model, ModelKind, PredictError, Predictor, Query};
use crate::comm::{Contribution, ParameterId, Shape};
use change::{Uncertain, test};
use findings::PairMessages;
use orrery_base::budget::{Budget, OverBudget};
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Pairs, Processor};

/// What is compared, and what counts as a change.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffOptions {
    /// The kind of model that predicts; `None` chooses among the kinds that both models have.
    pub kind: Option<ModelKind>,
    /// The sizes of messages.
    pub sizes: Vec<Bytes>,
    /// One minus the fraction of wrong findings: the false discovery rate of all comparisons is 1 −
    /// `level`.
    pub level: f64,
    /// The relative change of a time up to which it counts as unchanged.
    pub tolerance: f64,
    /// Compares processors by number, whatever their hosts.
    pub by_number: bool,
}

/// The time of a message between two processors, with their numbers in the old model; both
/// directions are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MessageChange {
    /// One processor.
    pub from: Processor,
    /// The other.
    pub to: Processor,
    /// The size.
    pub size: Bytes,
    /// The times in both models.
    pub change: Change,
}

/// A parameter in two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterChange {
    /// The parameter; processors have their numbers in the old model.
    pub parameter: ParameterId,
    /// The values in both models.
    pub change: Change,
    /// The change of the time of a message, in seconds: the largest factor of the parameter times
    /// its difference.
    pub effect: f64,
}

/// The differences between two models.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDiff {
    /// The kind of model that predicted.
    pub kind: ModelKind,
    /// The kind of model whose parameters show the causes.
    pub cause: ModelKind,
    /// The processors of both models.
    pub processors: CommonProcessors,
    /// Changed processors and links, the largest effect first.
    pub findings: Vec<Finding>,
    /// All compared messages, the largest relative change first.
    pub messages: Vec<MessageChange>,
    /// The links that groups of processors share.
    pub shared_links: Vec<SharedLinkChange>,
    /// The errors in collective operations that both models measured.
    pub errors: Vec<MeasuredErrorChange>,
    /// The parameters on the critical paths of these messages, the largest effect first.
    pub parameters: Vec<ParameterChange>,
    /// The median relative half-width of the intervals of single changes; `None` without intervals.
    pub resolution: Option<f64>,
}

impl ModelDiff {
    /// Returns true if a message, a shared link or an error in a collective operation changed, or processors were lost or
    /// added.
    pub fn is_changed(&self) -> bool {
        let is_same = self.findings.is_empty()
            && self.processors.lost.is_empty()
            && self.processors.added.is_empty();
        let is_corrected_otherwise = self.errors.iter().any(|error| error.change.is_change);
        !is_same
            || self.shared_links.iter().any(SharedLinkChange::is_change)
            || is_corrected_otherwise
    }

    /// The number of messages that changed.
    pub fn changed_messages(&self) -> usize {
        self.messages.iter().filter(|message| message.change.is_change).count()
    }
}

/// The reason why two models cannot be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DiffError {
    /// The models have no kind in common.
    #[error(
        "the models have no kind in common: the old one has {}, the new one {}; fit both with a \
            common kind",
        ModelKind::listed(.old),
        ModelKind::listed(.new)
    )]
    NoCommonKind {
        /// The kinds of the old model.
        old: Vec<ModelKind>,
        /// The kinds of the new model.
        new: Vec<ModelKind>,
    },
    /// One of the models describes no communication.
    #[error(
        "the {0} file has no model of messages, which are compared; name a file with a model that is \
        fitted to samples of messages"
    )]
    NoProcessors(&'static str),
    /// Fewer than two processors correspond to each other.
    #[error("the number of processors that both models have is {common}, but must be 2 or \
        more{}", other_hosts(*.lost))]
    NoCommonProcessors {
        /// The number of common processors.
        common: usize,
        /// The number of processors that only the old model has; 0 if processors are compared by
        /// number.
        lost: usize,
    },
    /// There are too many messages.
    #[error("the models have too many pairs of processors")]
    OverBudget(#[from] OverBudget),
    /// One of the models does not predict a message.
    #[error(transparent)]
    Predict(#[from] PredictError),
}

/// The hint that processors are on other hosts.
fn other_hosts(lost: usize) -> &'static str {
    if lost > 0 { ": the others are on other hosts; compare processors by number" } else { "" }
}

/// Compares two models of one cluster.
///
/// Each predicted time has a normal error that follows from the intervals of its parameters, which
/// count as independent, as in predictions. A message changed if its time differs by more than the
/// tolerance and, where intervals are known, the difference is significant: p-values of all
/// messages and sizes are adjusted by
/// [`false_discovery_rates`](orrery_base::numeric::false_discovery_rates).
///
/// # Errors
///
/// When the models have no kind or fewer than two processors in common, or there are too many
/// pairs.
pub fn diff(old: &Model, new: &Model, options: &DiffOptions) -> Result<ModelDiff, DiffError> {
    let age = [(old, "old"), (new, "new")].into_iter().find(|(model, _)| model.processors() == 0);
    if let Some((_, age)) = age {
        return Err(DiffError::NoProcessors(age));
    }
    let processors = CommonProcessors::of(old, new, options.by_number);
    let common = processors.common.len();
    if common < 2 {
        let lost = if options.by_number { 0 } else { processors.lost.len() };
        return Err(DiffError::NoCommonProcessors { common, lost });
    }
    let count = Pairs::of(common).count() as u64 * options.sizes.len() as u64;
    Budget::of_input(0).check_operations("the comparison of all pairs", 2 * count)?;
    let (kind, cause) = choose_kinds(old, new, &processors, options)?;
    let (mut messages, mut parameters) =
        Comparison::new(old, new, &processors, kind)?.messages(&options.sizes)?;
    if cause != kind {
        parameters = Comparison::new(old, new, &processors, cause)?.messages(&options.sizes)?.1;
    }
    test(messages.iter_mut().map(|message| &mut message.change), options.level, options.tolerance);
    let findings =
        PairMessages { processors: common, messages: &messages, sizes: options.sizes.len() }
            .findings();
    let half_widths: Vec<f64> =
        messages.iter().filter_map(|message| message.change.half_width(options.level)).collect();
    let resolution = (!half_widths.is_empty()).then(|| median(&half_widths));
    messages.sort_by(|one, other| other.change.magnitude().total_cmp(&one.change.magnitude()));
    test(
        parameters.iter_mut().map(|parameter| &mut parameter.change),
        options.level,
        options.tolerance,
    );
    parameters.sort_by(|one, other| other.effect.abs().total_cmp(&one.effect.abs()));
    let shared_links = shared_links::changes(old, new, &processors, options);
    let errors = measured_errors::changes(old, new, kind, &processors, options);
    Ok(ModelDiff {
        kind,
        cause,
        processors,
        findings,
        messages,
        shared_links,
        errors,
        parameters,
        resolution,
    })
}

/// The place of a parameter in its model, for the search of the same one in another.
type Key = (&'static str, (Option<Processor>, Option<Processor>), Option<Bytes>, Option<u32>);

/// Two models that predict the same messages.
struct Comparison<'a> {
    old: Predictor<'a>,
    new: Predictor<'a>,
    common: &'a [(Processor, Processor)],
    /// The number in the old model of each processor of the new one.
    old_numbers: BTreeMap<Processor, Processor>,
    /// The parameters on critical paths so far.
    parameters: BTreeMap<Key, ParameterChange>,
}

impl<'a> Comparison<'a> {
    /// Predictors of one kind from two models.
    fn new(
        old: &'a Model,
        new: &'a Model,
        processors: &'a CommonProcessors,
        kind: ModelKind,
    ) -> Result<Self, PredictError> {
        let old_numbers = processors.common.iter().map(|&(old, new)| (new, old)).collect();
        let (old, new) = (Predictor::new(old, kind)?, Predictor::new(new, kind)?);
        Ok(Self { old, new, common: &processors.common, old_numbers, parameters: BTreeMap::new() })
    }

    /// The changes of all messages of these sizes, pair by pair, and of the parameters on their
    /// critical paths.
    fn messages(
        mut self,
        sizes: &[Bytes],
    ) -> Result<(Vec<MessageChange>, Vec<ParameterChange>), PredictError> {
        let mut messages = Vec::new();
        for (a, b) in Pairs::of(self.common.len()).iter() {
            for &size in sizes {
                messages.push(self.message(a.index(), b.index(), size)?);
            }
        }
        Ok((messages, self.parameters.into_values().collect()))
    }

    /// The times of a message between two common processors, given by index; notes the parameters
    /// behind them.
    fn message(&mut self, a: usize, b: usize, size: Bytes) -> Result<MessageChange, PredictError> {
        let ((from, new_from), (to, new_to)) = (self.common[a], self.common[b]);
        let (before, old) = self.old.explain(&Query::PointToPoint { from, to, size })?;
        let (now, new) =
            self.new.explain(&Query::PointToPoint { from: new_from, to: new_to, size })?;
        let time = Uncertain::of_time(before.seconds.get(), &old.contributions, self.old.errors());
        let change = Change::between(
            time,
            Uncertain::of_time(now.seconds.get(), &new.contributions, self.new.errors()),
        );
        self.note_parameters(&old.contributions, &new.contributions);
        Ok(MessageChange { from, to, size, change })
    }

    /// Adds the parameters that both critical paths contain; of one that is known already, keeps
    /// the change with the larger effect.
    fn note_parameters(&mut self, old: &[Contribution], new: &[Contribution]) {
        let old_number = |processor: Option<Processor>| {
            processor.and_then(|one| self.old_numbers.get(&one).copied())
        };
        for after in new {
            let ParameterId { name, place: (a, b), size, group } = after.parameter;
            let key = (name, ordered((old_number(a), old_number(b))), size, group);
            let is_same = |one: &&Contribution| key_of(&one.parameter) == key;
            let Some(before) = old.iter().find(is_same) else { continue };
            let change = Change::between((&before.estimate).into(), (&after.estimate).into());
            let effect = before.factor.max(after.factor) * (change.new - change.old);
            let parameter = ParameterChange { parameter: before.parameter, change, effect };
            let known = self.parameters.entry(key).or_insert(parameter);
            if effect.abs() > known.effect.abs() {
                *known = parameter;
            }
        }
    }
}

/// The key of a parameter of the old model.
fn key_of(parameter: &ParameterId) -> Key {
    (parameter.name, ordered(parameter.place), parameter.size, parameter.group)
}

/// The ends of a link in ascending order.
fn ordered(
    (a, b): (Option<Processor>, Option<Processor>),
) -> (Option<Processor>, Option<Processor>) {
    if b.is_some() && b < a { (b, a) } else { (a, b) }
}

/// The number of pairs from which a kind of model is chosen.
const PAIRS_OF_CHOICE: usize = 64;

/// The kinds of models that predict the times, and whose parameters show the causes.
///
/// Times are predicted by a kind with parameters of pairs, if there is one, causes by one that
/// separates processors from links; among several the one with the narrowest intervals is taken.
fn choose_kinds(
    old: &Model,
    new: &Model,
    processors: &CommonProcessors,
    options: &DiffOptions,
) -> Result<(ModelKind, ModelKind), DiffError> {
    if let Some(kind) = options.kind {
        return Ok((kind, kind));
    }
    let has =
        |kind: ModelKind, shape| kind.definition().groups.iter().any(|group| group.shape == shape);
    let kinds: Vec<ModelKind> = old.kinds().into_iter().filter(|&kind| new.has(kind)).collect();
    let with = |shape| kinds.iter().copied().filter(|&kind| has(kind, shape)).collect::<Vec<_>>();
    let narrowest = |kinds: &[ModelKind]| {
        let mut best: Option<(f64, ModelKind)> = None;
        for &kind in kinds {
            let width = median_deviation(
                &mut Comparison::new(old, new, processors, kind)?,
                &options.sizes,
            )?;
            if best.is_none_or(|(least, _)| width < least) {
                best = Some((width, kind));
            }
        }
        Ok::<_, DiffError>(best.map(|(_, kind)| kind))
    };
    let of_pairs = with(Shape::Pairs);
    let none = || DiffError::NoCommonKind { old: old.kinds(), new: new.kinds() };
    let kind = narrowest(if of_pairs.is_empty() { &kinds } else { &of_pairs })?.ok_or_else(none)?;
    let cause =
        if has(kind, Shape::Processors) { None } else { narrowest(&with(Shape::Processors))? };
    Ok((kind, cause.unwrap_or(kind)))
}

/// The median relative deviation of the differences of some messages; infinite without intervals.
fn median_deviation(comparison: &mut Comparison, sizes: &[Bytes]) -> Result<f64, PredictError> {
    let pairs = Pairs::of(comparison.common.len());
    let step = pairs.count().div_ceil(PAIRS_OF_CHOICE);
    let mut deviations = Vec::new();
    for (a, b) in pairs.iter().step_by(step) {
        for &size in sizes {
            let change = comparison.message(a.index(), b.index(), size)?.change;
            deviations
                .push(change.deviation.map_or(f64::INFINITY, |deviation| deviation / change.old));
        }
    }
    Ok(median(&deviations))
}

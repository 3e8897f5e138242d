use super::flows::{FlowProgram, SharedPorts, is_cheap_to_simulate};
use super::irregular::{corrected, escalating, expected};
use super::parameter_draws::{ParameterDraws, half_widths};
use super::{Model, ModelKind, PlayedFlows, Prediction, Query, Uncertainty};
use crate::comm::ports::Capacity;
use crate::comm::thresholds::Pieces;
use crate::comm::{
    ByClass, Combining, Contribution, ParameterErrors, ParameterId, PointToPoint, Predicted,
    Thresholds, first_interval, predict,
};
use orrery_base::numeric::Estimate;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_measure::sample::{Experiment, ExperimentKind};
use orrery_play::engine::{Engine, EngineError, Message, Synchronous, single_message};
use orrery_play::simulate::SimulationError;
use orrery_program::schedule::{Operation, Program, Rank, Reading, Schedule, Transfer, operations};

/// The reason why a query has no prediction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PredictError {
    /// The model file does not hold this kind of model.
    #[error("the model has no {kind}; it has {}", ModelKind::listed(.present))]
    NoSuchModel {
        /// The requested kind.
        kind: ModelKind,
        /// The kinds that the model has.
        present: Vec<ModelKind>,
    },
    /// The model has no such processor.
    #[error("there is no processor {processor}: the model has {processors}, numbered from 0")]
    NoSuchProcessor {
        /// The processor.
        processor: Processor,
        /// The number of processors.
        processors: usize,
    },
    /// A message from a processor to itself.
    #[error("a message from processor {0} to itself costs nothing; give two different processors")]
    Oneself(Processor),
    /// The algorithm of a call of the MPI library is unknown, or the operation has no such
    /// algorithm.
    #[error(
        "{0}: this is no algorithm of a known schedule; predict a named algorithm of the operation"
    )]
    NoSchedule(Query),
    /// The schedule cannot run.
    #[error(transparent)]
    Schedule(#[from] EngineError),
    /// The simulation of its flows fails.
    #[error(transparent)]
    Flows(#[from] SimulationError),
}

/// A predictor that answers queries with one kind of model.
///
/// ```
/// use orrery_models::comm::Lmo;
/// use orrery_models::model::{Model, ModelKind, Predictor, Query};
/// use orrery_base::numeric::Estimate;
/// use orrery_cluster::platform::{PerPair, Processor};
/// use orrery_base::units::Bytes;
/// let lmo = Lmo {
///     fixed_delay: vec![Estimate::exact(10e-6); 2],
///     byte_delay: vec![Estimate::exact(1e-9); 2],
///     link_latency: Some(PerPair::from_fn(2, |_, _| Estimate::exact(20e-6))),
///     link_byte_delay: PerPair::from_fn(2, |_, _| Estimate::exact(8e-9)),
/// };
/// let model = Model { hosts: vec![String::new(); 2], ..Model::default() }.with(ModelKind::Lmo, &lmo);
/// let mut predictor = Predictor::new(&model, ModelKind::Lmo)?;
/// let query = Query::PointToPoint { from: Processor(0), to: Processor(1), size: Bytes::new(1000) };
/// assert_eq!(predictor.predict(&query)?.seconds.to_string(), "50.0 µs");
/// # Ok::<(), orrery_models::model::PredictError>(())
/// ```
pub struct Predictor<'a> {
    model: &'a Model,
    kind: ModelKind,
    engine: Engine,
    network: Box<dyn PointToPoint>,
    errors: ParameterErrors<'a>,
    /// The operations that are played by flows, for a kind with such operations.
    played: Option<PlayedFlows>,
    /// The ports that concurrent messages share, made for the first operation that is played by
    /// flows.
    shared_ports: Option<SharedPorts>,
    /// Draws of the parameters, made for the first collective operation.
    draws: Option<ParameterDraws>,
}

impl Model {
    /// Returns one kind of the point-to-point models as a network for the engine.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind.
    pub fn network(&self, kind: ModelKind) -> Result<Box<dyn PointToPoint>, PredictError> {
        let parameters = self.parameters(kind);
        let (definition, processors) = (kind.definition(), self.processors());
        let network = parameters.and_then(|parameters| {
            let across = (definition.network)(parameters, processors)?;
            let Some(within) = parameters.within_host() else { return Some(across) };
            let networks = [across, (definition.network)(&within, processors)?];
            Some(Box::new(ByClass::new(networks, self.shared_hosts(), definition))
                as Box<dyn PointToPoint>)
        });
        let network =
            network.ok_or_else(|| PredictError::NoSuchModel { kind, present: self.kinds() })?;
        Ok(match &self.combination[..] {
            [] => network,
            delays => Box::new(Combining::new(network, delays.to_vec())),
        })
    }
}

impl<'a> Predictor<'a> {
    /// Creates a predictor for this kind of model.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind.
    pub fn new(model: &'a Model, kind: ModelKind) -> Result<Self, PredictError> {
        let network = model.network(kind)?;
        let errors = model.parameter_errors(kind);
        let played = PlayedFlows::of(model, kind);
        Ok(Self {
            model,
            kind,
            engine: Engine::new(),
            network,
            errors,
            played,
            shared_ports: None,
            draws: None,
        })
    }

    /// The errors of the parameters.
    pub(super) fn errors(&self) -> &ParameterErrors<'a> {
        &self.errors
    }

    /// Returns the predicted time.
    ///
    /// # Errors
    ///
    /// When the query names processors that the model does not have.
    pub fn predict(&mut self, query: &Query) -> Result<Prediction, PredictError> {
        Ok(self.explain(query)?.0)
    }

    /// Returns the predicted time with the contributions of parameters to it.
    ///
    /// # Errors
    ///
    /// As [`Predictor::predict`].
    pub fn explain(&mut self, query: &Query) -> Result<(Prediction, Predicted), PredictError> {
        self.prediction(query, Statistic::Median)
    }

    /// Returns the mean of the predicted time, as [`Predictor::explain`] returns the median. The
    /// two differ for operations that escalate at random: a choice between algorithms minimises the
    /// mean.
    ///
    /// # Errors
    ///
    /// As [`Predictor::predict`].
    pub fn expected(&mut self, query: &Query) -> Result<(Prediction, Predicted), PredictError> {
        self.prediction(query, Statistic::Mean)
    }

    /// Returns a statistic of the predicted time with the contributions of parameters to it.
    fn prediction(
        &mut self,
        query: &Query,
        statistic: Statistic,
    ) -> Result<(Prediction, Predicted), PredictError> {
        let (program, placement, reading) = self.program(query)?;
        let collective =
            if let Program::Collective(collective) = &program { Some(collective) } else { None };
        let thresholds = collective.and_then(|collective| {
            Some((self.model.thresholds_of(collective)?, Pieces::of(collective)))
        });
        let has_flows = self.prepare_flows(query, &program);
        let (program, placement) = (&program, &placement);
        let mut question =
            Question { query, program, placement, reading, thresholds, statistic, has_flows };
        let (mut predicted, uncertainty, escalation) = self.answer(&question)?;
        // On the other side of a threshold that is not known exactly, the operation takes another
        // time.
        let others =
            thresholds.map(|(thresholds, pieces)| (thresholds.across(pieces.size), pieces));
        for (thresholds, pieces) in
            others.iter().flat_map(|(all, pieces)| all.iter().map(move |one| (one, *pieces)))
        {
            question.thresholds = Some((thresholds, pieces));
            let (other, ..) = self.answer(&question)?;
            let both = predicted.interval.zip(other.interval);
            predicted.interval =
                both.map(|((low, high), (other, far))| (low.min(other), high.max(far)));
            predicted.alternatives.push(other);
        }
        let alarms = self.model.alarms(self.kind, query, messages(program).map(|(.., size)| size));
        let (seconds, interval) = (predicted.seconds, predicted.interval);
        let prediction = Prediction {
            query: *query,
            model: self.kind,
            seconds,
            interval,
            uncertainty,
            escalation,
            alarms,
        };
        Ok((prediction, predicted))
    }

    /// Returns the program of a query, its placement and its reading, if the model has its
    /// processors.
    fn program(&self, query: &Query) -> Result<(Program, Placement, Reading), PredictError> {
        let processors = self.model.processors();
        let (program, placement, reading) =
            query.program().ok_or(PredictError::NoSchedule(*query))?;
        let named =
            placement.processors().iter().chain([&query.root()]).copied().collect::<Vec<_>>();
        if let Some(&processor) = named.iter().find(|p| p.index() >= processors) {
            return Err(PredictError::NoSuchProcessor { processor, processors });
        }
        if query.root().index() >= placement.ranks() && matches!(program, Program::Collective(_)) {
            return Err(PredictError::NoSuchProcessor {
                processor: query.root(),
                processors: placement.ranks(),
            });
        }
        if !placement.is_distinct() {
            return Err(PredictError::Oneself(query.root()));
        }
        Ok((program, placement, reading))
    }

    /// Returns the mean of the predicted time alone: that of [`Predictor::expected`], without the
    /// work for its interval.
    ///
    /// # Errors
    ///
    /// As [`Predictor::predict`].
    pub fn expected_time(&mut self, query: &Query) -> Result<Seconds, PredictError> {
        let (program, placement, reading) = self.program(query)?;
        if let Program::Collective(collective) = &program
            && self.model.thresholds_of(collective).is_some()
        {
            return Ok(self.expected(query)?.0.seconds);
        }
        let has_flows = self.prepare_flows(query, &program);
        let plain = match self.shared_ports.as_ref().filter(|_| has_flows) {
            Some(ports) => ports.time(FlowProgram {
                program: &program,
                placement: &placement,
                reading,
                is_serial: false,
            })?,
            None => self.engine.run(&program, &placement, &mut *self.network)?.read(reading),
        };
        Ok(plain * self.model.correction_factor(self.kind, query))
    }

    /// Returns the predicted time of a message, as [`Predictor::predict`] does for
    /// [`Query::PointToPoint`], in less than a microsecond.
    ///
    /// # Errors
    ///
    /// When the model does not have the processors, or they are the same one.
    pub fn message_time(
        &mut self,
        from: Processor,
        to: Processor,
        size: Bytes,
    ) -> Result<Seconds, PredictError> {
        let processors = self.model.processors();
        if let Some(processor) = [from, to].into_iter().find(|one| one.index() >= processors) {
            return Err(PredictError::NoSuchProcessor { processor, processors });
        }
        if from == to {
            return Err(PredictError::Oneself(from));
        }
        Ok(single_message(&mut *self.network, Message { from, to, size }))
    }

    /// Returns true if a program is played by flows, and makes the machine of the flows if it is
    /// missing.
    fn prepare_flows(&mut self, query: &Query, program: &Program) -> bool {
        let has_flows = self.played.is_some_and(|played| has_flows(played, query, program));
        if has_flows && self.shared_ports.is_none() {
            self.shared_ports = SharedPorts::of(self.model);
        }
        has_flows
    }

    /// Returns the predicted time with its interval, the parts of the interval and the probability
    /// of an escalation.
    fn answer(
        &mut self,
        question: &Question,
    ) -> Result<(Predicted, Uncertainty, Option<f64>), PredictError> {
        let Question { query, program, placement, reading, thresholds, statistic, has_flows } =
            *question;
        let is_serial =
            thresholds.is_some_and(|(thresholds, pieces)| thresholds.is_serial(pieces.size));
        let predicted = if is_serial {
            predict(
                &mut self.engine,
                &mut Synchronous(&mut *self.network),
                program,
                placement,
                reading,
            )?
        } else {
            predict(&mut self.engine, &mut *self.network, program, placement, reading)?
        };
        let predicted = match self.shared_ports.as_mut().filter(|_| has_flows) {
            Some(ports) => {
                let flows = FlowProgram { program, placement, reading, is_serial };
                let seconds = ports.time(flows)?;
                shared(predicted, seconds, ports.contributions(flows, seconds)?)
            }
            None => predicted,
        };
        let correction = self.model.applied_correction(self.kind, query);
        let has_errors = correction.is_none_or(|correction| correction.is_extrapolated);
        let drawn =
            if has_errors { self.drawn_errors(question, &predicted, is_serial)? } else { None };
        let slope = self.kind.slope_correction();
        let mut predicted = match thresholds {
            Some((thresholds, pieces)) => corrected(predicted, thresholds, pieces, slope),
            None => predicted,
        };
        if let Some(correction) = correction {
            predicted = correction.corrected(predicted);
        }
        let discrepancy = self.model.discrepancies.get(&self.kind).and_then(|all| all.of(query));
        let uncertainty;
        (uncertainty, predicted.interval) =
            Uncertainty::of(&predicted, &self.errors, drawn, (correction, discrepancy));
        let (predicted, escalation) = match (thresholds, statistic) {
            (Some((thresholds, pieces)), Statistic::Median) => {
                escalating(predicted, thresholds, pieces, slope)
            }
            (Some((thresholds, pieces)), Statistic::Mean) => {
                (expected(predicted, thresholds, pieces), None)
            }
            (None, _) => (predicted, None),
        };
        Ok((predicted, uncertainty, escalation))
    }
}

impl Predictor<'_> {
    /// Returns half the widths of the interval of a collective operation below and above its time
    /// from draws of the parameters \[s\]; `None` for other programs, and for kinds of models
    /// without draws.
    fn drawn_errors(
        &mut self,
        &Question { program, placement, reading, has_flows, .. }: &Question,
        predicted: &Predicted,
        is_serial: bool,
    ) -> Result<Option<(f64, f64)>, PredictError> {
        let level = first_interval(&predicted.contributions).map(|interval| interval.level);
        let is_uncertain = self.errors.half_widths(&predicted.contributions).is_some();
        let is_drawn = is_uncertain && matches!(program, Program::Collective(_));
        let Some(level) = level.filter(|_| is_drawn && is_cheap_to_simulate(program)) else {
            return Ok(None);
        };
        if self.draws.is_none() {
            self.draws = ParameterDraws::of(self.model, self.kind);
        }
        let Some(draws) = &mut self.draws else { return Ok(None) };
        let times = match self.shared_ports.as_mut().filter(|_| has_flows) {
            Some(machine) => {
                draws.flow_times(machine, FlowProgram { program, placement, reading, is_serial })?
            }
            None => {
                draws.queue_times(&mut self.engine, (program, placement, reading), is_serial)?
            }
        };
        Ok(Some(half_widths(predicted.seconds.get(), &times, level)))
    }
}

/// The statistic of the times of an operation that may escalate.
#[derive(Debug, Clone, Copy)]
enum Statistic {
    Median,
    Mean,
}

/// A query with its program, and the thresholds and the messages of a linear operation that has
/// thresholds.
struct Question<'a> {
    query: &'a Query,
    program: &'a Program,
    placement: &'a Placement,
    reading: Reading,
    thresholds: Option<(&'a Thresholds, Pieces)>,
    statistic: Statistic,
    /// True if the program is played by flows.
    has_flows: bool,
}

/// Returns true for operations whose messages share ports as flows: collective operations among the
/// played ones, and exchanges if all are.
fn has_flows(played: PlayedFlows, query: &Query, program: &Program) -> bool {
    let is_exchange = |one: &Experiment| {
        matches!(one.kind(), ExperimentKind::Exchange | ExperimentKind::Exchanges)
    };
    match (program, query) {
        (Program::Collective(collective), _) => played.contains(collective),
        (_, Query::Experiment(experiment)) => played == PlayedFlows::All && is_exchange(experiment),
        _ => false,
    }
}

/// Returns the prediction with ports that serve one message after the other, corrected to the time
/// with shared ports.
///
/// Contributions of capacities to the time with flows take the place of those along the critical
/// path, whose errors do not count. The correction, `shared_ports`, counts as exact.
fn shared(mut predicted: Predicted, seconds: Seconds, capacities: Vec<Contribution>) -> Predicted {
    let interval = first_interval(&predicted.contributions);
    let is_replaced =
        |one: &Contribution| capacities.iter().any(|other| other.parameter == one.parameter);
    predicted.contributions.retain(|one| !is_replaced(one));
    for one in
        predicted.contributions.iter_mut().filter(|one| Capacity::has_parameter(&one.parameter))
    {
        one.estimate = one.estimate.without_error();
    }
    predicted.contributions.extend(capacities);
    let explained: f64 = predicted.contributions.iter().map(|one| one.seconds().get()).sum();
    let correction = Estimate { interval, ..Estimate::exact(seconds.get() - explained) };
    let estimate = correction.without_error();
    let correction =
        Contribution { parameter: ParameterId::of_all("shared_ports"), factor: 1.0, estimate };
    Predicted { seconds, ..predicted.plus(correction) }
}

/// The messages of a schedule: sender, receiver and size.
pub(super) fn messages<S: Schedule + ?Sized>(
    schedule: &S,
) -> impl Iterator<Item = (Rank, Rank, Bytes)> {
    let sent = |from: Rank, operation| match operation {
        Operation::Do(Transfer::Send { to, size, .. })
        | Operation::Post(Transfer::Send { to, size, .. }, _) => Some((from, to, size)),
        _ => None,
    };
    Rank::first(schedule.ranks()).flat_map(move |rank| {
        operations(schedule, rank).filter_map(move |operation| sent(rank, operation))
    })
}

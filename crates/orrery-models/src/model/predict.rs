use std::cell::OnceCell;

use super::collective_errors::{CollectiveErrors, ExpectedError};
use super::flows::{FlowProgram, SharedPorts, is_cheap_to_simulate};
use super::irregular::{corrected, escalating, expected};
use super::losses::{KnownLosses, Losses};
use super::parameter_draws::{ParameterDraws, half_widths};
use super::uncertainty::{level_of, together};
use super::{Model, ModelKind, PlayedFlows, PredictError, Prediction, Query, Uncertainty};
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
use orrery_play::engine::{Engine, Message, Synchronous, single_message};
use orrery_program::schedule::{
    Collective, Operation, Program, Rank, Reading, Schedule, Transfer, operations,
};

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
    /// The errors in collective operations, made for the first one.
    collective_errors: OnceCell<CollectiveErrors>,
    /// True if the cluster is known to be of the kind of the model.
    is_of_known_kind: bool,
    /// What is known about losses at in-ports.
    losses: Option<KnownLosses>,
}

impl Model {
    /// Returns one kind of the point-to-point models as a network for the engine.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind.
    pub fn network(&self, kind: ModelKind) -> Result<Box<dyn PointToPoint>, PredictError> {
        let parameters = self.parameters(kind);
        let definition = kind.definition();
        let mut hosts = self.hosts.clone();
        hosts.resize(self.processors(), String::new());
        let network = parameters.and_then(|parameters| {
            let across = (definition.network)(parameters, &hosts)?;
            // Kinds without all parameters within a host distinguish messages themselves.
            let within = parameters.within_host();
            let within = within.and_then(|within| (definition.network)(&within, &hosts));
            let Some(within) = within else { return Some(across) };
            let networks = [across, within];
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
        let losses = KnownLosses::of(model, &*network);
        Ok(Self {
            model,
            kind,
            engine: Engine::new(),
            network,
            errors,
            played,
            shared_ports: None,
            draws: None,
            collective_errors: OnceCell::new(),
            is_of_known_kind: false,
            losses,
        })
    }

    /// Returns the predictor for a cluster that is known to be of the kind of the model, such as a
    /// simulated one: what the model is wrong by on other clusters does not count.
    #[must_use]
    pub fn of_known_kind(self) -> Self {
        Self { is_of_known_kind: true, ..self }
    }

    /// Returns the predictor of times without losses, with which measured times are compared.
    #[cfg(feature = "estimation")]
    pub(super) fn without_losses(self) -> Self {
        Self { losses: None, ..self }
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
        let own = collective.and_then(|collective| {
            Some((self.model.thresholds_of(collective)?, Pieces::of(collective)))
        });
        let losses = match own {
            Some(_) => Losses::None,
            None => self.losses(query, &program, &placement),
        };
        let thresholds = own.or(match &losses {
            Losses::AsGather(thresholds, pieces) => Some((&**thresholds, *pieces)),
            _ => None,
        });
        let has_flows = self.prepare_flows(query, &program);
        let (program, placement) = (&program, &placement);
        let mut question =
            Question { query, program, placement, reading, thresholds, statistic, has_flows };
        let Answer { mut predicted, uncertainty, escalation, error } = self.answer(&question)?;
        // On the other side of a threshold that is not known exactly, the operation takes another
        // time.
        let others =
            thresholds.map(|(thresholds, pieces)| (thresholds.across(pieces.size), pieces));
        for (thresholds, pieces) in
            others.iter().flat_map(|(all, pieces)| all.iter().map(move |one| (one, *pieces)))
        {
            question.thresholds = Some((thresholds, pieces));
            let other = self.answer(&question)?.predicted;
            let both = predicted.interval.zip(other.interval);
            predicted.interval =
                both.map(|((low, high), (other, far))| (low.min(other), high.max(far)));
            predicted.alternatives.push(other);
        }
        let sizes = messages(program).map(|(.., size)| size);
        let mut alarms = self.model.alarms(self.kind, query, sizes, error.as_ref());
        alarms.extend(losses.alarm());
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
    /// processors, and if its operations are not too many.
    fn program(&self, query: &Query) -> Result<(Program, Placement, Reading), PredictError> {
        let processors = self.model.processors();
        if let Query::Experiment(one) = query
            && one.fields().procs.is_some_and(|procs| procs > processors)
        {
            let processor = Processor(processors as u32);
            return Err(PredictError::NoSuchProcessor { processor, processors });
        }
        query.check_operations()?;
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
            && self.may_escalate(collective)
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
        Ok(plain * self.expected_factor(query))
    }

    /// Returns the factor by which the time of the schedule of a query is multiplied: the
    /// exponential of the error that measured collective operations let expect; 1 without any.
    pub fn expected_factor(&self, query: &Query) -> f64 {
        self.expected_error(query).map_or(1.0, |error| error.factor())
    }

    /// Half the width of the interval of the difference of two explained predictions that the error
    /// of the model adds \[s\]. The errors that both have in common cancel.
    pub fn difference_width(
        &self,
        one: &(Prediction, Predicted),
        other: &(Prediction, Predicted),
    ) -> f64 {
        let queries = [one, other].map(|(prediction, _)| &prediction.query);
        let is_expected = |query: &&Query| self.expected_error(query).is_some();
        let are_expected = queries.iter().all(is_expected)
            && [one, other].iter().all(|(prediction, _)| prediction.uncertainty.model.is_some());
        let [a, b] = [one, other].map(|(_, predicted)| predicted.seconds.get());
        let errors = self.collective_errors();
        let deviation = errors.deviation_of_difference((queries[0], a), (queries[1], b));
        if let Some(deviation) = deviation.filter(|_| are_expected) {
            return errors.quantile(level_of(&one.1.contributions)) * deviation;
        }
        let relative = [one, other].map(|(prediction, _)| prediction.uncertainty.model);
        f64::hypot(relative[0].unwrap_or(0.0) * a, relative[1].unwrap_or(0.0) * b)
    }

    /// The distribution of the errors in collective operations.
    fn collective_errors(&self) -> &CollectiveErrors {
        self.collective_errors.get_or_init(|| self.model.collective_errors(self.kind))
    }

    /// The error to expect of a query; `None` for operations whose thresholds are known, and for
    /// those that are not collective.
    fn expected_error(&self, query: &Query) -> Option<ExpectedError> {
        let Query::Experiment(experiment) = query else { return None };
        if self.is_of_known_kind || self.model.has_thresholds_of(experiment) {
            return None;
        }
        self.collective_errors().expected(query)
    }

    /// Returns true if a collective operation of the first processors may escalate, so that its mean
    /// time is not that of its messages alone.
    pub fn may_escalate(&self, collective: &Collective) -> bool {
        let placement = Placement::identity(collective.ranks);
        self.model.thresholds_of(collective).is_some()
            || self.losses.as_ref().is_some_and(|known| known.may_escalate(collective, &placement))
    }

    /// Returns true if losses of a collective operation of the first processors may be unknown.
    pub fn may_have_unknown_losses(&self, collective: &Collective) -> bool {
        let placement = Placement::identity(collective.ranks);
        self.losses.as_ref().is_some_and(|known| known.may_be_unknown(collective, &placement))
    }

    /// Returns the losses of a query whose operation has no thresholds of its own. A measured error
    /// contains them.
    fn losses(&mut self, query: &Query, program: &Program, placement: &Placement) -> Losses {
        let is_measured = self
            .expected_error(query)
            .is_some_and(|error| error.is_measured() && error.open() < MIN_OPEN);
        match (&self.losses, program) {
            (Some(known), Program::Collective(collective)) if !is_measured => {
                let (engine, network) = (&mut self.engine, &mut *self.network);
                known.losses(engine, network, query, (collective, placement))
            }
            _ => Losses::None,
        }
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

    /// Returns the predicted time with its interval.
    fn answer(&mut self, question: &Question) -> Result<Answer, PredictError> {
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
        // A model without intervals, such as one written by hand, counts as exact.
        let is_uncertain = first_interval(&predicted.contributions).is_some();
        let error = self.expected_error(query).filter(|error| is_uncertain || error.is_measured());
        let has_errors = error.as_ref().is_none_or(|error| error.open() > MIN_OPEN);
        let drawn =
            if has_errors { self.drawn_errors(question, &predicted, is_serial)? } else { None };
        let slope = self.kind.slope_correction();
        let mut predicted = match thresholds {
            Some((thresholds, pieces)) => corrected(predicted, thresholds, pieces, slope),
            None => predicted,
        };
        if let Some(error) = &error {
            predicted = error.applied(predicted);
        }
        let (seconds, level) = (predicted.seconds, level_of(&predicted.contributions));
        let discrepancies = self.model.discrepancies.get(&self.kind);
        let discrepancy = discrepancies.and_then(|all| all.of(query));
        let discrepancy = discrepancy.map(|one| one.half_widths(seconds, level));
        let of_model = match &error {
            Some(error) => {
                // Errors on other clusters are those of `ports`; kinds that fit concurrent messages
                // worse have larger ones.
                let own = discrepancy.filter(|_| self.kind.stored_as() != ModelKind::Ports);
                let open = own.map(|(below, above)| (error.open() * below, error.open() * above));
                together(Some(error.half_widths(seconds, level)), open)
            }
            None => discrepancy,
        };
        let of_hosts = self.model.discrepancy_of_unmeasured(placement.processors());
        let of_hosts = of_hosts.filter(|_| is_uncertain && !self.is_of_known_kind);
        let of_model = together(of_model, of_hosts.map(|one| one.half_widths(seconds, level)));
        let uncertainty;
        (uncertainty, predicted.interval) =
            Uncertainty::of(&predicted, &self.errors, drawn, of_model);
        let (predicted, escalation) = match (thresholds, statistic) {
            (Some((thresholds, pieces)), Statistic::Median) => {
                escalating(predicted, thresholds, pieces, slope)
            }
            (Some((thresholds, pieces)), Statistic::Mean) => {
                (expected(predicted, thresholds, pieces), None)
            }
            (None, _) => (predicted, None),
        };
        Ok(Answer { predicted, uncertainty, escalation, error })
    }
}

/// The part of the deviation that measured errors leave open, below which the errors of parameters
/// are not drawn: the measured errors contain them.
const MIN_OPEN: f64 = 0.2;

/// A predicted time with its interval.
struct Answer {
    predicted: Predicted,
    /// The parts of the interval.
    uncertainty: Uncertainty,
    /// The probability of an escalation.
    escalation: Option<f64>,
    /// What is known of the error of a collective operation.
    error: Option<ExpectedError>,
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

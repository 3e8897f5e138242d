use std::collections::{BTreeMap, BTreeSet};

use super::predict::messages;
use super::uncertainty::{interval, level_of, together};
use super::{
    Availability, Discrepancies, HostKernels, KernelChoice, KernelPredictError, Model, ModelKind,
    PredictError, RoutineAlarm, SharedPorts,
};
use crate::comm::{Contribution, ParameterErrors, PointToPoint, Predicted, predict};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_play::engine::{Engine, EngineError, Message, single_message};
use orrery_play::simulate::SimulationError;
use orrery_program::kernel::{Kernel, KernelCall};
use orrery_program::routine::{
    KernelTimes, RoutineCall, RoutineCollectives, RoutineError, RoutineProgram, StepSchedule,
};
use orrery_program::schedule::{
    Operation, Rank, Reading, Reducer, Schedule, Timer, Transfer, operations,
};

/// The reason why a call of a parallel routine has no prediction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RoutinePredictError {
    /// The grid has more processes than the model has processors.
    #[error(
        "a grid of {rows}x{columns} has more processes than the model has processors, \
            {processors}; use a smaller grid"
    )]
    Processors {
        /// The number of rows of the grid.
        rows: u32,
        /// The number of columns of the grid.
        columns: u32,
        /// The number of processors.
        processors: usize,
    },
    /// A redistribution among more ranks than the model has processors.
    #[error(
        "the redistribution needs {ranks} processors, but the model has {processors}; use smaller \
            grids"
    )]
    Ranks {
        /// The number of ranks.
        ranks: usize,
        /// The number of processors.
        processors: usize,
    },
    /// A matrix that cannot be laid out on its grid.
    #[error(transparent)]
    Layout(#[from] Fault),
    /// Two processes on one processor.
    #[error("two processes are on the same processor; place each on a processor of its own")]
    SharedProcessor,
    /// A kernel without a model.
    #[error(transparent)]
    Kernel(#[from] KernelPredictError),
    /// The communication cannot be predicted.
    #[error(transparent)]
    Communication(#[from] PredictError),
    /// The call has no program.
    #[error(transparent)]
    Routine(#[from] RoutineError),
    /// The program cannot run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The simulation of its flows fails.
    #[error(transparent)]
    Flows(#[from] SimulationError),
}

/// The predicted time of a call of a parallel routine.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutinePrediction {
    /// The call.
    pub call: RoutineCall,
    /// The kind of model of the communication.
    pub kind: ModelKind,
    /// The time of the last process.
    pub seconds: Seconds,
    /// Its interval: the errors of the kernels, of the parameters of the communication and of its
    /// model, without what the program leaves out; `None` if the parameters have none.
    pub interval: Option<(Seconds, Seconds)>,
    /// The time of kernels: on the critical path, or with flows at the process that computes
    /// longest.
    pub computing: Seconds,
    /// The memory of the operands at the process with the largest parts.
    pub space: Bytes,
    /// Reasons to doubt the prediction.
    pub alarms: Vec<RoutineAlarm>,
}

/// A predictor of parallel routines, with one kind of model of the communication.
///
/// A routine is a [program](RoutineProgram) of calls of kernels and messages. It is played on the
/// fitted network; kernels take the time of their models on the hosts of the processes.
pub struct RoutinePredictor<'a> {
    model: &'a Model,
    kind: ModelKind,
    engine: Engine,
    network: Box<dyn PointToPoint>,
    errors: ParameterErrors<'a>,
    flows: Option<SharedPorts>,
    availability: Availability,
    collectives: RoutineCollectives,
}

/// The part of the time of kernels from which calls outside measured dimensions are an alarm.
const LARGE_PART: f64 = 0.1;

/// The largest number of pairs of processors whose messages are averaged.
const MAX_PAIRS: usize = 64;

/// The time of the last process.
const READING: Reading = Reading { timer: Timer::WHOLE, reducer: Reducer::Maximum };

impl<'a> RoutinePredictor<'a> {
    /// A predictor for a model and a kind of model in it.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind.
    pub fn new(model: &'a Model, kind: ModelKind) -> Result<Self, PredictError> {
        let network = model.network(kind)?;
        let flows = if kind.shares_ports() { SharedPorts::of(model) } else { None };
        Ok(Self {
            model,
            kind,
            engine: Engine::new(),
            network,
            errors: model.parameter_errors(kind),
            flows,
            availability: Availability::default(),
            collectives: RoutineCollectives::default(),
        })
    }

    /// Returns the predictor for hosts with this availability: kernels take T/a on a host with
    /// availability a.
    #[must_use]
    pub fn with_availability(self, availability: Availability) -> Self {
        Self { availability, ..self }
    }

    /// Returns the predictor for routines with these broadcasts and sums instead of the usual ones.
    #[must_use]
    pub fn with_collectives(self, collectives: RoutineCollectives) -> Self {
        Self { collectives, ..self }
    }

    /// The program of a call.
    pub(super) fn program(
        &self,
        call: &RoutineCall,
    ) -> Result<RoutineProgram, RoutinePredictError> {
        Ok(RoutineProgram::new(call)?.with_collectives(self.collectives))
    }

    /// The kind of model of the communication.
    pub fn kind(&self) -> ModelKind {
        self.kind
    }

    /// The number of processors of the model.
    pub fn processors(&self) -> usize {
        self.model.processors()
    }

    /// Predicts a call whose rank r is on the r-th processor.
    ///
    /// # Errors
    ///
    /// When the model has too few processors or lacks a kernel.
    pub fn predict(
        &mut self,
        call: &RoutineCall,
        choice: &KernelChoice,
    ) -> Result<RoutinePrediction, RoutinePredictError> {
        let processes = call.grid().processes() as usize;
        self.predict_on(call, &Placement::new(Processor::first(processes)), choice)
    }

    /// Predicts a call with its processes, row by row of the grid, on these processors.
    ///
    /// # Errors
    ///
    /// As [`RoutinePredictor::predict`], and when two processes are on one processor.
    pub fn predict_on(
        &mut self,
        call: &RoutineCall,
        placement: &Placement,
        choice: &KernelChoice,
    ) -> Result<RoutinePrediction, RoutinePredictError> {
        Ok(self.predicted_on(call, placement, choice)?.0)
    }

    /// Predicts as [`RoutinePredictor::predict_on`], with the parameters of messages along the
    /// critical path of the plain network.
    pub(super) fn predicted_on(
        &mut self,
        call: &RoutineCall,
        placement: &Placement,
        choice: &KernelChoice,
    ) -> Result<(RoutinePrediction, Vec<Contribution>), RoutinePredictError> {
        let (grid, processors) = (call.grid(), self.model.processors());
        if placement.processors().iter().any(|processor| processor.index() >= processors) {
            return Err(RoutinePredictError::Processors {
                rows: grid.rows,
                columns: grid.columns,
                processors,
            });
        }
        if !placement.is_distinct() {
            return Err(RoutinePredictError::SharedProcessor);
        }
        let program = self.program(call)?;
        let kernels = self.kernels(&program, placement, choice)?;
        let predicted = predict(
            &mut self.engine,
            &mut *self.network,
            &program.schedule(&kernels),
            placement,
            READING,
        )?;
        let plain = predicted.seconds.get();
        let communicating: f64 =
            predicted.contributions.iter().map(|one| one.seconds().get()).sum();
        // Errors of the parameters along the critical path, in proportion with flows.
        let of_network = self.errors.half_widths(&predicted.contributions);
        let (seconds, computing) = match &self.flows {
            Some(flows) => {
                (with_flows(flows, &program, &kernels, placement)?, longest(&program, &kernels))
            }
            None => (plain, plain - communicating),
        };
        let mut ends = [-1.0, 1.0].map(|end| {
            let kernels = kernels.at(end);
            let schedule = program.schedule(&kernels);
            self.engine
                .run(&schedule, placement, &mut *self.network)
                .map(|outcome| outcome.read(READING).get())
        });
        let mut other = |place: usize| std::mem::replace(&mut ends[place], Ok(plain));
        let (low, high) = (other(0)?, other(1)?);
        let scale = if plain > 0.0 { seconds / plain } else { 1.0 };
        // The discrepancy of the model applies to the messages along the critical path.
        let of_model = self.discrepancy(communicating, &predicted.contributions, placement);
        let half_widths = together(of_network, of_model).map(|(below, above)| {
            ((plain - low).hypot(below) * scale, (high - plain).hypot(above) * scale)
        });
        let interval = interval(seconds, half_widths);
        let mut alarms = alarms(&program, &kernels);
        alarms.extend(self.size_alarm(sizes(&program.schedule(&kernels), Rank(0))));
        if self.model.lacks_queue(self.kind, messages(&program.schedule(&kernels))) {
            alarms.push(RoutineAlarm::Handshakes);
        }
        let unmeasured = self.model.unmeasured_among(placement.processors());
        alarms.extend(
            unmeasured
                .map(|(first, processors)| RoutineAlarm::UnmeasuredHosts { first, processors }),
        );
        let of_program = |part| RoutineAlarm::Approximation { routine: call.routine(), part };
        alarms.extend(call.approximations().into_iter().map(of_program));
        alarms.extend(
            self.model.memory_excess(call, placement.processors()).map(RoutineAlarm::Memory),
        );
        alarms.extend(self.load_alarms(placement));
        let (kind, space) = (self.kind, call.space());
        let (seconds, computing) = (Seconds::new(seconds), Seconds::new(computing.max(0.0)));
        let prediction =
            RoutinePrediction { call: *call, kind, seconds, interval, computing, space, alarms };
        Ok((prediction, predicted.contributions))
    }

    /// The models of kernels on the hosts of processes, with their availability.
    pub(super) fn kernels(
        &self,
        program: &RoutineProgram,
        placement: &Placement,
        choice: &KernelChoice,
    ) -> Result<HostKernels<'a>, KernelPredictError> {
        let slowdowns = placement.processors().iter().map(|processor| {
            let (low, high) = self.availability.interval(self.host(*processor));
            [1.0 / high, 1.0 / self.part(*processor), 1.0 / low]
        });
        let slowdowns = slowdowns.collect();
        Ok(HostKernels::new(self.model, program, placement, choice)?.with_slowdowns(slowdowns))
    }

    /// The time of the last process of a program with other times of kernels \[s\].
    pub(super) fn time<T: KernelTimes>(
        &mut self,
        program: &RoutineProgram,
        placement: &Placement,
        kernels: &T,
    ) -> Result<f64, RoutinePredictError> {
        match &self.flows {
            Some(flows) => Ok(with_flows(flows, program, kernels, placement)?),
            None => {
                let schedule = program.schedule(kernels);
                Ok(self.engine.run(&schedule, placement, &mut *self.network)?.read(READING).get())
            }
        }
    }

    /// Returns true if messages share ports as flows.
    pub(super) fn has_flows(&self) -> bool {
        self.flows.is_some()
    }

    /// Predicts a redistribution on the processors with the numbers of its ranks, with its
    /// interval.
    ///
    /// # Errors
    ///
    /// When the model has too few processors.
    pub fn predict_steps<S: StepSchedule>(
        &mut self,
        steps: &S,
    ) -> Result<Predicted, RoutinePredictError> {
        let processors = self.model.processors();
        if steps.ranks() > processors {
            return Err(RoutinePredictError::Ranks { ranks: steps.ranks(), processors });
        }
        let placement = Placement::identity(steps.ranks());
        let mut predicted =
            predict(&mut self.engine, &mut *self.network, steps, &placement, READING)?;
        let plain = predicted.seconds.get();
        if let Some(flows) = &self.flows {
            let ends = flows.ends(steps, &placement, false)?;
            predicted.seconds = ends.into_iter().fold(Seconds::ZERO, Seconds::max);
        }
        let seconds = predicted.seconds.get();
        let scale = if plain > 0.0 { seconds / plain } else { 1.0 };
        let of_network = self.errors.half_widths(&predicted.contributions);
        let of_model = self.discrepancy(plain, &predicted.contributions, &placement);
        let half_widths = together(of_network, of_model);
        predicted.interval =
            interval(seconds, half_widths.map(|(below, above)| (below * scale, above * scale)));
        Ok(predicted)
    }

    /// Half the widths of the interval of a time of concurrent messages \[s\] that follow from the
    /// discrepancy of the model, and from hosts that were not measured; `None` without both.
    fn discrepancy(
        &self,
        seconds: f64,
        contributions: &[Contribution],
        placement: &Placement,
    ) -> Option<(f64, f64)> {
        let discrepancies = self.model.discrepancies.get(&self.kind);
        let of_kind = discrepancies.and_then(Discrepancies::of_concurrent);
        let of_hosts = self.model.discrepancy_of_unmeasured(placement.processors());
        let [of_kind, of_hosts] = [of_kind, of_hosts].map(|discrepancy| {
            Some(discrepancy?.half_widths(Seconds::new(seconds), level_of(contributions)))
        });
        together(of_kind, of_hosts)
    }

    /// The part of a processor that is available on the host of a processor.
    fn part(&self, processor: Processor) -> f64 {
        self.availability.of(self.host(processor))
    }

    /// The host of a processor; empty if it is unknown.
    fn host(&self, processor: Processor) -> &str {
        self.model.hosts.get(processor.index()).map_or("", String::as_str)
    }

    /// The alarms for processors that other programs use, too, and for hosts whose load is doubtful.
    pub fn load_alarms(&self, placement: &Placement) -> Vec<RoutineAlarm> {
        let parts = placement
            .processors()
            .iter()
            .map(|processor| self.part(*processor))
            .filter(|part| *part < 1.0);
        let parts: Vec<f64> = parts.collect();
        let ends = parts
            .iter()
            .copied()
            .min_by(f64::total_cmp)
            .zip(parts.iter().copied().max_by(f64::total_cmp));
        let load = ends.map(|(smallest, largest)| RoutineAlarm::Load {
            processes: parts.len(),
            parts: [smallest, largest],
        });
        let hosts: BTreeSet<&str> =
            placement.processors().iter().map(|processor| self.host(*processor)).collect();
        let doubt = |host: &str| Some((host.to_owned(), self.availability.doubt(host)?));
        let (unknown, few): (Vec<_>, Vec<_>) =
            hosts.into_iter().filter_map(doubt).partition(|(_, doubt)| doubt.is_unknown());
        let unknown = (!unknown.is_empty()).then_some(RoutineAlarm::UnknownLoad { hosts: unknown });
        let few = (!few.is_empty()).then_some(RoutineAlarm::FewSamples { hosts: few });
        load.into_iter().chain(unknown).chain(few).collect()
    }

    /// The alarm for messages that are larger than the measured ones; `None` if there are none.
    pub fn size_alarm(&self, sizes: impl Iterator<Item = Bytes>) -> Option<RoutineAlarm> {
        let (_, largest) = self.model.measured?;
        let size = sizes.max()?;
        (size > largest).then_some(RoutineAlarm::Size { size, largest })
    }

    /// The mean time of a message of the first of two ascending sizes between successive
    /// processors, and the mean increase of the time per further element of this size, up to the
    /// second size \[s\].
    pub fn mean_message(&mut self, sizes: [Bytes; 2], element: Bytes) -> (f64, f64) {
        let pairs: Vec<_> =
            (1..self.model.processors().min(MAX_PAIRS) as u32).map(|k| (k - 1, k)).collect();
        let mut mean = |size| {
            let time = |(from, to): &(u32, u32)| {
                let message = Message { from: Processor(*from), to: Processor(*to), size };
                single_message(&mut *self.network, message).get()
            };
            pairs.iter().map(time).sum::<f64>() / pairs.len().max(1) as f64
        };
        let [empty, long] = sizes.map(&mut mean);
        let bytes = (sizes[1].get() - sizes[0].get()) as f64;
        (empty, (long - empty).max(0.0) / bytes * element.get() as f64)
    }
}

/// The time of the last process with flows \[s\].
fn with_flows<T: KernelTimes>(
    flows: &SharedPorts,
    program: &RoutineProgram,
    kernels: &T,
    placement: &Placement,
) -> Result<f64, SimulationError> {
    let ends = flows.ends(&program.schedule(kernels), placement, false)?;
    Ok(ends.into_iter().fold(Seconds::ZERO, Seconds::max).get())
}

/// The sizes of the messages that a rank sends or receives.
fn sizes(schedule: &impl Schedule, rank: Rank) -> impl Iterator<Item = Bytes> {
    operations(schedule, rank).filter_map(|operation| match operation {
        Operation::Do(transfer) | Operation::Post(transfer, _) => match transfer {
            Transfer::Send { size, .. }
            | Transfer::Receive { size, .. }
            | Transfer::ReceiveAny { size, .. } => Some(size),
        },
        _ => None,
    })
}

/// The time of the kernels of the process that computes longest \[s\].
fn longest(program: &RoutineProgram, kernels: &HostKernels) -> f64 {
    let of = |rank| {
        program
            .calls(rank)
            .map(|(call, count)| count as f64 * seconds(kernels, rank, &call))
            .sum::<f64>()
    };
    Rank::first(program.ranks()).map(of).fold(0.0, f64::max)
}

/// The time of a call \[s\].
fn seconds(kernels: &HostKernels, rank: Rank, call: &KernelCall) -> f64 {
    kernels.seconds(rank, call).get()
}

/// The calls of a kernel in which a dimension is outside the measured ones.
struct Outside {
    /// Their time \[s\].
    time: f64,
    values: [u64; 2],
    measured: [u64; 2],
}

/// The reasons to doubt the times of kernels, by the calls of the first process.
fn alarms(program: &RoutineProgram, kernels: &HostKernels) -> Vec<RoutineAlarm> {
    let variant =
        |&(kernel, variant, measured)| RoutineAlarm::Variant { kernel, variant, measured };
    let host = |(host, measured): &(String, String)| RoutineAlarm::Host {
        host: host.clone(),
        measured: measured.clone(),
    };
    let kernel = |(&kernel, &measured)| RoutineAlarm::Kernel { kernel, measured };
    let mut all: Vec<RoutineAlarm> = kernels.replaced().iter().map(kernel).collect();
    all.extend(kernels.substitutes().iter().map(variant));
    all.extend(kernels.other_hosts().iter().map(host));
    let rank = Rank(0);
    let mut outside: BTreeMap<(Kernel, char), Outside> = BTreeMap::new();
    let mut total = 0.0;
    for (call, count) in program.calls(rank) {
        let time = count as f64 * seconds(kernels, rank, &call);
        total += time;
        let Some((model, call, _)) = kernels.model(rank, &call) else { continue };
        for (name, value, measured) in model.extrapolated(&call) {
            let first = Outside { time: 0.0, values: [value, value], measured };
            let of = outside.entry((call.kernel(), name)).or_insert(first);
            of.time += time;
            of.values = [of.values[0].min(value), of.values[1].max(value)];
        }
    }
    for ((kernel, name), Outside { time, values, measured }) in outside {
        if time > LARGE_PART * total {
            all.push(RoutineAlarm::Dimension { kernel, name, values, measured });
        }
    }
    all
}

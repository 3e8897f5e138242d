//! The choice of the grid of a routine: closed forms compare all candidates, programs the best.

use std::collections::{BTreeMap, BTreeSet};

use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_models::model::{
    Availability, Candidates, HostKernels, KernelChoice, KernelPredictError, Model, ModelKind,
    RoutineAlarm, RoutinePredictError, RoutinePrediction, RoutinePredictor, kernel_for,
    measured_kernel,
};
use orrery_program::kernel::{Kernel, KernelCall, KernelModel, KernelRoutine};
use orrery_program::routine::{Grid, HomogeneousMachine, Routine, RoutineCall, RoutineProgram};

/// The question on which grid, and with which blocks, a routine is fastest.
#[derive(Debug, Clone)]
pub struct GridChoice {
    /// The routine.
    pub routine: Routine,
    /// Its variant.
    pub variant: &'static str,
    /// The dimensions m, n and k.
    pub dimensions: [u64; 3],
    /// The candidates for the number of processes.
    pub processes: Vec<u32>,
    /// The candidates for the size of blocks.
    pub blocks: Vec<u64>,
    /// The memory of a process; larger operands are rejected. `None` for the memory of the hosts,
    /// where the model has it.
    pub memory: Option<Bytes>,
    /// Which models of the kernels are meant.
    pub kernels: KernelChoice,
    /// The part of a processor that other programs leave to processes, by host. Unless all parts
    /// are 1, grids take the processors on which a typical kernel is fastest first.
    pub availability: Availability,
    /// True to take hosts whose load is not known now, too, after all others; false to leave them
    /// out.
    pub unmonitored: bool,
    /// The number of candidates that are predicted by their programs, the best ones by closed
    /// forms.
    pub predicted: usize,
}

/// The best grids of a routine.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenGrids {
    /// The predicted candidates, the fastest first.
    pub best: Vec<RoutinePrediction>,
    /// The number of candidates with enough memory.
    pub candidates: usize,
    /// The number of candidates whose operands exceed the memory.
    pub rejected: usize,
    /// The processors in the order in which grids take them: rank r of each grid is on the r-th
    /// one.
    pub processors: Vec<Processor>,
}

impl ChosenGrids {
    /// The processors of the processes of a grid, row by row.
    pub fn placed(&self, grid: Grid) -> &[Processor] {
        let processes = self.processors.len().min(grid.processes() as usize);
        &self.processors[..processes]
    }
}

/// The number of operations of all predicted programs, about; the times of further candidates are
/// those of closed forms.
const MAX_OPERATIONS: f64 = 1e6;

/// The dimensions of the call by which the slowest host is found.
const TYPICAL: u64 = 256;

/// The sizes of the messages that determine latency and bandwidth.
const SIZES: [Bytes; 2] = [Bytes::ZERO, Bytes::new(64 << 10)];

/// Chooses the grids on which a routine is fastest: closed forms compare all candidates, programs
/// the best of them.
///
/// # Errors
///
/// When no candidate is left, or when the best ones cannot be predicted.
pub fn choose_grid(
    model: &Model,
    kind: ModelKind,
    choice: &GridChoice,
) -> Result<ChosenGrids, RoutinePredictError> {
    let mut predictor =
        RoutinePredictor::new(model, kind)?.with_availability(choice.availability.clone());
    let Candidates { processors, excluded } =
        choice.availability.candidates(model, choice.unmonitored);
    let kernel = slowest_kernels(model, choice, &processors)?;
    let processors = fastest_first(model, choice, processors)?;
    let message = predictor.mean_message(SIZES, choice.routine.precision.element());
    let (candidates, rejected) =
        estimated_candidates(model, choice, &processors, message, &kernel)?;
    let count = candidates.len();
    // Closed forms are approximations that suffice to leave out most candidates. The best ones are
    // ordered by the times of their programs, up to a limit of work.
    let mut best: Vec<RoutinePrediction> = Vec::new();
    let mut operations = 0.0;
    for (seconds, call) in candidates.into_iter().take(choice.predicted.max(1)) {
        let program = RoutineProgram::new(&call)?;
        let placement = placement(&processors, call.grid().processes());
        operations += program.operations();
        best.push(if operations > MAX_OPERATIONS {
            // A kernel that was not measured is an error here, too.
            HostKernels::new(model, &program, &placement, &choice.kernels)?;
            let kernel = slowed(&kernel, slowdown(model, choice, placement.processors()));
            let mut one = estimated(kind, call, Seconds::new(seconds), &kernel);
            one.alarms.extend(predictor.load_alarms(&placement));
            one
        } else {
            predictor.predict_on(&call, &placement, &choice.kernels)?
        });
    }
    if choice.memory.is_some() {
        // A given limit takes the place of the memory of the hosts.
        for one in &mut best {
            one.alarms.retain(|alarm| !matches!(alarm, RoutineAlarm::Memory(_)));
        }
    }
    if !excluded.is_empty() {
        let alarm = RoutineAlarm::Excluded { hosts: excluded };
        best.iter_mut().for_each(|one| one.alarms.push(alarm.clone()));
    }
    best.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(ChosenGrids { best, candidates: count, rejected, processors })
}

/// The candidates with enough memory, each with its time \[s\] by closed forms, the fastest first;
/// and the number of those without.
fn estimated_candidates(
    model: &Model,
    choice: &GridChoice,
    processors: &[Processor],
    (latency, element): (f64, f64),
    kernel: &(impl Fn(KernelRoutine, [u64; 3]) -> f64 + Sync),
) -> Result<(Vec<(f64, RoutineCall)>, usize), RoutinePredictError> {
    let mut candidates = Vec::new();
    let mut rejected = 0;
    for (processes, block) in
        choice.processes.iter().flat_map(|p| choice.blocks.iter().map(move |block| (*p, *block)))
    {
        // Steps wait for the slowest processor, so that its slowdown is that of all.
        let placement = placement(processors, u64::from(processes));
        let kernel = slowed(kernel, slowdown(model, choice, placement.processors()));
        let machine = HomogeneousMachine { latency, element, kernel: &kernel };
        for rows in (1..=processes).filter(|rows| processes % rows == 0) {
            let grid = Grid { rows, columns: processes / rows, block };
            let call = RoutineCall::new(choice.routine, choice.variant, choice.dimensions, grid)?;
            if grid.processes() > processors.len() as u64 {
                let (columns, processors) = (grid.columns, processors.len());
                return Err(RoutinePredictError::Processors { rows, columns, processors });
            }
            let exceeds_memory = match choice.memory {
                Some(memory) => call.space() > memory,
                None => model.memory_excess(&call, placement.processors()).is_some(),
            };
            if exceeds_memory {
                rejected += 1;
            } else {
                candidates.push((machine.estimate(&call), call));
            }
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok((candidates, rejected))
}

/// The prediction of a call by closed forms, whose times of messages and kernels are `seconds`.
fn estimated(
    kind: ModelKind,
    call: RoutineCall,
    seconds: Seconds,
    kernel: &(impl Fn(KernelRoutine, [u64; 3]) -> f64 + Sync),
) -> RoutinePrediction {
    let without_messages = HomogeneousMachine { latency: 0.0, element: 0.0, kernel };
    let computing = Seconds::new(without_messages.estimate(&call));
    let alarms = vec![RoutineAlarm::Estimate { call }];
    let space = call.space();
    RoutinePrediction { call, kind, seconds, interval: None, computing, space, alarms }
}

/// The first processors, in the order in which grids take them.
fn placement(processors: &[Processor], processes: u64) -> Placement {
    Placement::new(processors.iter().take(processes as usize).copied())
}

/// The host of a processor; empty if it is unknown.
fn host(model: &Model, processor: Processor) -> &str {
    model.hosts.get(processor.index()).map_or("", String::as_str)
}

/// The processors in the order of the time of a typical product on their hosts, those of unknown
/// load last; in their own order if no host has a load.
fn fastest_first(
    model: &Model,
    choice: &GridChoice,
    mut processors: Vec<Processor>,
) -> Result<Vec<Processor>, KernelPredictError> {
    if choice.availability == Availability::default() {
        return Ok(processors);
    }
    let kernel = measured_kernel(
        model,
        Kernel { precision: choice.routine.precision, routine: KernelRoutine::Gemm },
    );
    if !model.kernels.iter().any(|one| one.model.kernel == kernel) {
        return Ok(processors);
    }
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    for host in processors.iter().map(|processor| host(model, *processor)) {
        let found =
            &kernel_for(model, (kernel, kernel.routine.variants()[0]), host, &choice.kernels)?
                .model;
        let call = KernelCall::new(kernel, found.variant, [TYPICAL; 3]);
        let seconds = call.map_or(0.0, |call| found.seconds(&call));
        times.insert(host, seconds / choice.availability.of(host));
    }
    let time = |processor: &Processor| times.get(host(model, *processor)).copied().unwrap_or(0.0);
    let is_unknown =
        |processor: &Processor| choice.availability.unknown(host(model, *processor)).is_some();
    processors.sort_by(|a, b| is_unknown(a).cmp(&is_unknown(b)).then(time(a).total_cmp(&time(b))));
    Ok(processors)
}

/// The largest factor of the times of kernels on processors, by the availability of their hosts.
fn slowdown(model: &Model, choice: &GridChoice, processors: &[Processor]) -> f64 {
    processors
        .iter()
        .map(|processor| 1.0 / choice.availability.of(host(model, *processor)))
        .fold(1.0, f64::max)
}

/// Times of kernels multiplied by a factor.
fn slowed(
    kernel: &(impl Fn(KernelRoutine, [u64; 3]) -> f64 + Sync),
    factor: f64,
) -> impl Fn(KernelRoutine, [u64; 3]) -> f64 + Sync {
    move |routine, dimensions| factor * kernel(routine, dimensions)
}

/// The times of kernels on the slowest host, for closed forms; infinite for kernels that were not
/// measured.
fn slowest_kernels<'a>(
    model: &'a Model,
    choice: &GridChoice,
    processors: &[Processor],
) -> Result<impl Fn(KernelRoutine, [u64; 3]) -> f64 + Sync + use<'a>, KernelPredictError> {
    let named = processors.iter().filter_map(|processor| model.hosts.get(processor.index()));
    let hosts: BTreeSet<&str> = named.map(String::as_str).collect();
    let of = |routine: KernelRoutine| {
        let kernel =
            measured_kernel(model, Kernel { precision: choice.routine.precision, routine });
        if !model.kernels.iter().any(|one| one.model.kernel == kernel) {
            return Ok(None);
        }
        let on = |host: &&str| {
            kernel_for(model, (kernel, kernel.routine.variants()[0]), host, &choice.kernels)
        };
        let all = hosts
            .iter()
            .map(|host| Ok(&on(host)?.model))
            .collect::<Result<Vec<&KernelModel>, _>>()?;
        let typical = |model: &&KernelModel| {
            KernelCall::new(kernel, model.variant, [TYPICAL; 3])
                .map_or(0.0, |call| model.seconds(&call))
        };
        Ok(all.into_iter().max_by(|a, b| typical(a).total_cmp(&typical(b))))
    };
    let models =
        KernelRoutine::ALL.into_iter().map(of).collect::<Result<Vec<Option<&KernelModel>>, _>>()?;
    Ok(move |routine, dimensions: [u64; 3]| {
        let place = KernelRoutine::ALL.into_iter().position(|one| one == routine);
        let seconds = |model: &KernelModel| {
            let [m, n, _] = dimensions;
            // The triangle of closed forms has the smaller dimension, on whichever side it was
            // measured.
            let dimensions = match routine {
                KernelRoutine::Trsm | KernelRoutine::Trmm if model.variant.starts_with('r') => {
                    [m.max(n), m.min(n), 1]
                }
                KernelRoutine::Trsm | KernelRoutine::Trmm => [m.min(n), m.max(n), 1],
                _ => dimensions,
            };
            let kernel = Kernel { routine, ..model.kernel };
            if kernel == model.kernel {
                let call = KernelCall::new(kernel, model.variant, dimensions);
                return call.map_or(f64::INFINITY, |call| model.seconds(&call));
            }
            let variants = routine.variants();
            let variant =
                variants.iter().find(|variant| **variant == model.variant).unwrap_or(&variants[0]);
            let call = KernelCall::new(kernel, variant, dimensions).ok();
            let call = call.and_then(|call| call.substitute());
            call.map_or(f64::INFINITY, |(call, count)| count as f64 * model.seconds(&call))
        };
        place.and_then(|place| models[place]).map_or(f64::INFINITY, seconds)
    })
}

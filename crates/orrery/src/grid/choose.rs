use crate::kernel::{Kernel, KernelCall, KernelModel, KernelRoutine};
use crate::model::{
    KernelChoice, Model, ModelKind, RoutineAlarm, RoutinePredictError, RoutinePrediction, RoutinePredictor,
};
use crate::routine::{Grid, HomogeneousMachine, Routine, RoutineCall, RoutineProgram};
use crate::units::{Bytes, Seconds};

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
    /// The memory of a process; larger operands are rejected. `None` for no limit.
    pub memory: Option<Bytes>,
    /// Which models of the kernels are meant.
    pub kernels: KernelChoice,
    /// The number of candidates that are predicted by their programs, the best ones by closed forms.
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
}

/// The number of operations of all predicted programs, about; the times of further candidates are those of closed forms.
const MAX_OPERATIONS: f64 = 1e6;

/// The sizes of the messages that determine latency and bandwidth.
const SIZES: [Bytes; 2] = [Bytes::ZERO, Bytes::new(64 << 10)];

/// Chooses the grids on which a routine is fastest: closed forms compare all candidates, programs the best of them.
///
/// # Errors
///
/// When no candidate is left, or when the best ones cannot be predicted.
pub fn choose_grid(model: &Model, kind: ModelKind, choice: &GridChoice) -> Result<ChosenGrids, RoutinePredictError> {
    let mut predictor = RoutinePredictor::new(model, kind)?;
    let kernel = quick_kernels(model, choice);
    let (latency, element) = predictor.mean_message(SIZES, choice.routine.precision.element());
    let machine = HomogeneousMachine { latency, element, kernel: &kernel };
    let (mut candidates, mut rejected) = (Vec::new(), 0);
    for (processes, block) in choice.processes.iter().flat_map(|p| choice.blocks.iter().map(move |block| (*p, *block)))
    {
        for rows in (1..=processes).filter(|rows| processes % rows == 0) {
            let grid = Grid { rows, columns: processes / rows, block };
            let call = RoutineCall::new(choice.routine, choice.variant, choice.dimensions, grid)?;
            if choice.memory.is_some_and(|memory| call.space() > memory) {
                rejected += 1;
            } else {
                candidates.push((machine.estimate(&call), call));
            }
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = candidates.len();
    let mut best: Vec<RoutinePrediction> = Vec::new();
    let mut operations = 0.0;
    let computing = HomogeneousMachine { latency: 0.0, element: 0.0, ..machine };
    for (seconds, call) in candidates.into_iter().take(choice.predicted.max(1)) {
        operations += RoutineProgram::new(&call)?.operations();
        best.push(if operations > MAX_OPERATIONS {
            let (seconds, computing) = (Seconds::new(seconds), Seconds::new(computing.estimate(&call)));
            let (space, alarms) = (call.space(), vec![RoutineAlarm::Estimate { call }]);
            RoutinePrediction { call, kind, seconds, interval: None, computing, space, alarms }
        } else {
            predictor.predict(&call, &choice.kernels)?
        });
    }
    best.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(ChosenGrids { best, candidates: count, rejected })
}

/// The times of kernels on the first host that has them, for closed forms.
fn quick_kernels(model: &Model, choice: &GridChoice) -> impl Fn(KernelRoutine, [u64; 3]) -> f64 + Sync {
    let of = |routine| {
        let kernel = Kernel { precision: choice.routine.precision, routine };
        let host = choice.kernels.host.as_deref();
        let known = model.kernels.iter().filter(|one| host.is_none_or(|wanted| one.stands_for(wanted)));
        known.map(|one| &one.model).find(|one| one.kernel == kernel)
    };
    let models: Vec<Option<&KernelModel>> = KernelRoutine::ALL.into_iter().map(of).collect();
    move |routine, dimensions| {
        let place = KernelRoutine::ALL.into_iter().position(|one| one == routine);
        let model = place.and_then(|place| models[place]);
        let seconds = model.and_then(|model| {
            let call = KernelCall::new(model.kernel, model.variant, dimensions).ok()?;
            Some(model.seconds(&call))
        });
        seconds.unwrap_or(0.0)
    }
}

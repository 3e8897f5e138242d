use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_models::comm::Predicted;
use orrery_models::model::{
    Availability, KernelChoice, Model, ModelKind, RoutineAlarm, RoutinePredictError,
    RoutinePrediction, RoutinePredictor,
};
use orrery_program::routine::{Grid, Layout, ProcessGrid, Redistribution, Routine, RoutineCall};
use orrery_program::schedule::Rank;

/// A matrix that is on a grid of some processors, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedMatrix {
    /// The grid.
    pub grid: Grid,
    /// Its processors.
    pub processors: Vec<Processor>,
}

/// The question where to multiply two matrices that are on different grids.
#[derive(Debug, Clone)]
pub struct PlanChoice {
    /// The routine, a product.
    pub routine: Routine,
    /// The dimensions m, n and k.
    pub dimensions: [u64; 3],
    /// The first operand.
    pub a: PlacedMatrix,
    /// The second operand.
    pub b: PlacedMatrix,
    /// The memory of a process; plans that need more are rejected. `None` for the memory of the
    /// hosts, where the model has it: both operands and their copies count.
    pub memory: Option<Bytes>,
    /// Which models of the kernels are meant.
    pub kernels: KernelChoice,
    /// The part of a processor that other programs leave to processes, by host.
    pub availability: Availability,
}

/// Where the product is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanKind {
    /// On the grid of the first operand, to which the second one is redistributed.
    OnFirst,
    /// On the grid of the second operand, to which the first one is redistributed.
    OnSecond,
    /// On a grid of all processors, to which both are redistributed.
    OnAll,
}

/// A plan with its predicted times.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Where the product is computed.
    pub kind: PlanKind,
    /// The time of the redistributions, one after the other.
    pub redistribution: Seconds,
    /// The product; its alarms contain those of the redistributions.
    pub product: RoutinePrediction,
    /// The number of bytes in messages of the redistributions.
    pub volume: Bytes,
    /// The interval of the whole time; `None` if the parameters have none.
    pub interval: Option<(Seconds, Seconds)>,
}

impl Plan {
    /// The time of the redistributions and the product.
    pub fn seconds(&self) -> Seconds {
        self.redistribution + self.product.seconds
    }
}

/// The plans, and the number of those that exceed the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Plans {
    /// The plans, the fastest first.
    pub plans: Vec<Plan>,
    /// The number of plans whose operands exceed the memory.
    pub rejected: usize,
}

/// Compares the plans: on one of both grids, or on each grid of all processors; redistributions are
/// those of `pdgemr2d`.
///
/// Source: E. Caron and F. Suter, *Parallel extension of a dynamic performance forecasting tool*,
/// 2002, section 5.2.
///
/// # Errors
///
/// When a plan cannot be predicted, such as without models of kernels.
pub fn choose_plan(
    model: &Model,
    kind: ModelKind,
    choice: &PlanChoice,
) -> Result<Plans, RoutinePredictError> {
    let mut predictor =
        RoutinePredictor::new(model, kind)?.with_availability(choice.availability.clone());
    let all: Vec<Processor> =
        choice.a.processors.iter().chain(&choice.b.processors).copied().collect();
    let block = choice.a.grid.block;
    let on_all = (1..=all.len() as u32)
        .filter(|rows| (all.len() as u32).is_multiple_of(*rows))
        .map(|rows| {
            let grid = Grid { rows, columns: all.len() as u32 / rows, block };
            (PlanKind::OnAll, PlacedMatrix { grid, processors: all.clone() })
        });
    let on_one = [(PlanKind::OnFirst, choice.a.clone()), (PlanKind::OnSecond, choice.b.clone())];
    let mut found = Plans { plans: Vec::new(), rejected: 0 };
    for (kind, target) in on_one.into_iter().chain(on_all) {
        let variant = choice.routine.kind.variants()[0];
        let call = RoutineCall::new(choice.routine, variant, choice.dimensions, target.grid)?;
        let [m, n, k] = choice.dimensions;
        let moves = [(&choice.a, (m, k)), (&choice.b, (k, n))];
        let element = choice.routine.precision.element();
        let exceeds = match choice.memory {
            Some(memory) => call.space() > memory,
            None => {
                let mut needed = model.routine_memory(&call, &target.processors);
                for (matrix, shape) in moves.into_iter().filter(|(matrix, _)| **matrix != target) {
                    model.add_matrix(&mut needed, &layout(matrix, shape)?, element);
                }
                model.excess(&needed).is_some()
            }
        };
        if exceeds {
            found.rejected += 1;
            continue;
        }
        let placement = Placement::new(target.processors.iter().copied());
        let mut product = predictor.predict_on(&call, &placement, &choice.kernels)?;
        if choice.memory.is_some() {
            product.alarms.retain(|alarm| !matches!(alarm, RoutineAlarm::Memory(_)));
        }
        let (mut redistribution, mut volume) = (Seconds::ZERO, Bytes::ZERO);
        let mut half_widths = Some((0.0_f64, 0.0_f64));
        for (matrix, shape) in moves.into_iter().filter(|(matrix, _)| **matrix != target) {
            let moved =
                Redistribution::new(layout(matrix, shape)?, layout(&target, shape)?, element)?;
            let predicted = predictor.predict_steps(&moved.caterpillar())?;
            redistribution += predicted.seconds;
            volume = volume + moved.volume();
            product.alarms.extend(predictor.size_alarm(moved.messages().map(|(.., size)| size)));
            half_widths = half_widths
                .zip(half_widths_of(&predicted))
                .map(|(one, other)| (one.0 + other.0, one.1 + other.1));
        }
        let total = redistribution.get() + product.seconds.get();
        let interval = half_widths.zip(product.interval).map(|((below, above), (low, high))| {
            let (below, above) = (
                below.hypot(product.seconds.get() - low.get()),
                above.hypot(high.get() - product.seconds.get()),
            );
            (Seconds::new((total - below).max(0.0)), Seconds::new(total + above))
        });
        found.plans.push(Plan { kind, redistribution, product, volume, interval });
    }
    found.plans.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    Ok(found)
}

/// The widths of the interval of a time below and above its value \[s\]; `None` without interval.
fn half_widths_of(predicted: &Predicted) -> Option<(f64, f64)> {
    let (low, high) = predicted.interval?;
    Some((predicted.seconds.get() - low.get(), high.get() - predicted.seconds.get()))
}

/// The layout of a matrix on its grid; ranks have the numbers of processors.
fn layout(matrix: &PlacedMatrix, shape: (u64, u64)) -> Result<Layout, RoutinePredictError> {
    let Grid { rows, columns, block } = matrix.grid;
    let ranks = matrix.processors.iter().map(|processor| Rank(processor.0)).collect();
    let grid = ProcessGrid::with_ranks(rows, columns, ranks).map_err(RoutinePredictError::from)?;
    Layout::new(grid, shape, (block, block)).map_err(RoutinePredictError::from)
}

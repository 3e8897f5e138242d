use std::collections::BTreeSet;

use super::stage::{Communication, Order, Process, Stage};
use super::stages::{MAX_STAGES, PANEL, Stages};
use super::{Grid, RoutineCall, RoutineError, RoutineKind, factorization, gemm, qr, syrk, trsm};
use crate::kernel::{Kernel, KernelCall, KernelRoutine, Precision};
use crate::schedule::{Algorithm, CollectiveKind, Cursor, Operation, Rank, Schedule};
use orrery_base::units::{Bytes, Seconds};

/// The algorithms of the collective operations within rows and columns of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutineCollectives {
    /// The broadcast along a ring, which PBLAS uses for panels: one chain through all processes.
    pub ring: Algorithm,
    /// The broadcasts of the MPI library, which ScaLAPACK uses for small messages.
    pub broadcast: Algorithm,
    /// The sum of parts at one process (`MPI_Reduce`).
    pub reduce: Algorithm,
    /// The sum of parts at all processes (`MPI_Allreduce`).
    pub allreduce: Algorithm,
}

impl Default for RoutineCollectives {
    fn default() -> Self {
        Self {
            ring: Algorithm::Pipeline(Bytes::ZERO),
            broadcast: Algorithm::Binomial,
            reduce: Algorithm::Binomial,
            allreduce: Algorithm::RecursiveDoubling,
        }
    }
}

/// The times of kernels on the processes of a routine.
pub trait KernelTimes {
    /// The time of a call at a rank.
    fn seconds(&self, rank: Rank, call: &KernelCall) -> Seconds;
}

impl<F: Fn(Rank, &KernelCall) -> Seconds> KernelTimes for F {
    fn seconds(&self, rank: Rank, call: &KernelCall) -> Seconds {
        self(rank, call)
    }
}

/// What each process of a grid does in a call of a parallel routine: calls of kernels, and
/// messages.
///
/// Process (i, j) has the rank i·q + j. [`RoutineProgram::schedule`] is the schedule for given
/// times of kernels. Panels are 32 columns wide, as PBLAS has them, and most of them go along
/// rings. Copies of local data are left out.
///
/// Source: ScaLAPACK 2.2, `PBLAS/SRC` and `SRC`.
///
/// ```
/// use orrery_program::kernel::KernelCall;
/// use orrery_program::routine::{Grid, RoutineCall, RoutineProgram};
/// use orrery_program::schedule::{Operation, Rank, Transfer, operations};
/// use orrery_base::units::Seconds;
/// let grid = Grid { rows: 2, columns: 2, block: 64 };
/// let call = RoutineCall::new("pdgemm".parse()?, "nn", [128; 3], grid)?;
/// let program = RoutineProgram::new(&call)?;
/// let times = |_: Rank, call: &KernelCall| Seconds::new(1e-9 * call.operations());
/// let schedule = program.schedule(&times);
/// // Four panels of 32 columns; the process has two of A and two of B, 64 rows of each, and sends them to its neighbours.
/// let sent = operations(&schedule, Rank(0)).filter_map(|operation| match operation {
///     Operation::Do(Transfer::Send { size, .. }) => Some(size.get()),
///     _ => None,
/// });
/// assert_eq!(sent.collect::<Vec<_>>(), [64 * 32 * 8; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RoutineProgram {
    pub(super) grid: Grid,
    precision: Precision,
    pub(super) collectives: RoutineCollectives,
    stages: Vec<Stage>,
}

impl RoutineProgram {
    /// The program of a call with the usual collective operations.
    ///
    /// # Errors
    ///
    /// When the call takes too many steps.
    pub fn new(call: &RoutineCall) -> Result<Self, RoutineError> {
        let routine = call.routine();
        let [m, n, k] = call.dimensions();
        let grid = call.grid();
        let too_many = || RoutineError::Steps { routine, most: MAX_STAGES };
        // Each panel takes at least a step.
        let has_column_steps = matches!(routine.kind, RoutineKind::Getrf | RoutineKind::Geqrf);
        let panel = if has_column_steps { 1 } else { PANEL.min(grid.block) };
        if m.max(n).max(k).div_ceil(panel) > MAX_STAGES {
            return Err(too_many());
        }
        let mut stages = Stages::new(grid);
        match routine.kind {
            RoutineKind::Gemm => gemm::product(&mut stages, call),
            RoutineKind::Trsm => trsm::solve(&mut stages, call),
            RoutineKind::Syrk => syrk::product(&mut stages, call),
            RoutineKind::Getrf => factorization::lu(&mut stages, [m, n]),
            RoutineKind::Geqrf => qr::qr(&mut stages, [m, n]),
            RoutineKind::Potrf => factorization::cholesky(&mut stages, call.variant(), n),
        }
        let collectives = RoutineCollectives::default();
        let stages = stages.finish().ok_or_else(too_many)?;
        Ok(Self { grid, precision: routine.precision, collectives, stages })
    }

    /// Returns the program with these algorithms of collective operations.
    #[must_use]
    pub fn with_collectives(self, collectives: RoutineCollectives) -> Self {
        Self { collectives, ..self }
    }

    /// The schedule with these times of kernels.
    pub fn schedule<'a, T: KernelTimes + ?Sized>(&'a self, times: &'a T) -> TimedRoutine<'a, T> {
        TimedRoutine { program: self, times }
    }

    /// The number of processes.
    pub fn ranks(&self) -> usize {
        self.grid.processes() as usize
    }

    /// The approximate number of operations of all ranks together.
    pub fn operations(&self) -> f64 {
        let segment = self.collectives.ring.segment();
        let further_segments = |stage: &Stage| match stage {
            Stage::Broadcast { message, .. } if segment > Bytes::ZERO => {
                let size = self.size(message, self.process(Rank(0))).unwrap_or(Bytes::ZERO);
                (size.get() / segment.get()) as f64
            }
            _ => 0.0,
        };
        let steps = self.stages.iter().map(|stage| 1.0 + further_segments(stage)).sum::<f64>();
        2.0 * steps * self.grid.processes() as f64
    }

    /// The kernels of the program with their variants.
    pub fn kernels(&self) -> BTreeSet<(Kernel, &'static str)> {
        let of = |stage: &Stage| match stage {
            Stage::Kernel { routine, variant, .. } => Some((self.kernel(*routine), *variant)),
            _ => None,
        };
        self.stages.iter().filter_map(of).collect()
    }

    /// The calls of kernels at a rank in order, each with the number of times in a row.
    pub fn calls(&self, rank: Rank) -> impl Iterator<Item = (KernelCall, u64)> + '_ {
        let process = self.process(rank);
        self.stages.iter().filter_map(move |stage| self.call(stage, process))
    }

    /// The collective operations of the MPI library that a rank takes part in, in order: the
    /// operation, and the size of its vector.
    pub fn native_collectives(
        &self,
        rank: Rank,
    ) -> impl Iterator<Item = (CollectiveKind, Bytes)> + '_ {
        let process = self.process(rank);
        self.stages.iter().filter_map(move |stage| {
            let (kind, message) = match stage {
                Stage::Broadcast { message, order: Order::Native, .. } => {
                    (CollectiveKind::Broadcast, message)
                }
                Stage::Sum { message, root: Some(_) } => (CollectiveKind::Reduce, message),
                Stage::Sum { message, root: None } => (CollectiveKind::Allreduce, message),
                _ => return None,
            };
            Some((kind, self.size(message, process)?))
        })
    }

    /// The row and the column of a rank in the grid.
    fn process(&self, rank: Rank) -> Process {
        Process { row: rank.0 / self.grid.columns, column: rank.0 % self.grid.columns }
    }

    /// The rank of a process.
    pub(super) fn rank(&self, process: Process) -> Rank {
        Rank(process.row * self.grid.columns + process.column)
    }

    /// The kernel of a routine in the precision of the program.
    fn kernel(&self, routine: KernelRoutine) -> Kernel {
        Kernel { precision: self.precision, routine }
    }

    /// The call of a kernel at a process and how often it is made; `None` if the process has
    /// nothing to compute, or the stage is no call.
    fn call(&self, stage: &Stage, process: Process) -> Option<(KernelCall, u64)> {
        let Stage::Kernel { routine, variant, dimensions, count, place } = stage else {
            return None;
        };
        let own = dimensions.each_ref().map(|local| local.count(self.grid, process));
        let count = count.count(self.grid, process);
        let has_work = place.contains(process) && count > 0 && !own.contains(&0);
        let call = has_work
            .then(|| KernelCall::new(self.kernel(*routine), variant, own).ok())
            .flatten()?;
        Some((call, count))
    }

    /// The size of a message of this number of rows and columns.
    pub(super) fn bytes(&self, [rows, columns]: [u64; 2]) -> Bytes {
        Bytes::new(rows * columns * self.precision.element().get())
    }

    /// The size of a message of a process; `None` if it does not take part or has no elements.
    pub(super) fn size(&self, message: &Communication, process: Process) -> Option<Bytes> {
        let size = self.bytes(message.size.each_ref().map(|local| local.count(self.grid, process)));
        (size > Bytes::ZERO && message.place.contains(process)).then_some(size)
    }
}

/// The program of a routine with times of its kernels ([`RoutineProgram::schedule`]).
#[derive(Debug)]
pub struct TimedRoutine<'a, T: ?Sized> {
    program: &'a RoutineProgram,
    times: &'a T,
}

impl<T: KernelTimes + ?Sized> Schedule for TimedRoutine<'_, T> {
    fn ranks(&self) -> usize {
        self.program.grid.processes() as usize
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let process = self.program.process(rank);
        loop {
            let stage = self.program.stages.get(cursor.statement as usize)?;
            let operation = match stage {
                Stage::Kernel { .. } if cursor.advance() > 0 => None,
                Stage::Kernel { .. } => self.program.call(stage, process).map(|(call, count)| {
                    Operation::Compute(Seconds::new(
                        count as f64 * self.times.seconds(rank, &call).get(),
                    ))
                }),
                _ => self.program.transfer(stage, process, cursor),
            };
            if operation.is_some() {
                return operation;
            }
            *cursor = Cursor { statement: cursor.statement + 1, step: 0 };
        }
    }
}

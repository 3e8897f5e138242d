use std::collections::BTreeSet;

use super::call::MAX_STAGES;
use super::stage::{Axis, Communication, Order, Process, Stage};
use super::stages::{PANEL, Stages};
use super::{Grid, RoutineCall, RoutineError, RoutineKind, factorization, gemm, syrk, trsm};
use crate::kernel::{Kernel, KernelCall, KernelRoutine, Precision};
use crate::schedule::{
    Algorithm, Collective, CollectiveKind, Cursor, Operation, Rank, Request, Schedule, Tag, Transfer,
};
use crate::units::{Bytes, Seconds};

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

/// What each process of a grid does in a call of a parallel routine: calls of kernels, and messages.
///
/// Process (i, j) has the rank i·q + j. [`RoutineProgram::schedule`] is the schedule for given times of kernels. Panels are 32
/// columns wide, as PBLAS has them, and most of them go along rings. Copies of local data are left out.
///
/// Source: ScaLAPACK 2.2, `PBLAS/SRC` and `SRC`.
///
/// ```
/// use orrery::kernel::KernelCall;
/// use orrery::routine::{Grid, RoutineCall, RoutineProgram};
/// use orrery::schedule::{Operation, Rank, Transfer, operations};
/// use orrery::units::Seconds;
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
    grid: Grid,
    precision: Precision,
    collectives: RoutineCollectives,
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
        let blocks = n.div_ceil(grid.block);
        let steps = match routine.kind {
            RoutineKind::Gemm => 8 * m.max(n).max(k).div_ceil(PANEL.min(grid.block)),
            RoutineKind::Trsm => 8 * m.max(n).div_ceil(PANEL.min(grid.block)) * (1 + m.max(n).div_ceil(grid.block)),
            RoutineKind::Syrk => 4 * n.div_ceil(PANEL.min(grid.block)),
            RoutineKind::Getrf => 8 * m.min(n),
            RoutineKind::Potrf => n + blocks.saturating_mul(2 * blocks),
        };
        if steps > MAX_STAGES {
            return Err(RoutineError::Steps { routine, steps });
        }
        let mut stages = Stages { grid, stages: Vec::new() };
        match routine.kind {
            RoutineKind::Gemm => gemm::product(&mut stages, call),
            RoutineKind::Trsm => trsm::solve(&mut stages, call),
            RoutineKind::Syrk => syrk::product(&mut stages, call),
            RoutineKind::Getrf => factorization::lu(&mut stages, [m, n]),
            RoutineKind::Potrf => factorization::cholesky(&mut stages, call.variant(), n),
        }
        let collectives = RoutineCollectives::default();
        Ok(Self { grid, precision: routine.precision, collectives, stages: stages.stages })
    }

    /// Returns the program with other collective operations.
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

    /// The number of operations of all ranks, about.
    pub(super) fn operations(&self) -> f64 {
        2.0 * self.stages.len() as f64 * self.grid.processes() as f64
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

    /// The collective operations of the MPI library that a rank takes part in, in order: the operation, and the size of its vector.
    pub fn native_collectives(&self, rank: Rank) -> impl Iterator<Item = (CollectiveKind, Bytes)> + '_ {
        let process = self.process(rank);
        self.stages.iter().filter_map(move |stage| {
            let (kind, message) = match stage {
                Stage::Broadcast { message, order: Order::Native, .. } => (CollectiveKind::Broadcast, message),
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
    fn rank(&self, process: Process) -> Rank {
        Rank(process.row * self.grid.columns + process.column)
    }

    fn kernel(&self, routine: KernelRoutine) -> Kernel {
        Kernel { precision: self.precision, routine }
    }

    /// The call of a kernel at a process with its number; `None` if it has nothing to compute.
    fn call(&self, stage: &Stage, process: Process) -> Option<(KernelCall, u64)> {
        let Stage::Kernel { routine, variant, dimensions, count, place } = stage else { return None };
        let own = dimensions.each_ref().map(|local| local.count(self.grid, process));
        let count = count.count(self.grid, process);
        let has_work = place.contains(process) && count > 0 && !own.contains(&0);
        let call = has_work.then(|| KernelCall::new(self.kernel(*routine), variant, own).ok()).flatten()?;
        Some((call, count))
    }

    /// The number of rows or columns of a message at a process.
    fn bytes(&self, [rows, columns]: [u64; 2]) -> Bytes {
        Bytes::new(rows * columns * self.precision.element().get())
    }

    /// The size of a message of a process; `None` if it has none.
    fn size(&self, message: &Communication, process: Process) -> Option<Bytes> {
        let size = self.bytes(message.size.each_ref().map(|local| local.count(self.grid, process)));
        (size > Bytes::ZERO && message.place.contains(process)).then_some(size)
    }

    /// An operation of a communication of a process; `None` after the last one.
    fn transfer(&self, stage: &Stage, process: Process, cursor: &mut Cursor) -> Option<Operation> {
        match stage {
            Stage::Kernel { .. } => None,
            Stage::Broadcast { message, root, order } => {
                let size = self.size(message, process)?;
                let algorithm = match order {
                    Order::Native => self.collectives.broadcast,
                    Order::Split => Algorithm::Chain(2, Bytes::ZERO),
                    Order::Increasing | Order::Decreasing => self.collectives.ring,
                };
                self.collective(
                    (CollectiveKind::Broadcast, algorithm, size),
                    (message.along, *root),
                    *order,
                    process,
                    cursor,
                )
            }
            Stage::Sum { message, root } => {
                let size = self.size(message, process)?;
                let (kind, algorithm) = match root {
                    Some(_) => (CollectiveKind::Reduce, self.collectives.reduce),
                    None => (CollectiveKind::Allreduce, self.collectives.allreduce),
                };
                let root = (message.along, root.unwrap_or(0));
                self.collective((kind, algorithm, size), root, Order::Native, process, cursor)
            }
            Stage::Send { message, from, to } => {
                let (size, own) = (self.size(message, process)?, process.coordinate(message.along));
                let rank = |other| self.rank(process.with(message.along, other));
                match cursor.advance() {
                    0 if own == *from => Some(Operation::send(rank(*to), size)),
                    0 if own == *to => Some(Operation::receive(rank(*from), size)),
                    _ => None,
                }
            }
            Stage::Exchange { message, between } => {
                let (size, own) = (self.size(message, process)?, process.coordinate(message.along));
                let other = match *between {
                    [one, other] if one == own => other,
                    [one, other] if other == own => one,
                    _ => return None,
                };
                let other = self.rank(process.with(message.along, other));
                match cursor.advance() {
                    0 => Some(Operation::Post(Transfer::Send { to: other, size, tag: Tag(0) }, Request(0))),
                    1 => Some(Operation::receive(other, size)),
                    2 => Some(Operation::Wait(Request(0))),
                    _ => None,
                }
            }
            Stage::Spread { message, from } => {
                let at = |other| process.with(message.along, other);
                if process.coordinate(message.along) != *from {
                    let size = self.size(message, process).filter(|_| cursor.advance() == 0)?;
                    return Some(Operation::receive(self.rank(at(*from)), size));
                }
                let transfer = |other: u32| {
                    let size = self.size(message, at(other)).filter(|_| other != *from)?;
                    Some(Transfer::Send { to: self.rank(at(other)), size, tag: Tag(0) })
                };
                posted(&transfer, self.grid.along(message.along), cursor)
            }
            Stage::Combine { message, root } => {
                let size = self.size(message, process)?;
                let operation = (CollectiveKind::Reduce, Algorithm::Binomial, size);
                self.collective(operation, (message.along, *root), Order::Native, process, cursor)
            }
            Stage::Mirror { message } => {
                let other = Process { row: process.column, column: process.row };
                if other == process {
                    return None;
                }
                let (sent, received) = (self.size(message, process), self.size(message, other));
                let send = sent.map(|size| Transfer::Send { to: self.rank(other), size, tag: Tag(0) });
                let receive = received.map(|size| Operation::receive(self.rank(other), size));
                let all = [
                    send.map(|send| Operation::Post(send, Request(0))),
                    receive,
                    send.map(|_| Operation::Wait(Request(0))),
                ];
                std::iter::from_fn(|| all.get(cursor.advance()).copied()).flatten().next()
            }
            Stage::Transpose { axis, .. } => {
                let (one, other) = (self.grid.along(*axis), self.grid.along(axis.other()));
                let places = one / gcd(one, other) * other;
                posted(&|place| self.turned(stage, process, place), places, cursor)
            }
        }
    }

    /// The transfer of a process in a place of the order of a [`Stage::Transpose`]; `None` if it has none.
    fn turned(&self, stage: &Stage, process: Process, place: u32) -> Option<Transfer> {
        let Stage::Transpose { axis, range, width, at, to, is_replicated } = stage else { return None };
        let (one, other) = (self.grid.along(*axis), self.grid.along(axis.other()));
        // Blocks with this number modulo the least common multiple.
        let first = range.start / self.grid.block;
        let block = first + u64::from(place);
        let (from, target) = ((block % u64::from(one)) as u32, (block % u64::from(other)) as u32);
        let of = |along, across| Process { row: 0, column: 0 }.with(*axis, along).with(axis.other(), across);
        let (sender, receiver) = (of(from, *at), of(*to, target));
        let count = self.grid.common(range.clone(), block, one / gcd(one, other) * other);
        if sender == receiver || count == 0 || *is_replicated && from == *to {
            return None;
        }
        let size = self.bytes([count, *width]);
        if process == sender {
            Some(Transfer::Send { to: self.rank(receiver), size, tag: Tag(0) })
        } else {
            (process == receiver).then(|| Transfer::Receive { from: self.rank(sender), size, tag: Tag(0) })
        }
    }

    /// An operation of a collective operation among the processes along a direction.
    fn collective(
        &self,
        (kind, algorithm, block): (CollectiveKind, Algorithm, Bytes),
        (along, root): (Axis, u32),
        order: Order,
        process: Process,
        cursor: &mut Cursor,
    ) -> Option<Operation> {
        let ranks = self.grid.along(along);
        let number = Numbering { ranks, root, order };
        let collective = Collective { kind, algorithm, root: Rank(number.of(root)), ranks: ranks as usize, block };
        let own = Rank(number.of(process.coordinate(along)));
        let operation = collective.next(own, cursor)?;
        Some(operation.map_ranks(|peer| self.rank(process.with(along, number.coordinate(peer.0)))))
    }
}

/// The ranks of a collective operation among the processes of a row or column of a grid.
struct Numbering {
    ranks: u32,
    root: u32,
    order: Order,
}

impl Numbering {
    /// The rank of a coordinate. The mapping is its own inverse.
    fn of(&self, coordinate: u32) -> u32 {
        match self.order {
            Order::Increasing | Order::Native => coordinate,
            Order::Decreasing => self.ranks - 1 - coordinate,
            Order::Split => {
                // The second chain begins at the last process.
                let distance = (self.ranks + coordinate - self.root) % self.ranks;
                let middle = self.ranks / 2;
                let mirrored = if distance > middle { self.ranks + middle - distance } else { distance };
                (self.root + mirrored) % self.ranks
            }
        }
    }

    /// The coordinate of a rank.
    fn coordinate(&self, rank: u32) -> u32 {
        self.of(rank)
    }
}

/// Posts the sends of some places and receives in order, then waits for the sends.
fn posted(transfer: &dyn Fn(u32) -> Option<Transfer>, places: u32, cursor: &mut Cursor) -> Option<Operation> {
    while cursor.step < 2 * places {
        let step = cursor.advance() as u32;
        match transfer(step % places) {
            Some(send @ Transfer::Send { .. }) if step < places => return Some(Operation::Post(send, Request(step))),
            Some(Transfer::Send { .. }) => return Some(Operation::Wait(Request(step - places))),
            Some(receive) if step < places => return Some(Operation::Do(receive)),
            _ => {}
        }
    }
    None
}

/// The greatest common divisor.
fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
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
                    Operation::Compute(Seconds::new(count as f64 * self.times.seconds(rank, &call).get()))
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

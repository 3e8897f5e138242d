//! Steps that bring panels of matrices to the processes that need them, as the tools of PBLAS do.

use std::ops::Range;

use super::Grid;
use super::stage::{Axis, Communication, Local, Order, Orders, Place, Process, Stage};
use crate::kernel::KernelRoutine;

/// The number of columns of a panel (`pilaenv` of PBLAS).
pub(super) const PANEL: u64 = 32;

/// Some rows or columns of a matrix: indices `range` distributed along `axis`, at the processes
/// with the coordinate `at` in the other direction, each with `width` elements across.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Panel {
    pub(super) axis: Axis,
    pub(super) range: Range<u64>,
    pub(super) width: u64,
    pub(super) at: u32,
}

impl Panel {
    /// The rows and the columns that a process has if they are distributed along a direction.
    fn size(&self, axis: Axis) -> [Local; 2] {
        [Local::Part(axis, self.range.clone()), Local::All(self.width)]
    }
}

/// The steps of a routine while they are written.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) grid: Grid,
    stages: Vec<Stage>,
}

/// The largest number of steps of a program.
pub(super) const MAX_STAGES: u64 = 1 << 21;

impl Stages {
    /// No steps yet.
    pub(super) fn new(grid: Grid) -> Self {
        Self { grid, stages: Vec::new() }
    }

    /// Adds a step, unless there are too many already.
    pub(super) fn push(&mut self, stage: Stage) {
        if !self.are_too_many() {
            self.stages.push(stage);
        }
    }

    /// Returns true if there are more than [`MAX_STAGES`] steps; then the program is given up.
    pub(super) fn are_too_many(&self) -> bool {
        self.stages.len() as u64 > MAX_STAGES
    }

    /// The steps; `None` if there are too many.
    pub(super) fn finish(self) -> Option<Vec<Stage>> {
        (!self.are_too_many()).then_some(self.stages)
    }

    /// Adds a call of a kernel.
    pub(super) fn kernel(
        &mut self,
        routine: KernelRoutine,
        variant: &'static str,
        dimensions: [Local; 3],
        place: Place,
    ) {
        self.kernels(routine, variant, dimensions, Local::All(1), place);
    }

    /// Adds several calls of a kernel.
    pub(super) fn kernels(
        &mut self,
        routine: KernelRoutine,
        variant: &'static str,
        dimensions: [Local; 3],
        count: Local,
        place: Place,
    ) {
        self.push(Stage::Kernel { routine, variant, dimensions, count, place });
    }

    /// The coordinate along a direction of the process that has an index.
    pub(super) fn owner(&self, axis: Axis, index: u64) -> u32 {
        self.grid.owner(index, self.grid.along(axis))
    }

    /// The process that has the element on the diagonal with an index.
    pub(super) fn process(&self, index: u64) -> Process {
        Process { row: self.owner(Axis::Rows, index), column: self.owner(Axis::Columns, index) }
    }

    /// Returns true if a range is in more than one block.
    pub(super) fn spans(&self, range: &Range<u64>) -> bool {
        range.end > (range.start / self.grid.block + 1) * self.grid.block
    }

    /// Replicates a panel over the processes that have the indices `over` in the other direction
    /// (`PB_CInV` of PBLAS): a broadcast, or a message if only one process has them.
    pub(super) fn replicate(&mut self, panel: &Panel, over: &Range<u64>, orders: Orders) {
        let along = panel.axis.other();
        if self.grid.along(along) == 1 || over.is_empty() || panel.range.is_empty() {
            return;
        }
        let message = Communication { along, size: panel.size(panel.axis), place: Place::ALL };
        if self.spans(over) {
            self.push(Stage::Broadcast { message, root: panel.at, order: orders.along(along) });
        } else {
            self.send(message, panel.at, self.owner(along, over.start));
        }
    }

    /// Distributes a panel along the other direction, and replicates it over the processes that
    /// have the indices `over` in its own direction.
    pub(super) fn turn(&mut self, panel: &Panel, over: &Range<u64>, orders: Orders) {
        if over.is_empty() || panel.range.is_empty() {
            return;
        }
        let axis = panel.axis;
        let is_replicated = self.spans(over);
        let is_distributed = self.grid.along(axis) > 1;
        let to = match (is_replicated, is_distributed && self.grid.along(axis.other()) > 1) {
            (true, true) => Some(self.owner(axis, panel.range.start)),
            (true, false) => None,
            (false, _) => Some(self.owner(axis, over.start)),
        };
        self.turn_to(panel, to);
        if let Some(root) = to.filter(|_| is_replicated) {
            let message =
                Communication { along: axis, size: panel.size(axis.other()), place: Place::ALL };
            self.push(Stage::Broadcast { message, root, order: orders.along(axis) });
        }
    }

    /// Distributes a panel along the other direction, at the processes with a coordinate in its own
    /// direction, or at all of them if only its own direction has several processes (`PB_Cpaxpby`
    /// of PBLAS).
    pub(super) fn turn_to(&mut self, panel: &Panel, to: Option<u32>) {
        let Panel { axis, range, width, at } = panel.clone();
        let other = axis.other();
        match (self.grid.along(axis) > 1, self.grid.along(other) > 1) {
            (false, false) => {}
            (false, true) => {
                let message =
                    Communication { along: other, size: panel.size(other), place: Place::ALL };
                self.push(Stage::Spread { message, from: at });
            }
            (true, false) => {
                let size = [Local::All(range.end - range.start), Local::All(width)];
                let message = Communication { along: axis, size, place: Place::ALL };
                self.push(Stage::Sum { message, root: to });
            }
            (true, true) => {
                let to = to.unwrap_or_else(|| self.owner(axis, range.start));
                self.push(Stage::Transpose { axis, range, width, at, to, is_replicated: false });
            }
        }
    }

    /// Distributes a panel that is replicated over the processes in the other direction along that
    /// direction, and replicates it over those in its own one.
    pub(super) fn turn_replicated(&mut self, panel: &Panel, over: &Range<u64>, orders: Orders) {
        let Panel { axis, range, width, .. } = panel.clone();
        let other = axis.other();
        if self.grid.along(axis) == 1 || range.is_empty() {
            return;
        }
        if self.grid.along(other) == 1 || !self.spans(over) {
            return self.turn(panel, over, orders);
        }
        if self.grid.rows == self.grid.columns {
            let message = Communication { along: axis, size: panel.size(axis), place: Place::ALL };
            self.push(Stage::Mirror { message });
            return;
        }
        let (at, to) = (self.owner(other, range.start), self.owner(axis, range.start));
        self.push(Stage::Transpose { axis, range, width, at, to, is_replicated: true });
        let message = Communication { along: axis, size: panel.size(other), place: Place::ALL };
        self.push(Stage::Broadcast { message, root: to, order: orders.along(axis) });
    }

    /// Adds up parts of a panel over the processes that have the indices `over` in the other
    /// direction, at the process `panel.at`.
    pub(super) fn sum(&mut self, panel: &Panel, over: &Range<u64>) {
        let along = panel.axis.other();
        if self.grid.along(along) == 1 || over.is_empty() || panel.range.is_empty() {
            return;
        }
        let message = Communication { along, size: panel.size(panel.axis), place: Place::ALL };
        if self.spans(over) {
            self.push(Stage::Sum { message, root: Some(panel.at) });
        } else {
            self.send(message, self.owner(along, over.start), panel.at);
        }
    }

    /// Sends a panel from the processes with the coordinate `from` in the other direction to those
    /// with the coordinate `to`.
    pub(super) fn forward(&mut self, panel: &Panel, from: u32, to: u32) {
        let message = Communication {
            along: panel.axis.other(),
            size: panel.size(panel.axis),
            place: Place::ALL,
        };
        self.send(message, from, to);
    }

    /// Adds a broadcast, if there are several processes.
    pub(super) fn broadcast(
        &mut self,
        along: Axis,
        size: [Local; 2],
        root: u32,
        order: Order,
        place: Place,
    ) {
        if self.grid.along(along) > 1 {
            self.push(Stage::Broadcast {
                message: Communication { along, size, place },
                root,
                order,
            });
        }
    }

    /// Adds a message, if its ends differ.
    fn send(&mut self, message: Communication, from: u32, to: u32) {
        if from != to {
            self.push(Stage::Send { message, from, to });
        }
    }
}

//! Triangular solves, as PBLAS computes them: `pdtrsm_.c`, `PB_CptrsmAB.c`, `PB_CptrsmB.c`.

use std::ops::Range;

use super::gemm::{COMBINE_RATIO, largest_part, widths};
use super::stage::{Axis, Local, Order, Orders, Place};
use super::stages::{PANEL, Panel, Stages};
use super::{Grid, RoutineCall};
use crate::kernel::KernelRoutine;

/// A system with a triangular matrix.
#[derive(Debug, Clone)]
pub(super) struct Triangular {
    /// The direction in which the dimension of the triangle is distributed in B: rows if the
    /// triangle is on the left.
    pub(super) axis: Axis,
    /// True for an upper triangle.
    pub(super) is_upper: bool,
    /// True for the transpose of the triangle.
    pub(super) is_transposed: bool,
    /// The dimension of the triangle.
    pub(super) range: Range<u64>,
    /// The other dimension of B.
    pub(super) other: Range<u64>,
}

/// Adds the steps of the solve of op(A)X = αB or X·op(A) = αB.
pub(super) fn solve(stages: &mut Stages, call: &RoutineCall) {
    triangular(call).solve(stages, Orders::both(Order::Native));
}

/// Returns true if only the right-hand sides are communicated in a solve, and not panels of the
/// triangle.
pub(super) fn moves_sides(call: &RoutineCall) -> bool {
    let (stages, system) = (Stages::new(call.grid()), triangular(call));
    !system.moves_triangle(&stages, system.looks_left(&stages))
}

/// The system of a call.
fn triangular(call: &RoutineCall) -> Triangular {
    let [m, n, _] = call.dimensions();
    let letter = |place, letter| call.variant().chars().nth(place) == Some(letter);
    let axis = if letter(0, 'l') { Axis::Rows } else { Axis::Columns };
    let (range, other) = if letter(0, 'l') { (0..m, 0..n) } else { (0..n, 0..m) };
    Triangular { axis, is_upper: letter(1, 'u'), is_transposed: letter(2, 't'), range, other }
}

impl Triangular {
    /// Adds the steps of the solve. If a dimension of B is at most [`PANEL`], broadcasts have the
    /// orders `small`, otherwise they are rings in the direction of the solve.
    pub(super) fn solve(&self, stages: &mut Stages, small: Orders) {
        let orders = self.orders(small);
        if self.range.is_empty() || self.other.is_empty() {
            return;
        }
        let looks_left = self.looks_left(stages);
        if !self.moves_triangle(stages, looks_left) {
            self.move_sides(stages, orders);
        } else if self.is_transposed && looks_left {
            self.look_left(stages, orders);
        } else {
            self.look_right(stages, orders);
        }
    }

    /// The dimension of the triangle, and the other one of B.
    fn lengths(&self) -> (f64, f64) {
        let length = |range: &Range<u64>| (range.end - range.start) as f64;
        (length(&self.range), length(&self.other))
    }

    /// The largest parts of the dimension of the triangle in its direction and in the other one,
    /// and of the other dimension.
    fn parts(&self, stages: &Stages) -> [f64; 3] {
        let part =
            |range: &Range<u64>, axis| largest_part(range.end - range.start, stages.grid, axis);
        let (axis, other) = (self.axis, self.axis.other());
        [part(&self.range, axis), part(&self.range, other), part(&self.other, other)]
    }

    /// Returns true if products are added up when their rows or columns are needed, as PBLAS
    /// chooses.
    fn looks_left(&self, stages: &Stages) -> bool {
        let [own, across, sides] = self.parts(stages);
        let sides = if stages.grid.along(self.axis) > 1 { sides } else { 0.0 };
        COMBINE_RATIO * sides <= sides + own.max(across) / 2.0
    }

    /// Returns true if panels of the triangle are communicated, and not the right-hand sides alone,
    /// as PBLAS chooses.
    fn moves_triangle(&self, stages: &Stages, looks_left: bool) -> bool {
        let grid = stages.grid;
        let [own, across, sides] = self.parts(stages);
        let if_several = |axis, volume: f64| if grid.along(axis) > 1 { volume } else { 0.0 };
        let (order, other) = self.lengths();
        let triangle = if_several(self.axis.other(), own / 2.0);
        let whole = (order / grid.block as f64).ceil() * grid.block as f64;
        let (volume, alternative) = match (self.is_transposed, looks_left) {
            (false, _) => {
                let alternative =
                    whole * if_several(Axis::Rows, 1.0) + if_several(Axis::Columns, 1.0);
                (triangle + if_several(self.axis, sides), alternative)
            }
            (true, is_left) => {
                let ratio = if is_left { COMBINE_RATIO } else { 1.0 };
                let turned = if is_left { 0.0 } else { own.max(across) / 2.0 };
                let several = if_several(Axis::Rows, 1.0) + if_several(Axis::Columns, 1.0);
                (
                    triangle + ratio * if_several(self.axis, sides) + turned,
                    whole * several + own.max(across),
                )
            }
        };
        order * volume <= 2.0 * other * alternative
    }

    /// Returns true if the first rows or columns are solved first.
    fn is_forward(&self) -> bool {
        (self.is_upper == self.is_transposed) == (self.axis == Axis::Rows)
    }

    /// The orders of broadcasts: rings in the direction of the solve if the dimensions are large.
    fn orders(&self, small: Orders) -> Orders {
        let is_large = |range: &Range<u64>| range.end - range.start > PANEL;
        match (is_large(&self.range) && is_large(&self.other), self.is_forward()) {
            (false, _) => small,
            (true, true) => Orders::both(Order::Increasing),
            (true, false) => Orders::both(Order::Decreasing),
        }
    }

    /// The variant of the kernel on a panel; `is_turned` if the triangle has been transposed
    /// already.
    fn variant(&self, is_turned: bool) -> &'static str {
        let is_upper = self.is_upper != is_turned;
        let is_transposed = self.is_transposed && !is_turned;
        match (self.axis, is_upper, is_transposed) {
            (Axis::Rows, false, false) => "lln",
            (Axis::Rows, false, true) => "llt",
            (Axis::Rows, true, false) => "lun",
            (Axis::Rows, true, true) => "lut",
            (Axis::Columns, false, false) => "rln",
            (Axis::Columns, false, true) => "rlt",
            (Axis::Columns, true, false) => "run",
            (Axis::Columns, true, true) => "rut",
        }
    }

    /// Adds the call of a kernel on `width` rows or columns of the triangle from `index` on, at the
    /// processes that have them.
    fn kernel(&self, stages: &mut Stages, index: u64, width: u64, is_turned: bool) {
        let place = Place::on(self.axis, stages.owner(self.axis, index));
        let sides = Local::Part(self.axis.other(), self.other.clone());
        let dimensions = self.oriented(Local::All(width), sides);
        stages.kernel(KernelRoutine::Trsm, self.variant(is_turned), dimensions, place);
    }

    /// The dimensions m and n of a part of B, given its size in the dimension of the triangle and
    /// in the other one; k is 1.
    fn oriented(&self, own: Local, other: Local) -> [Local; 3] {
        match self.axis {
            Axis::Rows => [own, other, Local::All(1)],
            Axis::Columns => [other, own, Local::All(1)],
        }
    }

    /// Adds a product with `k` multiplications for each element of a part of B, which has `own`
    /// indices in the dimension of the triangle.
    fn update(&self, stages: &mut Stages, variant: &'static str, own: Local, k: Local) {
        let [m, n, _] = self.oriented(own, Local::Part(self.axis.other(), self.other.clone()));
        stages.kernel(KernelRoutine::Gemm, variant, [m, n, k], Place::ALL);
    }

    /// Solves panel after panel, and updates what is not solved yet by each.
    fn look_right(&self, stages: &mut Stages, orders: Orders) {
        let (axis, across) = (self.axis, self.axis.other());
        let Range { start, end } = self.range;
        for (index, width) in panels(self.range.clone(), self.is_forward()) {
            let (rest, left) = if self.is_forward() {
                (index + width..end, index..end)
            } else {
                (start..index, start..index + width)
            };
            if self.is_transposed {
                let panel =
                    Panel { axis: across, range: left, width, at: stages.owner(axis, index) };
                stages.turn(&panel, &self.other, orders);
            } else {
                let panel = Panel { axis, range: left, width, at: stages.owner(across, index) };
                stages.replicate(&panel, &self.other, orders);
            }
            self.kernel(stages, index, width, self.is_transposed);
            if !rest.is_empty() {
                let solved = Panel {
                    axis: across,
                    range: self.other.clone(),
                    width,
                    at: stages.owner(axis, index),
                };
                stages.replicate(&solved, &rest, orders);
                self.update(stages, "nn", Local::Part(axis, rest), Local::All(width));
            }
        }
    }

    /// Solves the first block, then panel after panel, each after the products of all earlier ones.
    fn look_left(&self, stages: &mut Stages, orders: Orders) {
        let (axis, across) = (self.axis, self.axis.other());
        let Range { start, end } = self.range;
        let block = stages.grid.block;
        let (first, rest) = if self.is_forward() {
            let cut = ((start / block + 1) * block).min(end);
            (start..cut, cut..end)
        } else {
            let cut = ((end - 1) / block * block).max(start);
            (cut..end, start..cut)
        };
        let width = first.end - first.start;
        let at = stages.owner(across, first.start);
        stages.replicate(&Panel { axis, range: first.clone(), width, at }, &self.other, orders);
        self.kernel(stages, first.start, width, false);
        for (index, width) in panels(rest, self.is_forward()) {
            let (solved, all) = if self.is_forward() {
                (start..index, start..index + width)
            } else {
                (index + width..end, index..end)
            };
            let at = stages.owner(across, index);
            stages.replicate(&Panel { axis, range: all.clone(), width, at }, &self.other, orders);
            let variant = if axis == Axis::Rows { "tn" } else { "nt" };
            self.update(stages, variant, Local::All(width), Local::Part(axis, solved));
            let last = if self.is_forward() { index } else { index + width - 1 };
            let sums = Panel {
                axis: across,
                range: self.other.clone(),
                width,
                at: stages.owner(axis, last),
            };
            stages.sum(&sums, &all);
            self.kernel(stages, index, width, false);
        }
    }

    /// Moves panels of the right-hand sides along the triangle, block after block.
    fn move_sides(&self, stages: &mut Stages, orders: Orders) {
        let along = self.axis.other();
        let steps = self.steps(stages.grid);
        let Some(first) = steps.first().cloned() else { return };
        for owner in 0..stages.grid.along(along) {
            let local = |end| stages.grid.count_before(end, owner, stages.grid.along(along));
            let count = local(self.other.end) - local(self.other.start);
            for width in if count > 0 { widths(count).collect() } else { Vec::new() } {
                if stages.are_too_many() {
                    return;
                }
                let sides = Panel { axis: self.axis, range: self.range.clone(), width, at: owner };
                if self.is_transposed == (self.axis == Axis::Rows) {
                    self.broadcast_solved(stages, &sides, &steps, orders);
                } else {
                    let start = stages.owner(along, self.first_index(&first));
                    stages.forward(&sides, owner, start);
                    self.pass_on(stages, &sides, &steps);
                }
            }
        }
    }

    /// The parts of the triangle between which the right-hand sides move, in the order of the
    /// solve: each has 64 times the least common multiple of the rows and columns of the grid.
    fn steps(&self, grid: Grid) -> Vec<Range<u64>> {
        let length = 2 * PANEL * u64::from(grid.common_multiple());
        let starts = self.range.clone().step_by(length as usize);
        let mut steps: Vec<_> =
            starts.map(|start| start..(start + length).min(self.range.end)).collect();
        if !self.is_forward() {
            steps.reverse();
        }
        steps
    }

    /// The index of a range that is solved first.
    fn first_index(&self, range: &Range<u64>) -> u64 {
        if self.is_forward() { range.start } else { range.end - 1 }
    }

    /// What is left of a range after a part of it is solved.
    fn rest(&self, range: &Range<u64>, solved: &Range<u64>) -> Range<u64> {
        if self.is_forward() { solved.end..range.end } else { range.start..solved.start }
    }

    /// Solves block after block: each process that has one passes the products of what is solved on
    /// to the next.
    fn pass_on(&self, stages: &mut Stages, sides: &Panel, steps: &[Range<u64>]) {
        let along = self.axis.other();
        let width = Local::All(sides.width);
        for (number, step) in steps.iter().enumerate() {
            let blocks = blocks(step.clone(), stages.grid.block, self.is_forward());
            for (place, block) in blocks.iter().enumerate() {
                let at = stages.owner(along, block.start);
                let own = Local::All(block.end - block.start);
                self.kernel_of_sides(stages, block, width.clone(), Place::on(along, at));
                let Some(next) = blocks.get(place + 1) else { break };
                let rest = self.rest(step, block);
                let [m, n, _] = self.oriented(Local::Part(self.axis, rest.clone()), width.clone());
                stages.kernel(KernelRoutine::Gemm, "nt", [m, n, own], Place::on(along, at));
                let products = Panel { range: rest, ..sides.clone() };
                stages.forward(&products, at, stages.owner(along, next.start));
            }
            let Some(next) = steps.get(number + 1) else { break };
            let solved = Local::Part(along, step.clone());
            for part in [next.clone(), self.rest(&self.rest(&self.range, step), next)] {
                let [m, n, _] = self.oriented(Local::Part(self.axis, part.clone()), width.clone());
                stages.kernel(KernelRoutine::Gemm, "nt", [m, n, solved.clone()], Place::ALL);
                if part == *next {
                    let at = stages.owner(along, self.first_index(next));
                    stages.sum(&Panel { range: part, at, ..sides.clone() }, &self.range);
                }
            }
        }
        stages.sum(sides, &self.range);
    }

    /// Solves block after block: each is sent to all processes, which update their own parts.
    fn broadcast_solved(
        &self,
        stages: &mut Stages,
        sides: &Panel,
        steps: &[Range<u64>],
        orders: Orders,
    ) {
        let along = Axis::Columns;
        if self.axis != along {
            stages.turn_to(sides, Some(0));
        }
        let width = Local::All(sides.width);
        for (number, step) in steps.iter().enumerate() {
            for block in blocks(step.clone(), stages.grid.block, self.is_forward()) {
                let at = stages.owner(along, block.start);
                let length = Local::All(block.end - block.start);
                self.kernel_of_sides(stages, &block, width.clone(), Place::on(along, at));
                let place = Place::on(Axis::Rows, sides.at % stages.grid.rows);
                stages.broadcast(
                    along,
                    [width.clone(), length.clone()],
                    at,
                    orders.along(along),
                    place,
                );
                let rest = self.rest(step, &block);
                let dimensions = [width.clone(), Local::Part(along, rest), length];
                stages.kernel(KernelRoutine::Gemm, "tn", dimensions, Place::ALL);
            }
            let Some(next) = steps.get(number + 1) else { break };
            let solved = Local::Part(Axis::Rows, step.clone());
            let rest = self.rest(&self.range, step);
            // On a single row of processes nothing is summed, so that all is updated at once.
            let parts = if stages.grid.rows == 1 {
                vec![rest]
            } else {
                vec![next.clone(), self.rest(&rest, next)]
            };
            for part in parts {
                let dimensions = [width.clone(), Local::Part(along, part), solved.clone()];
                stages.kernel(KernelRoutine::Gemm, "tn", dimensions, Place::ALL);
            }
        }
        if self.axis != along {
            let turned = Panel { axis: along, at: 0, ..sides.clone() };
            stages.turn_to(&turned, Some(sides.at));
        }
    }

    /// Adds the call of a kernel on a block of the triangle and a panel of right-hand sides.
    fn kernel_of_sides(&self, stages: &mut Stages, block: &Range<u64>, width: Local, place: Place) {
        let length = Local::All(block.end - block.start);
        let dimensions = self.oriented(length, width);
        stages.kernel(KernelRoutine::Trsm, self.variant(false), dimensions, place);
    }
}

/// The panels of a range in the order of a solve, each with its first index and its width.
fn panels(range: Range<u64>, is_forward: bool) -> Vec<(u64, u64)> {
    let starts = (range.start..range.end).step_by(PANEL as usize);
    let mut all: Vec<_> = starts.map(|start| (start, PANEL.min(range.end - start))).collect();
    if !is_forward {
        all.reverse();
    }
    all
}

/// The blocks of a range in the order of a solve.
fn blocks(range: Range<u64>, block: u64, is_forward: bool) -> Vec<Range<u64>> {
    let mut all = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let end = ((start / block + 1) * block).min(range.end);
        all.push(start..end);
        start = end;
    }
    if !is_forward {
        all.reverse();
    }
    all
}

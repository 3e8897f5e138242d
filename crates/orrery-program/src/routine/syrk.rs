//! Products of a matrix and its transpose, as PBLAS computes them: `pdsyrk_.c`, `PB_CpsyrkA.c`,
//! `PB_CpsyrkAC.c`.

use std::ops::Range;

use super::RoutineCall;
use super::gemm::{COMBINE_RATIO, largest_part};
use super::stage::{Axis, Local, Order, Orders, Place};
use super::stages::{PANEL, Panel, Stages};
use crate::kernel::KernelRoutine;

/// A triangle to which the product of a matrix and its transpose is added.
#[derive(Debug, Clone)]
pub(super) struct Symmetric {
    /// The direction in which the dimension of the triangle is distributed in the matrix: rows for
    /// AAᵀ, columns for AᵀA.
    pub(super) axis: Axis,
    /// True for the upper triangle.
    pub(super) is_upper: bool,
    /// The dimension of the triangle.
    pub(super) range: Range<u64>,
    /// The dimension of the sums.
    pub(super) inner: Range<u64>,
}

/// Adds the steps of C = αAAᵀ + βC or αAᵀA + βC, one triangle.
pub(super) fn product(stages: &mut Stages, call: &RoutineCall) {
    let [_, n, k] = call.dimensions();
    let axis = if call.variant().ends_with('t') { Axis::Columns } else { Axis::Rows };
    let is_upper = call.variant().starts_with('u');
    Symmetric { axis, is_upper, range: 0..n, inner: 0..k }
        .update(stages, Orders::both(Order::Native));
}

impl Symmetric {
    /// Adds the steps of the product. If a dimension is at most [`PANEL`], broadcasts have the
    /// orders `small`, otherwise they are rings.
    pub(super) fn update(&self, stages: &mut Stages, small: Orders) {
        let length = |range: &Range<u64>| range.end - range.start;
        let is_large = length(&self.range).min(length(&self.inner)) > PANEL;
        if self.sums_panels(stages) {
            // Panels go from the diagonal on, or up to it; rings in descending order need the last
            // panel first.
            let is_forward = self.is_beyond() || !is_large;
            let ring = if is_forward { Order::Increasing } else { Order::Decreasing };
            let orders = if is_large { Orders::both(ring) } else { small };
            self.sum_panels(stages, orders, is_forward);
        } else {
            self.replicate_panels(
                stages,
                if is_large { small.with_rings(Order::Split) } else { small },
            );
        }
    }

    /// Returns true if panels of C are those from the diagonal on.
    fn is_beyond(&self) -> bool {
        self.is_upper == (self.axis == Axis::Columns)
    }

    /// Returns true if panels of C are summed, as PBLAS chooses.
    fn sums_panels(&self, stages: &Stages) -> bool {
        let grid = stages.grid;
        let part = |range: &Range<u64>, axis| largest_part(range.end - range.start, grid, axis);
        let if_several = |axis, volume: f64| if grid.along(axis) > 1 { volume } else { 0.0 };
        let (axis, across) = (self.axis, self.axis.other());
        let (own, turned) = (part(&self.range, axis), part(&self.range, across));
        let summed = if_several(axis, part(&self.inner, across))
            + if_several(across, COMBINE_RATIO * own / 2.0);
        let replicated = if_several(across, own) + if_several(axis, turned) + own.max(turned);
        let length = |range: &Range<u64>| (range.end - range.start) as f64;
        1.3 * length(&self.range) * summed <= length(&self.inner) * replicated
    }

    /// Replicates panels of the matrix, from the first on or from the last back, and multiplies
    /// them by all of it; the products are summed.
    fn sum_panels(&self, stages: &mut Stages, orders: Orders, is_forward: bool) {
        let (axis, across) = (self.axis, self.axis.other());
        let block = stages.grid.block;
        let mut left = self.range.clone();
        while !left.is_empty() && !stages.are_too_many() {
            let at = if is_forward { left.start } else { left.end - 1 };
            let Range { start, end } = self.panel(at, block);
            left = if is_forward { end..left.end } else { left.start..start };
            let width = end - start;
            let over = if self.is_beyond() { start..self.range.end } else { self.range.start..end };
            let panel = Panel {
                axis: across,
                range: self.inner.clone(),
                width,
                at: stages.owner(axis, start),
            };
            stages.replicate(&panel, &over, orders);
            let (own, inner) =
                (Local::Part(axis, over.clone()), Local::Part(across, self.inner.clone()));
            let (variant, dimensions) = match axis {
                Axis::Rows => ("nt", [own, Local::All(width), inner]),
                Axis::Columns => ("tn", [Local::All(width), own, inner]),
            };
            stages.kernel(KernelRoutine::Gemm, variant, dimensions, Place::ALL);
            stages.sum(
                &Panel { axis, range: over, width, at: stages.owner(across, start) },
                &self.inner,
            );
        }
    }

    /// The panel of the dimension of the triangle, within a block, that has this place.
    fn panel(&self, at: u64, block: u64) -> Range<u64> {
        let first = (at / block * block).max(self.range.start);
        let start = first + (at - first) / PANEL * PANEL;
        start..(start + PANEL).min((at / block + 1) * block).min(self.range.end)
    }

    /// Replicates panels of the matrix and of its transpose, and adds their products to the
    /// triangle.
    fn replicate_panels(&self, stages: &mut Stages, orders: Orders) {
        let (axis, across, block) = (self.axis, self.axis.other(), stages.grid.block);
        let is_whole = stages.grid.along(across) == 1 || !stages.spans(&self.inner);
        let mut start = self.inner.start;
        while start < self.inner.end && !stages.are_too_many() {
            let end = if is_whole {
                self.inner.end
            } else {
                (start + PANEL).min((start / block + 1) * block).min(self.inner.end)
            };
            let width = end - start;
            let panel =
                Panel { axis, range: self.range.clone(), width, at: stages.owner(across, start) };
            stages.replicate(&panel, &self.range, orders);
            stages.turn_replicated(&panel, &self.range, orders);
            self.triangle(stages, width);
            start = end;
        }
    }

    /// The products of local parts, for each column of blocks: of the block on the diagonal, and of
    /// all blocks beyond it.
    fn triangle(&self, stages: &mut Stages, width: u64) {
        let (variant, along) =
            if self.is_upper { ("un", Axis::Columns) } else { ("ln", Axis::Rows) };
        let block = stages.grid.block;
        let mut start = self.range.start;
        while start < self.range.end && !stages.are_too_many() {
            let end = ((start / block + 1) * block).min(self.range.end);
            let order = Local::All(end - start);
            let diagonal = [Local::All(1), order.clone(), Local::All(width)];
            stages.kernel(KernelRoutine::Syrk, variant, diagonal, Place::at(stages.process(start)));
            if end < self.range.end {
                let beyond = Local::Part(along, end..self.range.end);
                let [m, n] = if along == Axis::Rows { [beyond, order] } else { [order, beyond] };
                let place = Place::on(along.other(), stages.owner(along.other(), start));
                stages.kernel(KernelRoutine::Gemm, "nn", [m, n, Local::All(width)], place);
            }
            start = end;
        }
    }
}

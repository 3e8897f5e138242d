//! The QR factorisation as ScaLAPACK computes it: `pdgeqrf.f`, `pdgeqr2.f`, `pdlarfg.f`,
//! `pdlarf.f`, `pdlarft.f`, `pdlarfb.f`.

use std::ops::Range;

use super::factorization::check_arguments;
use super::stage::{Axis, Communication, Local, Order, Place, Stage};
use super::stages::Stages;
use crate::kernel::KernelRoutine;

/// Adds the steps of a QR factorisation of an m×n matrix by Householder reflectors v with I − τvvᵀ,
/// whose product in a panel is I − VTVᵀ.
///
/// Left out are norms, scaling, and the products of vectors with T.
pub(super) fn qr(stages: &mut Stages, [m, n]: [u64; 2]) {
    check_arguments(stages);
    let block = stages.grid.block;
    let short = m.min(n);
    for start in (0..short).step_by(block as usize) {
        let panel = start..(start + block).min(short);
        let own = stages.owner(Axis::Columns, start);
        for column in panel.clone() {
            if stages.are_too_many() {
                return;
            }
            reflector(stages, column, m, own);
            apply_reflector(stages, column, panel.end, m, own);
        }
        if panel.end < n {
            factor(stages, &panel, m, own);
            update(stages, panel, [m, n], own);
        }
    }
}

/// Adds the steps of the reflector of a column: its element on the diagonal for all rows of the
/// grid, and the norm of the elements below. `own` is the column of the grid that has the panel.
fn reflector(stages: &mut Stages, column: u64, m: u64, own: u32) {
    let place = Place::on(Axis::Columns, own);
    let root = stages.owner(Axis::Rows, column);
    stages.broadcast(Axis::Rows, [Local::All(1), Local::All(1)], root, Order::Native, place);
    if column + 1 < m && stages.grid.rows > 1 {
        // A scale and a sum of squares.
        let size = [Local::All(2), Local::All(1)];
        let message = Communication { along: Axis::Rows, size: size.clone(), place };
        stages.push(Stage::Combine { message, root: 0 });
        stages.broadcast(Axis::Rows, size, 0, Order::Native, place);
    }
}

/// Adds the update of the columns of the panel (up to `end`) on the right of a reflector: w = Cᵀv,
/// C − τvwᵀ. `own` is the column of the grid that has the panel.
fn apply_reflector(stages: &mut Stages, column: u64, end: u64, m: u64, own: u32) {
    let right = end - column - 1;
    if right == 0 {
        return;
    }
    let place = Place::on(Axis::Columns, own);
    let below = column..m;
    let dimensions = || [Local::Part(Axis::Rows, below.clone()), Local::All(right), Local::All(1)];
    stages.kernel(KernelRoutine::Gemv, "t", dimensions(), place);
    // Only one row of the grid has all rows of the last block.
    let is_one = !stages.spans(&below);
    let root = is_one.then(|| stages.owner(Axis::Rows, column));
    sum(stages, [Local::All(right), Local::All(1)], root, place);
    stages.kernel(KernelRoutine::Ger, "", dimensions(), place);
}

/// Adds the steps of the triangular factor T of a panel: the products of each reflector with those
/// before, summed over the rows of the grid.
fn factor(stages: &mut Stages, panel: &Range<u64>, m: u64, own: u32) {
    let place = Place::on(Axis::Columns, own);
    for column in panel.start + 1..panel.end {
        let before = column - panel.start;
        let dimensions = [Local::Part(Axis::Rows, column..m), Local::All(before), Local::All(1)];
        stages.kernel(KernelRoutine::Gemv, "t", dimensions, place);
    }
    let width = panel.end - panel.start;
    let root = stages.owner(Axis::Rows, panel.start);
    sum(stages, [Local::All(width * (width - 1) / 2), Local::All(1)], Some(root), place);
}

/// Adds the update of the columns on the right of a panel: W = CᵀV, W ← WT, C − VWᵀ. `own` is the
/// column of the grid that has the panel.
fn update(stages: &mut Stages, panel: Range<u64>, [m, n]: [u64; 2], own: u32) {
    let width = panel.end - panel.start;
    let row = stages.owner(Axis::Rows, panel.start);
    let (rows, columns) =
        (Local::Part(Axis::Rows, panel.start..m), Local::Part(Axis::Columns, panel.end..n));
    let ring = Order::Increasing;
    stages.broadcast(Axis::Columns, [rows.clone(), Local::All(width)], own, ring, Place::ALL);
    let triangle = [Local::All(width * (width + 1) / 2), Local::All(1)];
    let at_row = Place::on(Axis::Rows, row);
    stages.broadcast(Axis::Columns, triangle, own, ring, at_row);
    let products = [columns.clone(), Local::All(width), rows.clone()];
    stages.kernel(KernelRoutine::Gemm, "tn", products, Place::ALL);
    let size = || [columns.clone(), Local::All(width)];
    sum(stages, size(), Some(row), Place::ALL);
    stages.kernel(
        KernelRoutine::Trmm,
        "run",
        [columns.clone(), Local::All(width), Local::All(1)],
        at_row,
    );
    stages.broadcast(Axis::Rows, size(), row, Order::Native, Place::ALL);
    stages.kernel(
        KernelRoutine::Gemm,
        "nt",
        [rows, columns.clone(), Local::All(width)],
        Place::ALL,
    );
}

/// Adds a sum down the columns of the grid, if they have several processes: at the row `root`, or
/// at all rows.
fn sum(stages: &mut Stages, size: [Local; 2], root: Option<u32>, place: Place) {
    if stages.grid.rows > 1 {
        stages.push(Stage::Sum { message: Communication { along: Axis::Rows, size, place }, root });
    }
}

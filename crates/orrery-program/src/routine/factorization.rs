//! Factorisations as ScaLAPACK computes them: `pdgetrf.f`, `pdgetf2.f`, `pdlaswp.f`, `pdpotrf.f`,
//! `pdpotf2.f`.

use std::ops::Range;

use super::gemm::multiply;
use super::stage::{Axis, Communication, Local, Order, Orders, Place, Stage};
use super::stages::{PANEL, Stages};
use super::syrk::Symmetric;
use super::trsm::Triangular;
use crate::kernel::KernelRoutine;

/// The orders of the broadcasts of an LU factorisation.
const ORDERS: Orders = Orders { rows: Order::Native, columns: Order::Split };

/// Adds the steps of an LU factorisation of an m×n matrix with partial pivoting.
///
/// Which rows are exchanged depends on the matrix. Here the pivots of successive columns are in
/// successive rows of the grid.
pub(super) fn lu(stages: &mut Stages, [m, n]: [u64; 2]) {
    check_arguments(stages);
    let block = stages.grid.block;
    let short = m.min(n);
    for start in (0..short).step_by(block as usize) {
        let end = (start + block).min(short);
        let own = stages.owner(Axis::Columns, start);
        if stages.are_too_many() {
            return;
        }
        for column in start..end {
            panel_column(stages, column, &(start..end), m, own);
        }
        // The numbers of the pivots, 4 bytes each, to the other columns of the grid.
        let pivots = [Local::All((end - start).div_ceil(2)), Local::All(1)];
        stages.broadcast(Axis::Columns, pivots, own, Order::Split, Place::ALL);
        for others in [0..start, end..n] {
            for column in start..end {
                exchange_rows(stages, column, &others, m, Place::ALL);
            }
        }
        let order = start..end;
        Triangular {
            axis: Axis::Rows,
            is_upper: false,
            is_transposed: false,
            range: order.clone(),
            other: end..n,
        }
        .solve(stages, ORDERS);
        if end < m && end < n {
            let is_large = (end - start).min(m - end).min(n - end) > PANEL;
            let orders = if is_large { ORDERS.with_rings(Order::Increasing) } else { ORDERS };
            multiply(stages, [end..m, end..n, order], [false, false], orders);
        }
    }
}

/// Adds the steps of a column of a panel: the search for its pivot, the exchange of two rows, and
/// the update of the columns on its right. `own` is the column of the grid that has the panel.
fn panel_column(stages: &mut Stages, column: u64, panel: &Range<u64>, m: u64, own: u32) {
    let place = Place::on(Axis::Columns, own);
    let root = stages.owner(Axis::Rows, column);
    if stages.grid.rows > 1 {
        // The largest element with its row.
        let size = [Local::All(2), Local::All(1)];
        let message = Communication { along: Axis::Rows, size: size.clone(), place };
        stages.push(Stage::Combine { message, root });
        stages.broadcast(Axis::Rows, size, root, Order::Native, place);
    }
    exchange_rows(stages, column, panel, m, place);
    let right = panel.end - column - 1;
    if right == 0 || column + 1 >= m {
        return;
    }
    stages.broadcast(Axis::Rows, [Local::All(1), Local::All(right)], root, Order::Native, place);
    let below = Local::Part(Axis::Rows, column + 1..m);
    stages.kernel(KernelRoutine::Ger, "", [below, Local::All(right), Local::All(1)], place);
}

/// Adds the exchange of the row of a column with that of its pivot, in some columns of an m-row
/// matrix at the processes of `place`; no step if one row of the grid has both.
fn exchange_rows(stages: &mut Stages, column: u64, columns: &Range<u64>, m: u64, place: Place) {
    let own = stages.owner(Axis::Rows, column);
    let rows = u64::from(stages.grid.rows);
    // The rows of the grid that have rows below.
    let candidates = (m - column).div_ceil(stages.grid.block).min(rows);
    let other = ((u64::from(own) + column % candidates.max(1)) % rows) as u32;
    if own == other || columns.is_empty() {
        return;
    }
    let size = [Local::All(1), Local::Part(Axis::Columns, columns.clone())];
    let message = Communication { along: Axis::Rows, size, place };
    stages.push(Stage::Exchange { message, between: [own, other] });
}

/// Adds the steps of a Cholesky factorisation of an n×n matrix, of its lower (`l`) or upper
/// triangle.
pub(super) fn cholesky(stages: &mut Stages, variant: &str, n: u64) {
    check_arguments(stages);
    let block = stages.grid.block;
    // The direction in which the panel of a block is distributed.
    let axis = if variant == "l" { Axis::Rows } else { Axis::Columns };
    let across = axis.other();
    let orders = match axis {
        Axis::Rows => Orders { rows: Order::Native, columns: Order::Split },
        Axis::Columns => Orders { rows: Order::Split, columns: Order::Native },
    };
    for start in (0..n).step_by(block as usize) {
        let end = (start + block).min(n);
        if stages.are_too_many() {
            return;
        }
        diagonal_block(stages, start..end);
        // The status, 4 bytes.
        let status = [Local::All(1), Local::All(1)];
        let own = stages.owner(across, start);
        stages.broadcast(
            axis,
            status.clone(),
            stages.owner(axis, start),
            Order::Native,
            Place::on(across, own),
        );
        stages.broadcast(across, status, own, Order::Split, Place::ALL);
        if end == n {
            break;
        }
        let (range, other) = (start..end, end..n);
        Triangular {
            axis: across,
            is_upper: axis == Axis::Columns,
            is_transposed: true,
            range,
            other,
        }
        .solve(stages, orders);
        Symmetric { axis, is_upper: axis == Axis::Columns, range: end..n, inner: start..end }
            .update(stages, orders);
    }
}

/// Adds the unblocked factorisation of a diagonal block at the process that has it.
fn diagonal_block(stages: &mut Stages, range: Range<u64>) {
    let place = Place::at(stages.process(range.start));
    let length = range.end - range.start;
    for done in 1..length {
        // Only one process of the row has these rows, those below the diagonal.
        let rows = Local::All(length - done - 1);
        stages.kernel(KernelRoutine::Gemv, "n", [rows, Local::All(done), Local::All(1)], place);
    }
}

/// Adds the check of arguments that begins each routine of ScaLAPACK: in each direction of the grid
/// a broadcast and a sum of a few bytes.
pub(super) fn check_arguments(stages: &mut Stages) {
    for along in [Axis::Rows, Axis::Columns] {
        stages.broadcast(along, [Local::All(6), Local::All(1)], 0, Order::Native, Place::ALL);
        if stages.grid.along(along) > 1 {
            let message =
                Communication { along, size: [Local::All(1), Local::All(1)], place: Place::ALL };
            stages.push(Stage::Sum { message, root: None });
        }
    }
}

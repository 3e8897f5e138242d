//! Products of matrices, as PBLAS computes them: `pdgemm_.c`, `PB_CpgemmAB.c`, `PB_CpgemmAC.c`,
//! `PB_CpgemmBC.c`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::stage::{Axis, Local, Order, Orders, Place};
use super::stages::{PANEL, Panel, Stages};
use super::{Grid, RoutineCall};
use crate::kernel::KernelRoutine;

/// The matrices that are communicated in a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    /// Panels of A and B are replicated.
    Ab,
    /// Panels of A are replicated, those of C are summed.
    Ac,
    /// Panels of B are replicated, those of C are summed.
    Bc,
}

/// The cost of a summed element relative to that of a replicated one.
pub(super) const COMBINE_RATIO: f64 = 1.3;

/// The largest number of rows or columns, in whole blocks, that a row or column of the grid has of
/// `count` (`DNROC` of PBLAS).
pub(super) fn largest_part(count: u64, grid: Grid, axis: Axis) -> f64 {
    (count.div_ceil(grid.block).div_ceil(u64::from(grid.along(axis))) * grid.block) as f64
}

/// The matrices that PBLAS communicates in a product: those with the smallest volume, with
/// preference for replicated panels. `transposed` is true for a transposed A and for a transposed
/// B.
fn method(grid: Grid, [m, n, k]: [u64; 3], transposed: [bool; 2]) -> Method {
    let part = |count, axis| largest_part(count, grid, axis);
    let if_several = |axis, volume: f64| if grid.along(axis) > 1 { volume } else { 0.0 };
    // A panel whose indices are distributed along the other direction is turned first.
    let turn = |count, is_turned| {
        if is_turned { part(count, Axis::Rows).max(part(count, Axis::Columns)) } else { 0.0 }
    };
    let (over_rows, over_columns) =
        (|volume| if_several(Axis::Rows, volume), |volume| if_several(Axis::Columns, volume));
    let [is_a_turned, is_b_turned] = transposed;
    let ab = over_columns(part(m, Axis::Rows))
        + turn(m, is_a_turned)
        + over_rows(part(n, Axis::Columns))
        + turn(n, is_b_turned);
    // A panel of A meets the rows or the columns of B.
    let ac = if is_b_turned {
        let of_a = over_rows(part(k, Axis::Columns)) + turn(k, is_a_turned);
        of_a + COMBINE_RATIO * over_columns(part(n, Axis::Rows)) + turn(n, true)
    } else {
        let of_a = over_columns(part(k, Axis::Rows)) + turn(k, !is_a_turned);
        of_a + COMBINE_RATIO * over_rows(part(n, Axis::Columns))
    };
    let bc = if is_a_turned {
        let of_b = over_columns(part(k, Axis::Rows)) + turn(k, is_b_turned);
        of_b + COMBINE_RATIO * over_rows(part(m, Axis::Columns)) + turn(m, true)
    } else {
        let of_b = over_rows(part(k, Axis::Columns)) + turn(k, !is_b_turned);
        of_b + COMBINE_RATIO * over_columns(part(m, Axis::Rows))
    };
    let (ab, ac, bc) = (k as f64 * ab, m as f64 * ac, n as f64 * bc);
    if ab <= 1.3 * bc && ab <= 1.3 * ac {
        Method::Ab
    } else if bc <= ac && 1.3 * bc <= ab {
        Method::Bc
    } else {
        Method::Ac
    }
}

/// Adds the steps of C = α·op(A)·op(B) + βC.
pub(super) fn product(stages: &mut Stages, call: &RoutineCall) {
    let [m, n, k] = call.dimensions();
    let orders =
        Orders::both(if m.min(n).min(k) > PANEL { Order::Increasing } else { Order::Native });
    let is_transposed = |place| call.variant().chars().nth(place) == Some('t');
    let transposed = [is_transposed(0), is_transposed(1)];
    match method(stages.grid, [m, n, k], transposed) {
        Method::Ab => multiply(stages, [0..m, 0..n, 0..k], transposed, orders),
        Method::Ac => {
            let stay = Stay { axis: Axis::Columns, range: 0..n, is_transposed: transposed[1] };
            accumulate(stages, &stay, (0..m, transposed[0]), &(0..k), orders);
        }
        Method::Bc => {
            let stay = Stay { axis: Axis::Rows, range: 0..m, is_transposed: transposed[0] };
            accumulate(stages, &stay, (0..n, transposed[1]), &(0..k), orders);
        }
    }
}

/// Adds the steps of a product by replicated panels of A and B. The ranges are the rows and columns
/// of C and the inner dimension; `transposed` is true for a transposed A and for a transposed B.
pub(super) fn multiply(
    stages: &mut Stages,
    [rows, columns, inner]: [Range<u64>; 3],
    transposed: [bool; 2],
    orders: Orders,
) {
    // The directions in which the inner dimension is distributed.
    let inner_of_a = if transposed[0] { Axis::Rows } else { Axis::Columns };
    let inner_of_b = if transposed[1] { Axis::Columns } else { Axis::Rows };
    let replicate = |stages: &mut Stages, index: u64, width: u64| {
        let panel = |stages: &Stages, inner: Axis, range: &Range<u64>| {
            let at = stages.owner(inner, index);
            Panel { axis: inner.other(), range: range.clone(), width, at }
        };
        let of_a = panel(stages, inner_of_a, &rows);
        place(stages, &of_a, Axis::Rows, &columns, orders);
        let of_b = panel(stages, inner_of_b, &columns);
        place(stages, &of_b, Axis::Columns, &rows, orders);
    };
    let update = |stages: &mut Stages, width: u64| {
        let part = |axis, range: &Range<u64>| Local::Part(axis, range.clone());
        let dimensions =
            [part(Axis::Rows, &rows), part(Axis::Columns, &columns), Local::All(width)];
        stages.kernel(KernelRoutine::Gemm, "nn", dimensions, Place::ALL);
    };
    let total = inner.end - inner.start;
    let is_spread = |axis| stages.grid.along(axis) > 1 && stages.spans(&inner);
    if !is_spread(inner_of_a) && !is_spread(inner_of_b) {
        replicate(stages, inner.start, total);
        update(stages, total);
        return;
    }
    let (mut done, mut filled) = (0, 0);
    for (first, mut left) in diagonals(stages.grid, &inner, inner_of_a, inner_of_b) {
        while left > 0 && !stages.are_too_many() {
            let panel = PANEL.min(total - done);
            let taken = left.min(panel - filled);
            replicate(stages, first, taken);
            left -= taken;
            filled += taken;
            if filled == panel {
                update(stages, panel);
                done += panel;
                filled = 0;
            }
        }
    }
}

/// A matrix that stays where it is while panels of the other operand pass.
struct Stay {
    /// The direction in which the dimension that it shares with C is distributed in C.
    axis: Axis,
    /// This dimension.
    range: Range<u64>,
    /// True if this dimension is distributed in the other direction in the matrix itself.
    is_transposed: bool,
}

/// Adds the steps in which panels of the moving operand are replicated over the one that stays, and
/// their products are added up in C. `other` is the other dimension of C; `is_transposed` is true
/// if the moving operand is.
fn accumulate(
    stages: &mut Stages,
    stay: &Stay,
    (other, is_transposed): (Range<u64>, bool),
    inner: &Range<u64>,
    orders: Orders,
) {
    let other_axis = stay.axis.other();
    let axis_of_panels = if is_transposed { stay.axis } else { other_axis };
    for (first, count) in diagonals(stages.grid, &other, axis_of_panels, other_axis) {
        for width in widths(count) {
            let at = stages.owner(axis_of_panels, first);
            let panel = Panel { axis: axis_of_panels.other(), range: inner.clone(), width, at };
            let to = stages.owner(other_axis, first);
            multiply_panel(stages, stay, &panel, to, orders);
        }
    }
}

/// Adds the steps in which a panel of the moving operand is multiplied by the matrix that stays,
/// and the products are added up at the coordinate `to` of C.
fn multiply_panel(stages: &mut Stages, stay: &Stay, panel: &Panel, to: u32, orders: Orders) {
    // The directions of the inner dimension, and of the other one, in the matrix that stays.
    let inner_axis = if stay.is_transposed { stay.axis } else { stay.axis.other() };
    let axis = inner_axis.other();
    place(stages, panel, inner_axis, &stay.range, orders);
    let own = Local::Part(axis, stay.range.clone());
    let (width, inner) = (Local::All(panel.width), Local::Part(inner_axis, panel.range.clone()));
    match axis {
        Axis::Rows => stages.kernel(KernelRoutine::Gemm, "nt", [own, width, inner], Place::ALL),
        Axis::Columns => stages.kernel(KernelRoutine::Gemm, "tn", [width, own, inner], Place::ALL),
    }
    let (range, width) = (stay.range.clone(), panel.width);
    if stay.is_transposed {
        let at = if stages.spans(&panel.range) {
            0
        } else {
            stages.owner(inner_axis, panel.range.start)
        };
        let products = Panel { axis, range, width, at };
        stages.sum(&products, &panel.range);
        stages.turn_to(&products, Some(to));
    } else {
        stages.sum(&Panel { axis, range, width, at: to }, &panel.range);
    }
}

/// Adds the steps that distribute a panel along the direction `axis` and replicate it over the
/// processes that have the indices `over` in the other one.
fn place(stages: &mut Stages, panel: &Panel, axis: Axis, over: &Range<u64>, orders: Orders) {
    if panel.axis == axis {
        stages.replicate(panel, over, orders);
    } else {
        stages.turn(panel, over, orders);
    }
}

/// The numbers of columns of the panels into which `count` columns, at least one, are divided: as
/// equal as possible, and at most 32.
pub(super) fn widths(count: u64) -> impl Iterator<Item = u64> {
    let most = count / ((count - 1) / PANEL + 1);
    (0..count.div_ceil(most)).map(move |number| most.min(count - number * most))
}

/// The parts of a range of the inner dimension, which is distributed along `first` in one matrix
/// and along `second` in another one: for each pair of owners the first index and the number of
/// indices, in the order of PBLAS, in which the owners in the second matrix change first.
fn diagonals(grid: Grid, range: &Range<u64>, first: Axis, second: Axis) -> Vec<(u64, u64)> {
    let mut found: BTreeMap<[u64; 2], (u64, u64)> = BTreeMap::new();
    let mut index = range.start;
    while index < range.end {
        let block = index / grid.block;
        let end = ((block + 1) * grid.block).min(range.end);
        let place = [first, second]
            .map(|axis| (block - range.start / grid.block) % u64::from(grid.along(axis)));
        found.entry(place).or_insert((index, 0)).1 += end - index;
        index = end;
    }
    found.into_values().collect()
}

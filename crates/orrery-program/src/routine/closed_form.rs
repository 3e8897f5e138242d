//! Closed forms of the times of routines on homogeneous machines: the formulas of FAST's parallel
//! extension, and estimates by which many grids are compared.
//!
//! Source: E. Caron and F. Suter, *Parallel extension of a dynamic performance forecasting tool*,
//! 2002, section 4.

use super::gemm::largest_part;
use super::stage::Axis;
use super::stages::PANEL;
use super::{Grid, RoutineCall, RoutineKind};
use crate::kernel::KernelRoutine;

/// A homogeneous machine: a message of L elements takes λ + Lτ, and each kernel the same time
/// everywhere.
#[derive(Clone, Copy)]
pub struct HomogeneousMachine<'a> {
    /// The latency λ \[s\].
    pub latency: f64,
    /// The time per element τ \[s\].
    pub element: f64,
    /// The time of a kernel with dimensions m, n and k \[s\].
    pub kernel: &'a (dyn Fn(KernelRoutine, [u64; 3]) -> f64 + Sync),
}

impl HomogeneousMachine<'_> {
    /// The time of a message of this number of elements \[s\].
    fn message(&self, elements: f64) -> f64 {
        self.latency + elements * self.element
    }

    /// The time of pdgemm with C = AB on a p×q grid with blocks of R, and broadcasts along trees
    /// (equations 1 and 3):
    ///
    /// T = ⌈K/R⌉·dgemm(⌈M/p⌉, ⌈N/q⌉, R) + (⌈log₂ q⌉·MK/p + ⌈log₂ p⌉·KN/q)·τ + (⌈log₂ q⌉ + ⌈log₂
    /// p⌉)·⌈K/R⌉·λ
    ///
    /// ```
    /// use orrery_program::kernel::KernelRoutine;
    /// use orrery_program::routine::{Grid, HomogeneousMachine};
    /// let kernel = |_: KernelRoutine, [m, n, k]: [u64; 3]| 2e-9 * (m * n * k) as f64;
    /// let machine = HomogeneousMachine { latency: 1e-4, element: 1e-7, kernel: &kernel };
    /// let seconds = machine.product([1000; 3], Grid { rows: 2, columns: 2, block: 50 });
    /// // 20 products of 500×500×50, 10⁶ elements, 40 latencies.
    /// assert!((seconds - (20.0 * 0.025 + 0.1 + 0.004)).abs() < 1e-12);
    /// ```
    pub fn product(&self, [m, n, k]: [u64; 3], grid: Grid) -> f64 {
        let (p, q) = (u64::from(grid.rows), u64::from(grid.columns));
        let steps = k.div_ceil(grid.block) as f64;
        let kernel = (self.kernel)(KernelRoutine::Gemm, [m.div_ceil(p), n.div_ceil(q), grid.block]);
        let levels = |processes: u64| f64::from(processes.next_power_of_two().trailing_zeros());
        let elements =
            levels(q) * (m * k) as f64 / p as f64 + levels(p) * (k * n) as f64 / q as f64;
        steps * kernel + elements * self.element + (levels(q) + levels(p)) * steps * self.latency
    }

    /// The time of pdtrsm with XA = B, A upper and N×N, B M×N, on a row of Q processes (p = 1,
    /// equations 4 and 6) or on a p×Q grid (equations 4, 5 and 7):
    ///
    /// T = ⌈M/R⌉·Σ_{i=1..⌈N/R⌉} (trsm(R, R) + R²τ + λ + gemm(R, c_i, R) + \[p > 1\]·(R·c_i·τ + λ +
    /// add(R, c_i)))
    ///
    /// with c_i = R·⌈(N − iR)/(QR)⌉ columns, at most (p − 1)R of them if p > 1.
    pub fn solve(&self, [m, n]: [u64; 2], grid: Grid) -> f64 {
        let (p, q, block) = (u64::from(grid.rows), u64::from(grid.columns), grid.block);
        let square = (block * block) as f64;
        let step = |i: u64| {
            let all = block * n.saturating_sub(i * block).div_ceil(q * block);
            let columns = if p == 1 { all } else { all.min((p - 1) * block) };
            let kernel = |routine, dimensions| {
                if columns > 0 { (self.kernel)(routine, dimensions) } else { 0.0 }
            };
            let mut seconds =
                (self.kernel)(KernelRoutine::Trsm, [block, block, 1]) + self.message(square);
            seconds += kernel(KernelRoutine::Gemm, [block, columns, block]);
            if p > 1 {
                seconds += self.message((block * columns) as f64)
                    + kernel(KernelRoutine::Add, [block, columns, 1]);
            }
            seconds
        };
        m.div_ceil(block) as f64 * (1..=n.div_ceil(block)).map(step).sum::<f64>()
    }

    /// About the time of a call with the algorithms of ScaLAPACK, in constant time: kernels on the
    /// largest parts, and the messages of the busiest process, one after the other.
    pub fn estimate(&self, call: &RoutineCall) -> f64 {
        let grid = call.grid();
        let [m, n, k] = call.dimensions();
        let part = |count, axis| largest_part(count, grid, axis).min(count as f64);
        // A process in the middle of a ring receives and sends.
        let ring = |axis, elements: f64| match grid.along(axis) {
            1 => 0.0,
            2 => self.message(elements),
            _ => 2.0 * self.message(elements),
        };
        let tree = |axis, elements: f64| {
            f64::from(grid.along(axis).next_power_of_two().ilog2()) * self.message(elements)
        };
        let gemm = |m: f64, n: f64, k: f64| {
            let dimension = |value: f64| value.round().max(1.0) as u64;
            (self.kernel)(KernelRoutine::Gemm, [dimension(m), dimension(n), dimension(k)])
        };
        let panels = |count: u64| count.div_ceil(PANEL) as f64;
        let (width, block) = (PANEL as f64, grid.block as f64);
        match call.routine().kind {
            RoutineKind::Gemm if grid.processes() == 1 => gemm(m as f64, n as f64, k as f64),
            RoutineKind::Gemm => {
                let (rows, columns) = (part(m, Axis::Rows), part(n, Axis::Columns));
                let messages =
                    ring(Axis::Columns, rows * width) + ring(Axis::Rows, columns * width);
                panels(k) * (gemm(rows, columns, width) + messages)
            }
            RoutineKind::Syrk => {
                let (rows, columns) = (part(n, Axis::Rows), part(k, Axis::Columns));
                let messages =
                    ring(Axis::Rows, columns * width) + tree(Axis::Columns, rows / 2.0 * width);
                panels(n) * (gemm(rows / 2.0, width, columns) + messages)
            }
            RoutineKind::Trsm => {
                let is_left = call.variant().starts_with('l');
                let (axis, order, other) =
                    if is_left { (Axis::Rows, m, n) } else { (Axis::Columns, n, m) };
                let (own, sides) = (part(order, axis), part(other, axis.other()));
                let messages = ring(axis.other(), own / 2.0 * width) + ring(axis, sides * width);
                let [m, n] = if is_left { [width, sides] } else { [sides, width] }
                    .map(|value| value.max(1.0) as u64);
                let triangle = (self.kernel)(KernelRoutine::Trsm, [m, n, 1]);
                panels(order) * (gemm(own / 2.0, sides, width) + triangle + messages)
            }
            RoutineKind::Geqrf => {
                let steps = (m.min(n) as f64 / block).ceil();
                let (rows, columns) = (part(m, Axis::Rows), part(n, Axis::Columns));
                // The mean part of the matrix that is left is a third of the whole.
                let left = 3.0_f64.sqrt();
                let dimension = |value: f64| (value / 2.0).round().max(1.0) as u64;
                let triangle =
                    (self.kernel)(KernelRoutine::Trmm, [dimension(columns), grid.block, 1]);
                let update = gemm(columns / left, block, rows / left)
                    + triangle
                    + gemm(rows / left, columns / left, block);
                let half = [dimension(rows), dimension(block), 1];
                let kernels = 2.0 * (self.kernel)(KernelRoutine::Gemv, half)
                    + (self.kernel)(KernelRoutine::Ger, half);
                // For each column its diagonal element, the norm down and up, and the sum of w at
                // all.
                let panel =
                    block * (kernels + 3.0 * tree(Axis::Rows, 1.0) + tree(Axis::Rows, block / 2.0));
                let messages = ring(Axis::Columns, rows / 2.0 * block)
                    + tree(Axis::Rows, block * block / 2.0)
                    + 2.0 * tree(Axis::Rows, columns / 2.0 * block);
                steps * (update + panel + messages)
            }
            RoutineKind::Getrf | RoutineKind::Potrf => {
                let is_lu = call.routine().kind == RoutineKind::Getrf;
                let order = if is_lu { m.min(n) } else { n };
                let steps = (order as f64 / block).ceil();
                let (rows, columns) =
                    (part(if is_lu { m } else { n }, Axis::Rows), part(n, Axis::Columns));
                // The mean part of the matrix that is left is a third of the whole, half of it for
                // a triangle.
                let left = if is_lu { 3.0_f64 } else { 6.0 }.sqrt();
                let update = gemm(rows / left, columns / left, block);
                let panel = if is_lu {
                    let update = [(rows / 2.0).max(1.0) as u64, (grid.block / 2).max(1), 1];
                    block
                        * ((self.kernel)(KernelRoutine::Ger, update)
                            + 3.0 * tree(Axis::Rows, block))
                } else {
                    let column = |_| {
                        (self.kernel)(KernelRoutine::Gemv, [grid.block, grid.block, 1]) * block
                            / 3.0
                    };
                    // A block of one element has no columns beyond the first.
                    Some(grid.block).filter(|block| *block > 1).map_or(0.0, column)
                };
                let exchange =
                    if is_lu && grid.rows > 1 { block * self.message(columns) } else { 0.0 };
                let messages = ring(Axis::Columns, rows / 2.0 * block)
                    + ring(Axis::Rows, columns / 2.0 * block);
                steps * (update + panel + exchange + messages)
            }
        }
    }
}

use crate::scaling::Layout;

/// The bytes that one process of a solver of dense linear equations needs: (1 + overhead)·8·N²/P for a matrix of order N
/// of 8-byte numbers, dealt out evenly to P processes.
pub fn matrix_bytes(order: f64, overhead: f64) -> impl Fn(Layout) -> f64 {
    move |layout| (1.0 + overhead) * 8.0 * order * order / f64::from(layout.processes)
}

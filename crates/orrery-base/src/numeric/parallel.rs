//! Independent tasks on all cores, with the feature `parallel` of the crate; one after the other
//! without.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Returns the results of `work` for the tasks 0, 1, … in order.
///
/// Results do not depend on the number of cores if the division into tasks does not.
#[cfg(feature = "parallel")]
pub fn parallel_map<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..tasks).into_par_iter().map(work).collect()
}

/// Returns the results of `work` for the tasks 0, 1, … in order.
#[cfg(not(feature = "parallel"))]
pub fn parallel_map<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..tasks).map(work).collect()
}

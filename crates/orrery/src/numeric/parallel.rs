use rayon::prelude::*;

/// Returns the results of `work` for the tasks 0, 1, … in order, computed by all cores.
///
/// Results do not depend on the number of cores if the division into tasks does not.
pub(crate) fn parallel_map<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..tasks).into_par_iter().map(work).collect()
}

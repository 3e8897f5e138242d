use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Returns the results of `work` for the tasks 0, 1, … in order, computed by as many threads as the machine has cores.
///
/// Results do not depend on the number of threads if the division into tasks does not.
pub(crate) fn parallel_map<T: Send>(pieces: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if pieces <= 1 {
        return (0..pieces).map(work).collect();
    }
    let threads = thread::available_parallelism().map_or(1, usize::from).min(pieces);
    let next = AtomicUsize::new(0);
    let take = || {
        let piece = next.fetch_add(1, Ordering::Relaxed);
        (piece < pieces).then(|| (piece, work(piece)))
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let spawn = |_| scope.spawn(|| std::iter::from_fn(take).collect::<Vec<_>>());
        let workers: Vec<_> = (0..threads).map(spawn).collect();
        let finished = workers.into_iter().map(thread::ScopedJoinHandle::join);
        finished.flat_map(|results| results.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    results.sort_by_key(|(piece, _)| *piece);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_pieces() {
        for pieces in [0, 1, 2, 7, 1000] {
            let expected: Vec<usize> = (0..pieces).map(|piece| piece * piece).collect();
            assert_eq!(parallel_map(pieces, |piece| piece * piece), expected);
        }
    }
}

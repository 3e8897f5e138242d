//! Parallel simulations of candidates (clusters, networks, mappings), and their ranking.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use orrery_cluster::platform::{Link, Topology};

/// The results of `work` for 0 to `count` − 1, in order, computed by `threads` threads.
pub fn sweep<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let take = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        (number < count).then(|| (number, work(number)))
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let spawn = |_| scope.spawn(|| std::iter::from_fn(take).collect::<Vec<_>>());
        let workers: Vec<_> = (0..threads.clamp(1, count.max(1))).map(spawn).collect();
        let finished = workers.into_iter().map(thread::ScopedJoinHandle::join);
        finished
            .flat_map(|results| results.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The same topology without sharing: each transfer has the whole bandwidth of all links.
#[must_use]
pub fn without_sharing(topology: &Topology) -> Topology {
    let alone = |link: &Link| Link { is_fatpipe: true, ..link.clone() };
    Topology { links: topology.links.iter().map(alone).collect(), ..topology.clone() }
}

orrery_base::named_enum! {
    /// The objective by which candidates are ranked; smaller is better.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Objective: "objective" {
        /// Σ T of the applications, in seconds, as if they ran one after the other.
        #[default]
        Total => "total": "Sum of the times of the applications",
        /// max T of the applications, in seconds, as if each ran on a cluster of its own.
        Makespan => "makespan": "Longest time of an application",
        /// The mean of T / T_best, where T_best is the shortest time of the application on any
        /// candidate.
        MeanSlowdown => "mean-slowdown":
            "Mean over the applications of the time divided by the best time of any candidate",
    }
}

/// Candidates ranked by an objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The indices of candidates with their scores, the best first; ties by index.
    pub order: Vec<(usize, f64)>,
    /// The shortest time of each application on any candidate, in seconds.
    pub best: Vec<f64>,
}

/// Ranks candidates by the times of the applications on each: `times[candidate][application]` in
/// seconds.
///
/// ```
/// use orrery_play::simulate::{Objective, rank};
/// let times = [vec![1.0, 9.0], vec![4.0, 4.0]];
/// assert_eq!(rank(&times, Objective::Total).order, [(1, 8.0), (0, 10.0)]);
/// assert_eq!(rank(&times, Objective::MeanSlowdown).order, [(0, (1.0 + 9.0 / 4.0) / 2.0), (1, 2.5)]);
/// ```
pub fn rank(times: &[Vec<f64>], objective: Objective) -> Ranked {
    let applications = times.first().map_or(0, Vec::len);
    let best: Vec<f64> = (0..applications)
        .map(|k| times.iter().map(|own| own[k]).fold(f64::INFINITY, f64::min))
        .collect();
    let score = |own: &Vec<f64>| match objective {
        Objective::Total => own.iter().sum(),
        Objective::Makespan => own.iter().copied().fold(0.0, f64::max),
        Objective::MeanSlowdown => {
            let slowdown = |(time, best): (&f64, &f64)| if *best > 0.0 { time / best } else { 1.0 };
            own.iter().zip(&best).map(slowdown).sum::<f64>() / own.len().max(1) as f64
        }
    };
    let mut order: Vec<(usize, f64)> = times.iter().map(score).enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    Ranked { order, best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        for count in [0, 1, 2, 50] {
            let expected: Vec<usize> = (0..count).map(|k| k * k).collect();
            for threads in [0, 1, 2, 7, 100] {
                assert_eq!(sweep(count, threads, |k| k * k), expected);
            }
        }
    }

    #[test]
    fn the_best_candidate_is_first_and_ties_keep_their_order() {
        let times = [vec![2.0, 2.0], vec![1.0, 3.0], vec![5.0, 0.5], vec![2.0, 2.0]];
        let order = |objective| {
            rank(&times, objective).order.into_iter().map(|(k, _)| k).collect::<Vec<_>>()
        };
        assert_eq!(order(Objective::Total), [0, 1, 3, 2]);
        assert_eq!(order(Objective::Makespan), [0, 3, 1, 2]);
        assert_eq!(order(Objective::MeanSlowdown), [0, 2, 3, 1]);
        assert_eq!(rank(&times, Objective::Total).best, [1.0, 0.5]);
        assert_eq!(rank(&[], Objective::Total), Ranked { order: Vec::new(), best: Vec::new() });
    }
}

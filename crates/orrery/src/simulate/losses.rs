use std::collections::BTreeMap;

use super::communication::{PairLoss, TaskConflicts};
use super::outcome::Outcome;
use crate::schedule::Rank;
use crate::sharing::Conflict;
use crate::units::Seconds;

impl Outcome {
    /// What sharing cost each task; needs the communications ([`Simulation::with_conflicts`](super::Simulation::with_conflicts)).
    pub fn task_conflicts(&self) -> Vec<TaskConflicts> {
        let none = TaskConflicts { met: [0; 3], mean_penalty: 0.0, largest_penalty: 1.0, lost: Seconds::ZERO };
        let mut tasks = vec![(none, 0.0); self.tasks.len()];
        for communication in &self.communications {
            let ends = [communication.from, communication.to];
            // A task that sends to itself is told once.
            let several = if ends[0] == ends[1] { &ends[..1] } else { &ends[..] };
            for rank in several {
                let (task, flowed) = &mut tasks[rank.index()];
                for (count, kind) in task.met.iter_mut().zip(Conflict::ALL) {
                    *count += u64::from(communication.conflicts.contains(&kind));
                }
                task.largest_penalty = task.largest_penalty.max(communication.largest_penalty());
                task.mean_penalty += communication.mean_penalty() * communication.flowed().get();
                *flowed += communication.flowed().get();
            }
            tasks[communication.from.index()].0.lost += communication.lost;
        }
        let mean = |(task, flowed): (TaskConflicts, f64)| TaskConflicts {
            mean_penalty: if flowed > 0.0 { task.mean_penalty / flowed } else { 1.0 },
            ..task
        };
        tasks.into_iter().map(mean).collect()
    }

    /// What tasks lost to each other, the greatest loss first, pairs that lost nothing left out.
    pub fn pair_losses(&self) -> Vec<PairLoss> {
        let mut pairs: BTreeMap<(Rank, Rank), (u64, f64)> = BTreeMap::new();
        for communication in &self.communications {
            let mut by_culprit: BTreeMap<Rank, f64> = BTreeMap::new();
            for loss in &communication.losses {
                *by_culprit.entry(self.communications[loss.to].from).or_default() += loss.lost.get();
            }
            for (culprit, lost) in by_culprit {
                let pair = pairs.entry((communication.from, culprit)).or_default();
                *pair = (pair.0 + 1, pair.1 + lost);
            }
        }
        let told = |((victim, culprit), (communications, lost))| {
            let lost = Seconds::new(lost);
            PairLoss { victim, culprit, communications, lost }
        };
        let mut all: Vec<PairLoss> = pairs.into_iter().map(told).collect();
        all.sort_by(|a, b| b.lost.get().total_cmp(&a.lost.get()));
        all
    }

    /// The communications that lost something, the greatest loss first.
    pub fn worst_communications(&self) -> Vec<usize> {
        let lost = |place: usize| self.communications[place].lost.get();
        let mut worst: Vec<usize> = (0..self.communications.len()).filter(|&k| lost(k) > 0.0).collect();
        worst.sort_by(|&a, &b| lost(b).total_cmp(&lost(a)));
        worst
    }
}

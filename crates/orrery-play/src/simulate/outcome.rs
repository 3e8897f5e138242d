use std::collections::BTreeMap;

use super::communication::{Communication, PairLoss, TaskConflicts};
use crate::engine::Event;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::sharing::Conflict;
use orrery_program::schedule::{Operation, Rank};

/// The times and the traffic of a task (a rank).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TaskTimes {
    /// The end of its program.
    pub end: Seconds,
    /// The time in computations.
    pub computing: Seconds,
    /// The time in sleeps.
    pub sleeping: Seconds,
    /// The time in sends, receives and waits.
    pub communicating: Seconds,
    /// The bytes sent.
    pub sent: Bytes,
    /// The bytes received.
    pub received: Bytes,
    /// The number of messages sent.
    pub messages: u64,
}

impl TaskTimes {
    /// Adds an operation that took this time.
    pub(super) fn add(&mut self, operation: Operation, took: Seconds) {
        match operation {
            Operation::Compute(_) | Operation::Combine(_) => self.computing += took,
            Operation::Spin(_) => self.sleeping += took,
            _ => self.communicating += took,
        }
    }
}

/// The result of a simulation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The end of the last task.
    pub end: Seconds,
    /// The tasks in the order of ranks.
    pub tasks: Vec<TaskTimes>,
    /// The operations that took time, in the order of their ends; empty unless they are recorded.
    pub events: Vec<Event>,
    /// The messages in the order in which their transfers start; empty unless they are recorded.
    pub communications: Vec<Communication>,
    /// The number of times that the rates of some flows were updated.
    pub rate_updates: u64,
}

impl Outcome {
    /// The start of the transfer that an operation waited for: until then it waited for its
    /// partner.
    ///
    /// The start of the operation itself if the transfer started before it; `None` unless
    /// communications are recorded.
    pub fn transfer_start(&self, event: &Event) -> Option<Seconds> {
        event.communication.map(|index| self.communications[index].start.max(event.start))
    }

    /// The cost of sharing for each task; all penalties are 1 unless communications are recorded
    /// ([`Simulation::with_conflicts`](super::Simulation::with_conflicts)).
    pub fn task_conflicts(&self) -> Vec<TaskConflicts> {
        let none = TaskConflicts {
            counts: [0; 3],
            mean_penalty: 0.0,
            largest_penalty: 1.0,
            lost: Seconds::ZERO,
        };
        let mut tasks = vec![(none, 0.0); self.tasks.len()];
        for communication in &self.communications {
            let ends = [communication.from, communication.to];
            // A task that sends to itself counts once.
            let ranks = if ends[0] == ends[1] { &ends[..1] } else { &ends[..] };
            for rank in ranks {
                let (task, flowed) = &mut tasks[rank.index()];
                for (count, kind) in task.counts.iter_mut().zip(Conflict::ALL) {
                    *count += u64::from(communication.conflicts.contains(&kind));
                }
                task.largest_penalty = task.largest_penalty.max(communication.largest_penalty());
                task.mean_penalty +=
                    communication.mean_penalty() * communication.flow_duration().get();
                *flowed += communication.flow_duration().get();
            }
            tasks[communication.from.index()].0.lost += communication.lost;
        }
        let mean = |(task, flowed): (TaskConflicts, f64)| TaskConflicts {
            mean_penalty: if flowed > 0.0 { task.mean_penalty / flowed } else { 1.0 },
            ..task
        };
        tasks.into_iter().map(mean).collect()
    }

    /// The losses between pairs of tasks, the largest first; pairs without loss are left out. Empty
    /// unless losses are recorded
    /// ([`Simulation::with_conflicts`](super::Simulation::with_conflicts)).
    pub fn pair_losses(&self) -> Vec<PairLoss> {
        let mut pairs: BTreeMap<(Rank, Rank), (u64, f64)> = BTreeMap::new();
        for communication in &self.communications {
            let mut by_culprit: BTreeMap<Rank, f64> = BTreeMap::new();
            for loss in &communication.losses {
                *by_culprit.entry(self.communications[loss.culprit].from).or_default() +=
                    loss.lost.get();
            }
            for (culprit, lost) in by_culprit {
                let pair = pairs.entry((communication.from, culprit)).or_default();
                *pair = (pair.0 + 1, pair.1 + lost);
            }
        }
        let pair_loss = |((victim, culprit), (communications, lost))| {
            let lost = Seconds::new(lost);
            PairLoss { victim, culprit, communications, lost }
        };
        let mut all: Vec<PairLoss> = pairs.into_iter().map(pair_loss).collect();
        all.sort_by(|a, b| b.lost.get().total_cmp(&a.lost.get()));
        all
    }

    /// The indices of the communications that lost time, the largest loss first.
    pub fn worst_communications(&self) -> Vec<usize> {
        let lost = |index: usize| self.communications[index].lost.get();
        let mut worst: Vec<usize> =
            (0..self.communications.len()).filter(|&k| lost(k) > 0.0).collect();
        worst.sort_by(|&a, &b| lost(b).total_cmp(&lost(a)));
        worst
    }
}

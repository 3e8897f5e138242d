use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::sharing::Conflict;
use orrery_program::schedule::Rank;

/// The transfer of a message: its times, its penalties, and its losses to other messages.
///
/// The penalty at an instant is p = uncontended rate / rate. A message loses 1 − 1/p of every
/// second in which it flows, so that its total loss is the duration of its flow minus bytes /
/// uncontended rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Communication {
    /// The sending task.
    pub from: Rank,
    /// The receiving task.
    pub to: Rank,
    /// The statement of the sender's schedule, by its cursor.
    pub statement: u32,
    /// The size of the message.
    pub size: Bytes,
    /// The start of the transfer: send and receive are matched, and the latency begins.
    pub start: Seconds,
    /// The end of the transfer.
    pub end: Seconds,
    /// The kinds of its conflicts, in the order of [`Conflict::ALL`].
    pub conflicts: Vec<Conflict>,
    /// Its penalties, each with the time from which it holds; the first from the end of the
    /// latency.
    pub penalties: Vec<(Seconds, f64)>,
    /// The time lost to other messages, ∫(1 − 1/p) dt.
    pub lost: Seconds,
    /// The loss to each other communication.
    pub losses: Vec<Loss>,
}

/// The time that a communication lost to another one.
///
/// At each instant the loss 1 − 1/p is divided among the messages at the bottleneck in proportion
/// to their rates. The bottleneck is the most contested link of the route or, if the sharing law
/// bounds the rate, the ports of both hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The index of the other communication in the outcome.
    pub culprit: usize,
    /// The time lost.
    pub lost: Seconds,
}

impl Communication {
    /// A transfer that starts, from one task to another.
    pub(super) fn new([from, to]: [Rank; 2], statement: u32, size: Bytes, start: Seconds) -> Self {
        Self {
            from,
            to,
            statement,
            size,
            start,
            end: start,
            conflicts: Vec::new(),
            penalties: Vec::new(),
            lost: Seconds::ZERO,
            losses: Vec::new(),
        }
    }

    /// The mean penalty over the time in which it flowed, ∫p dt / ∫dt; 1 if that took no time.
    pub fn mean_penalty(&self) -> f64 {
        let ends = self.penalties.iter().skip(1).map(|(since, _)| *since).chain([self.end]);
        let (weighted, flowed) =
            self.penalties.iter().zip(ends).fold((0.0, 0.0), |(weighted, flowed), (step, end)| {
                let took = (end - step.0).get();
                (weighted + step.1 * took, flowed + took)
            });
        if flowed > 0.0 { weighted / flowed } else { 1.0 }
    }

    /// The largest penalty; 1 if it never flowed.
    pub fn largest_penalty(&self) -> f64 {
        self.penalties.iter().map(|step| step.1).reduce(f64::max).unwrap_or(1.0)
    }

    /// The duration of the flow, from the end of the latency on.
    pub fn flow_duration(&self) -> Seconds {
        self.penalties.first().map_or(Seconds::ZERO, |first| self.end - first.0)
    }
}

/// The cost of sharing for a task, over the communications that it sent or received.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskConflicts {
    /// The number of communications with each kind of conflict, in the order of [`Conflict::ALL`].
    pub counts: [u64; 3],
    /// The mean penalty over the time in which they flowed; 1 without any.
    pub mean_penalty: f64,
    /// The largest penalty; 1 without any.
    pub largest_penalty: f64,
    /// The time lost by the communications that it sent.
    pub lost: Seconds,
}

/// The time that the communications sent by one task lost to those sent by another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLoss {
    /// The sender of the delayed communications.
    pub victim: Rank,
    /// The sender of the communications that delayed them.
    pub culprit: Rank,
    /// The number of delayed communications.
    pub communications: u64,
    /// The time lost.
    pub lost: Seconds,
}

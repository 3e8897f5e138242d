use crate::schedule::Rank;
use crate::sharing::Conflict;
use crate::units::{Bytes, Seconds};

/// A message on its way, and what others did to it.
///
/// Its penalty at an instant is p = lone rate / rate. Against running alone it loses 1 − 1/p of every second, so that
/// what it lost in all is its flow less bytes / lone rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Communication {
    /// The task that sent it.
    pub from: Rank,
    /// The task that received it.
    pub to: Rank,
    /// The statement that sent it, as the cursor of its task counts.
    pub statement: u32,
    /// Its bytes.
    pub size: Bytes,
    /// When send and receive had met.
    pub start: Seconds,
    /// When it had arrived.
    pub end: Seconds,
    /// The kinds of conflicts that it met, in the order of [`Conflict::ALL`].
    pub conflicts: Vec<Conflict>,
    /// Since when it had which penalty, from the end of its latency on.
    pub penalties: Vec<(Seconds, f64)>,
    /// What it lost against running alone, ∫(1 − 1/p) dt.
    pub lost: Seconds,
    /// How that is shared out to the communications that disturbed it.
    pub losses: Vec<Loss>,
}

/// What a communication lost to another one.
///
/// At each instant the loss 1 − 1/p goes to those with which it shares what holds it up, in proportion to the rate at
/// which they take it: where a law bounds it, those that leave its source or come to its destination; where a link does,
/// those on the most contested of its links.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The place of the other one among the communications of the outcome.
    pub to: usize,
    /// How much.
    pub lost: Seconds,
}

impl Communication {
    /// The penalty averaged over the time in which it flowed, ∫p dt / ∫dt; 1 if that took no time.
    pub fn mean_penalty(&self) -> f64 {
        let ends = self.penalties.iter().skip(1).map(|(since, _)| *since).chain([self.end]);
        let (weighed, flowed) = self.penalties.iter().zip(ends).fold((0.0, 0.0), |(weighed, flowed), (step, end)| {
            let took = (end - step.0).get();
            (weighed + step.1 * took, flowed + took)
        });
        if flowed > 0.0 { weighed / flowed } else { 1.0 }
    }

    /// The largest penalty; 1 if it never flowed.
    pub fn largest_penalty(&self) -> f64 {
        self.penalties.iter().map(|step| step.1).reduce(f64::max).unwrap_or(1.0)
    }

    /// How long it took from the end of its latency on.
    pub fn flowed(&self) -> Seconds {
        self.penalties.first().map_or(Seconds::ZERO, |first| self.end - first.0)
    }
}

/// What sharing cost a task, over the communications that it sent or received.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskConflicts {
    /// How many of them met each kind of conflict, in the order of [`Conflict::ALL`].
    pub met: [u64; 3],
    /// Their penalty averaged over the time in which they flowed; 1 without any.
    pub mean_penalty: f64,
    /// The largest penalty of one; 1 without any.
    pub largest_penalty: f64,
    /// What those that it sent lost against running alone.
    pub lost: Seconds,
}

/// What the communications of one task lost to those of another, each task as the sender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLoss {
    /// The sender of those that lost.
    pub victim: Rank,
    /// The sender of those that they lost it to.
    pub culprit: Rank,
    /// How many lost something.
    pub communications: u64,
    /// How much.
    pub lost: Seconds,
}

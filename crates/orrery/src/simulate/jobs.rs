use super::{Outcome, TaskTimes};
use crate::units::Seconds;

/// What became of a job that ran among others.
#[derive(Debug, Clone, PartialEq)]
pub struct JobOutcome {
    /// When it started.
    pub start: Seconds,
    /// When its last task ended.
    pub end: Seconds,
    /// What its tasks spent in communication, all together.
    pub communicating: Seconds,
    /// Its tasks; `sleeping` leaves out the time until it started.
    pub tasks: Vec<TaskTimes>,
}

impl JobOutcome {
    /// The job that started then, of an outcome in which its tasks are these.
    ///
    /// # Panics
    ///
    /// When the outcome has not so many tasks.
    pub fn new(outcome: &Outcome, start: Seconds, ranks: std::ops::Range<usize>) -> Self {
        let own = |times: &TaskTimes| TaskTimes { sleeping: times.sleeping - start, ..*times };
        let tasks: Vec<TaskTimes> = outcome.tasks[ranks].iter().map(own).collect();
        let end = tasks.iter().map(|times| times.end).fold(start, Seconds::max);
        Self { start, end, communicating: tasks.iter().map(|times| times.communicating).sum(), tasks }
    }

    /// How long it ran: end − start.
    pub fn seconds(&self) -> Seconds {
        self.end - self.start
    }

    /// How many times longer it ran than alone; `None` where it takes no time alone.
    pub fn slowdown(&self, alone: Seconds) -> Option<f64> {
        (alone > Seconds::ZERO).then(|| self.seconds().get() / alone.get())
    }
}

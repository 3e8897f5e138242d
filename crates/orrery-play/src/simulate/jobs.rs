use super::{Event, Outcome, TaskTimes};
use orrery_base::units::Seconds;
use orrery_program::schedule::Rank;

/// The outcome of a job that ran among others.
#[derive(Debug, Clone, PartialEq)]
pub struct JobOutcome {
    /// The start of the job.
    pub start: Seconds,
    /// The end of its last task.
    pub end: Seconds,
    /// The sum of the times of its tasks in communication.
    pub communicating: Seconds,
    /// The times of its tasks; `sleeping` does not include the time before the start.
    pub tasks: Vec<TaskTimes>,
}

impl JobOutcome {
    /// The outcome of the job with this start and these ranks of a common outcome.
    ///
    /// # Panics
    ///
    /// When the ranks exceed the tasks of the outcome.
    pub fn new(outcome: &Outcome, start: Seconds, ranks: std::ops::Range<usize>) -> Self {
        let own = |times: &TaskTimes| TaskTimes { sleeping: times.sleeping - start, ..*times };
        let tasks: Vec<TaskTimes> = outcome.tasks[ranks].iter().map(own).collect();
        let end = tasks.iter().map(|times| times.end).fold(start, Seconds::max);
        Self {
            start,
            end,
            communicating: tasks.iter().map(|times| times.communicating).sum(),
            tasks,
        }
    }

    /// The duration of the job, end − start.
    pub fn duration(&self) -> Seconds {
        self.end - self.start
    }

    /// The duration divided by the duration without other jobs; `None` if the latter is 0.
    pub fn slowdown(&self, alone: Seconds) -> Option<f64> {
        (alone > Seconds::ZERO).then(|| self.duration().get() / alone.get())
    }
}

impl Outcome {
    /// Combines the outcomes of jobs that do not affect each other, each with its start.
    ///
    /// Ranks and statements are numbered as in [`Jobs`](orrery_program::schedule::Jobs); tasks sleep until
    /// their job starts.
    ///
    /// ```
    /// use orrery_play::simulate::loggp::{LogGops, outcome};
    /// use orrery_play::simulate::Outcome;
    /// use orrery_play::trace::goal::GoalGraph;
    /// use orrery_base::units::Seconds;
    /// let goal = GoalGraph::read("num_ranks 1\nrank 0 { calc 1000 }\n".as_bytes(), "one.goal")?;
    /// let one = outcome(&goal, &LogGops::default(), false)?;
    /// let both = Outcome::concurrently([(one.clone(), Seconds::ZERO), (one, Seconds::new(2.0))]);
    /// assert_eq!((both.tasks[0].end.get(), both.tasks[1].end.get()), (1e-6, 2.000001));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn concurrently(jobs: impl IntoIterator<Item = (Self, Seconds)>) -> Self {
        let mut all = Self {
            end: Seconds::ZERO,
            tasks: Vec::new(),
            events: Vec::new(),
            communications: Vec::new(),
            rate_updates: 0,
        };
        for (job, start) in jobs {
            let (first, communications) = (all.tasks.len() as u32, all.communications.len());
            let moved = |times: TaskTimes| TaskTimes {
                end: times.end + start,
                sleeping: times.sleeping + start,
                ..times
            };
            all.tasks.extend(job.tasks.into_iter().map(moved));
            all.events.extend(job.events.into_iter().map(|event| Event {
                rank: Rank(first + event.rank.0),
                statement: event.statement + 1,
                operation: event.operation.map_ranks(|peer| Rank(first + peer.0)),
                start: event.start + start,
                end: event.end + start,
                communication: event.communication.map(|place| communications + place),
            }));
            all.communications.extend(job.communications);
            all.rate_updates += job.rate_updates;
        }
        all.events.sort_by(|a, b| a.end.total_cmp(&b.end));
        all.end = all.tasks.iter().map(|times| times.end).fold(Seconds::ZERO, Seconds::max);
        all
    }
}

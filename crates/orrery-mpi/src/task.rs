//! Tasks: functions of the program that ranks run when rank 0 sends a text, without messages to
//! each other.
//!
//! Rank 0 may work meanwhile: it polls for the texts of the tasks, and never waits in an MPI call
//! for a task.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use orrery::machine::Batch;

use crate::control::{Backoff, Command, Control, Report};
use crate::{Job, MpiError};

/// The connection of a running task to rank 0.
#[derive(Debug)]
pub struct TaskLink {
    control: Control,
    is_cancelled: Cell<bool>,
    is_stopped: Cell<bool>,
}

impl TaskLink {
    /// The connection of a task that begins.
    pub(crate) fn new(control: Control) -> Self {
        Self { control, is_cancelled: Cell::new(false), is_stopped: Cell::new(false) }
    }

    /// Sends a text to rank 0.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn send(&self, text: String) -> Result<(), MpiError> {
        self.control.report(&Report::Text(text))
    }

    /// Returns true if rank 0 has cancelled the task.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn is_cancelled(&self) -> Result<bool, MpiError> {
        if let Some(command) = self.control.arrived_command()? {
            self.is_cancelled.set(true);
            self.is_stopped.set(matches!(command, Command::Stop));
        }
        Ok(self.is_cancelled.get())
    }

    /// Returns true if the command to stop serving has arrived during the task.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }
}

/// What has become of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEvent {
    /// It has sent this text.
    Text(String),
    /// It is complete.
    Complete,
    /// It has failed for this reason.
    Failed(String),
}

/// The running tasks of the other ranks, on rank 0.
///
/// If some still run when this is dropped, [`Job::end`] aborts the job.
#[derive(Debug)]
pub struct Tasks<'a> {
    job: &'a Job,
    running: BTreeSet<usize>,
}

impl<'a> Tasks<'a> {
    /// No tasks yet; the other ranks call [`Job::serve_with`].
    pub fn new(job: &'a Job) -> Self {
        job.mark_served();
        Self { job, running: BTreeSet::new() }
    }

    /// Starts the task that a text describes on another rank, which has none.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn start(&mut self, rank: usize, text: &str) -> Result<(), MpiError> {
        self.job.control.send_command(rank, &Command::<&Batch>::Task(text.to_owned()))?;
        self.running.insert(rank);
        Ok(())
    }

    /// The ranks with a running task.
    pub fn running(&self) -> &BTreeSet<usize> {
        &self.running
    }

    /// The next event that has arrived, with its rank; `None` if there is none now.
    ///
    /// # Errors
    ///
    /// When MPI fails, or a rank sends something else.
    pub fn next_event(&mut self) -> Result<Option<(usize, TaskEvent)>, MpiError> {
        let (rank, event) = match self.job.control.arrived_report()? {
            None => return Ok(None),
            Some((rank, Report::Text(text))) => (rank, TaskEvent::Text(text)),
            Some((rank, Report::TaskEnd(None))) => (rank, TaskEvent::Complete),
            Some((rank, Report::TaskEnd(Some(reason)))) => (rank, TaskEvent::Failed(reason)),
            Some((rank, _)) => {
                return Err(MpiError::impossible(format!(
                    "rank {rank} sent an unexpected report during a task"
                )));
            }
        };
        if !matches!(event, TaskEvent::Text(_)) {
            self.running.remove(&rank);
        }
        Ok(Some((rank, event)))
    }

    /// Cancels all tasks and waits until they have ended, at most for a time; their texts are
    /// passed to `take`. Returns true if all have ended.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn cancel(
        &mut self,
        timeout: Duration,
        take: &mut dyn FnMut(usize, TaskEvent),
    ) -> Result<bool, MpiError> {
        for &rank in &self.running {
            self.job.control.send_command(rank, &Command::<&Batch>::Cancel)?;
        }
        let (begin, mut backoff) = (Instant::now(), Backoff::default());
        while !self.running.is_empty() && begin.elapsed() < timeout {
            match self.next_event()? {
                Some((rank, event)) => take(rank, event),
                None => backoff.wait(),
            }
        }
        Ok(self.running.is_empty())
    }
}

impl Drop for Tasks<'_> {
    fn drop(&mut self) {
        if !self.running.is_empty() {
            self.job.mark_broken();
        }
    }
}

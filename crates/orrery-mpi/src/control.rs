//! The messages between rank 0 and the others: JSON, on a communicator of its own.

use std::ffi::c_int;
use std::thread;
use std::time::{Duration, Instant};

use orrery::machine::LateStart;
use orrery::machine::{Batch, NativeCalls};
use orrery::units::Seconds;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::MpiError;
use crate::calls::{self, ANY_SOURCE, Comm};
use crate::plan::SendMode;
use crate::provenance::RankLocation;

/// A message from rank 0 to another rank. `B` is a reference for the sender and owned for the
/// receiver.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Command<B = Batch> {
    /// Run these batches, one after the other.
    Run(Vec<(B, SendMode)>),
    /// Call a collective operation of the library.
    Native(NativeCalls),
    /// Run a task of the program, which this text describes.
    Task(String),
    /// End the running task early.
    Cancel,
    /// Stop serving.
    Stop,
}

/// A message from a rank to rank 0.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Where the rank runs.
    Location(RankLocation),
    /// The progress of a long batch.
    Progress,
    /// The batches are complete; the readings of each.
    Done(Vec<Vec<Seconds>>),
    /// Ranks of the batch missed the common start repeatedly.
    LateStart(LateStart),
    /// The rank cannot continue.
    Failed(String),
    /// A text of a running task.
    Text(String),
    /// The task is complete, or has failed for this reason; the rank can continue.
    TaskEnd(Option<String>),
    /// The rank ends; its last report.
    Ended,
}

/// The tag of commands.
const COMMAND_TAG: c_int = 1;

/// The tag of reports.
const REPORT_TAG: c_int = 2;

/// The tag of numbers that ranks of a batch exchange to synchronise clocks.
pub(crate) const NUMBER_TAG: c_int = 3;

/// The tag of texts.
const TEXT_TAG: c_int = 4;

/// The first tag of the barrier.
pub(crate) const BARRIER_TAG: c_int = 16;

/// The control communicator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Control {
    pub comm: Comm,
}

impl Control {
    /// Sends a command to a rank.
    pub fn send_command(self, to: usize, command: &Command<&Batch>) -> Result<(), MpiError> {
        self.send(to, COMMAND_TAG, command)
    }

    /// Sends a report to rank 0.
    pub fn report(self, report: &Report) -> Result<(), MpiError> {
        self.send(0, REPORT_TAG, report)
    }

    /// Sends a text to a rank that waits for it.
    pub fn send_text(self, to: usize, text: &str) -> Result<(), MpiError> {
        self.send(to, TEXT_TAG, &text)
    }

    /// Waits for a text of rank 0.
    pub fn next_text(self) -> Result<String, MpiError> {
        let mut backoff = Backoff::default();
        loop {
            if let Some((_, text)) = self.receive(0, TEXT_TAG)? {
                return Ok(text);
            }
            backoff.wait();
        }
    }

    /// Sends a message as JSON.
    fn send<T: Serialize>(self, to: usize, tag: c_int, message: &T) -> Result<(), MpiError> {
        let bytes =
            serde_json::to_vec(message).map_err(|error| MpiError::impossible(error.to_string()))?;
        calls::send_bytes(&bytes, to, tag, self.comm)
    }

    /// Waits for a command; returns `None` after the timeout.
    pub fn next_command(self, timeout: Option<Duration>) -> Result<Option<Command>, MpiError> {
        let begin = Instant::now();
        let mut backoff = Backoff::default();
        loop {
            if let Some((_, command)) = self.receive(0, COMMAND_TAG)? {
                return Ok(Some(command));
            }
            if timeout.is_some_and(|timeout| begin.elapsed() > timeout) {
                return Ok(None);
            }
            backoff.wait();
        }
    }

    /// Receives a command that has arrived; `None` if there is none.
    pub fn arrived_command(self) -> Result<Option<Command>, MpiError> {
        Ok(self.receive(0, COMMAND_TAG)?.map(|(_, command)| command))
    }

    /// Receives a report that has arrived, and its sender; `None` if there is none.
    pub fn arrived_report(self) -> Result<Option<(usize, Report)>, MpiError> {
        self.receive(ANY_SOURCE, REPORT_TAG)
    }

    /// Receives a message that has arrived, and its sender; `None` if there is none.
    fn receive<T: DeserializeOwned>(
        self,
        from: c_int,
        tag: c_int,
    ) -> Result<Option<(usize, T)>, MpiError> {
        let Some((source, length)) = calls::probe(from, tag, self.comm)? else { return Ok(None) };
        let mut bytes = vec![0; length];
        calls::receive_into(&mut bytes, source, tag, self.comm)?;
        let message = serde_json::from_slice(&bytes);
        let unreadable = |error| {
            MpiError::impossible(format!(
                "rank {source} sent an unreadable control message: {error}; start the same \
                    program on all ranks"
            ))
        };
        Ok(Some((source, message.map_err(unreadable)?)))
    }
}

/// The intervals between polls of a rank that is not measured: they grow, so that it leaves the
/// core to measured ranks.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    polls: u32,
}

/// The number of polls after which the process only yields.
const MAX_YIELDS: u32 = 500;

/// The first and the longest sleep between two polls.
const SLEEPS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

impl Backoff {
    /// Waits before the next poll.
    pub fn wait(&mut self) {
        if self.polls < MAX_YIELDS {
            self.polls += 1;
            thread::yield_now();
        } else {
            let doublings = (self.polls - MAX_YIELDS).min(10);
            self.polls = self.polls.saturating_add(1);
            thread::sleep((SLEEPS.0 * (1 << doublings)).min(SLEEPS.1));
        }
    }
}

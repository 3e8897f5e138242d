use std::io;

use super::BatchError;
use super::clock::LateStart;
use crate::engine::EngineError;

/// Why a machine could not be started or could not run a batch.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The batch does not fit the machine.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The program cannot run to its end anywhere.
    #[error(transparent)]
    Schedule(#[from] EngineError),
    /// What the truth of a simulated machine says nothing of.
    #[error("the law of the simulated machine says nothing of this: {0}")]
    NotModelled(String),
    /// A process of the machine could not be started.
    #[error("cannot start worker {worker}: {reason}")]
    WorkerNotStarted {
        /// Its number.
        worker: usize,
        /// Why.
        reason: String,
    },
    /// A process of the machine has died.
    #[error("worker {worker} died ({how})")]
    WorkerDied {
        /// Its number.
        worker: usize,
        /// Its exit status or signal.
        how: String,
    },
    /// A process of the machine reports a failure.
    #[error("worker {worker} failed: {reason}")]
    WorkerFailed {
        /// Its number.
        worker: usize,
        /// What it said.
        reason: String,
    },
    /// A process of the machine did not answer in time.
    #[error(
        "no answer from worker {worker} within the time limit of {seconds} s; it hangs or the machine is overloaded"
    )]
    WorkerTimedOut {
        /// Its number.
        worker: usize,
        /// The time limit in seconds.
        seconds: f64,
    },
    /// A batch does not get on, and it cannot be told which process is to blame.
    #[error(
        "a batch has made no progress within the time limit of {seconds} s; a process hangs or the machine is overloaded"
    )]
    BatchTimedOut {
        /// The time limit in seconds.
        seconds: f64,
    },
    /// Its ranks could not begin a repetition together.
    #[error(transparent)]
    LateStart(#[from] LateStart),
    /// The caller asked for an end.
    #[error("interrupted")]
    Interrupted,
    /// The operating system refused something.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

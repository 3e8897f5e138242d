use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use orrery_base::file::Fault;
use orrery_play::engine::EngineError;

/// The reason why a machine could not be started or could not run a batch.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The batch does not fit the machine.
    #[error(transparent)]
    Batch(#[from] Fault),
    /// The program cannot run to its end on any machine.
    #[error(transparent)]
    Schedule(#[from] EngineError),
    /// The machine does not run on an MPI library.
    #[error(
        "this machine has no MPI library whose collective operations could be called; start the \
            command by mpirun"
    )]
    NoLibrary,
    /// The sharing law of a simulated machine does not cover the batch.
    #[error(transparent)]
    NotModelled(#[from] NotModelled),
    /// A worker process could not be started.
    #[error("cannot start worker {worker}: {reason}")]
    WorkerNotStarted {
        /// The number of the worker.
        worker: usize,
        /// The reason.
        reason: String,
    },
    /// A worker process has died.
    #[error("worker {worker} died ({how})")]
    WorkerDied {
        /// The number of the worker.
        worker: usize,
        /// Its exit status or signal.
        how: String,
    },
    /// A worker process reports a failure.
    #[error("worker {worker} failed: {reason}")]
    WorkerFailed {
        /// The number of the worker.
        worker: usize,
        /// The reason that it reports.
        reason: String,
    },
    /// A worker process did not answer within the time limit.
    #[error(
        "no answer from worker {worker} within the time limit of {seconds} s; it hangs or the \
            machine is overloaded"
    )]
    WorkerTimedOut {
        /// The number of the worker.
        worker: usize,
        /// The time limit in seconds.
        seconds: f64,
    },
    /// A batch made no progress within the time limit, and the process that causes it is unknown.
    #[error(
        "a batch has made no progress within the time limit of {seconds} s; a process hangs or the \
            machine is overloaded"
    )]
    BatchTimedOut {
        /// The time limit in seconds.
        seconds: f64,
    },
    /// The ranks of a batch could not start a repetition together.
    #[error(transparent)]
    LateStart(#[from] LateStart),
    /// The caller has requested an interruption.
    #[error("interrupted")]
    Interrupted,
    /// The operating system reports an error.
    #[error("{doing}: {source}")]
    System {
        /// The action that failed, such as `cannot start a thread`.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The reason why a sharing law does not cover concurrent messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sharing law of the simulated machine cannot be evaluated: {0}")]
pub struct NotModelled(pub String);

/// The error that no repetition could start with all ranks in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error(
    "a rank missed the common start {tries} times in a row, most recently by {late:?}, although it \
        was announced {lead:?} \
     in advance; the machine is overloaded: use at most one rank per core, or time with each \
     rank's own clock"
)]
pub struct LateStart {
    /// The number of attempts.
    pub tries: u32,
    /// The delay of the last rank in the last attempt.
    pub late: Duration,
    /// The lead of the announcement before the start.
    pub lead: Duration,
}

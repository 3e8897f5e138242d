//! The worker processes: started, watched, and killed with the machine.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

use super::handshake::{WORKER_VARIABLE, WorkerStart};
use crate::machine::MachineError;

/// The processes of the workers, by worker. On drop they are killed and reaped.
pub(super) struct WorkerProcesses {
    children: Vec<Child>,
    /// The thread that started the processes; it ends when the sender is dropped.
    starter: Option<(Sender<()>, JoinHandle<()>)>,
}

/// The time within which a process that has closed its connection must exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

impl WorkerProcesses {
    /// Starts one process for each worker, each in a process group of its own: an interrupt from
    /// the terminal reaches only the parent, which decides.
    ///
    /// The system kills a worker when the *thread* that started it ends, so a thread is kept for
    /// that.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        starts: Vec<WorkerStart>,
    ) -> Result<Self, MachineError> {
        let mut processes = Self { children: Vec::new(), starter: None };
        let (started, outcomes) = channel();
        let (end, ended) = channel::<()>();
        let (executable, arguments) = (program.to_owned(), arguments.to_vec());
        let starter = thread::Builder::new()
            .name("orrery-local".into())
            .spawn(move || {
                for start in starts {
                    let child = spawn(&executable, &arguments, start)
                        .map_err(|error| (start.worker, error));
                    let has_failed = child.is_err();
                    if started.send(child).is_err() || has_failed {
                        break;
                    }
                }
                drop(started);
                // Blocks until the sender is dropped.
                let _ = ended.recv();
            })
            .map_err(|source| MachineError::System { doing: "cannot start a thread", source })?;
        processes.starter = Some((end, starter));
        for child in outcomes {
            let child = child.map_err(|(worker, error)| {
                let reason = format!("cannot run {}: {error}", program.display());
                MachineError::WorkerNotStarted { worker, reason }
            })?;
            processes.children.push(child);
        }
        Ok(processes)
    }

    /// The process ids, by worker.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.children.iter().map(Child::id)
    }

    /// The exit status or signal of a worker; `None` while it runs.
    pub fn exit_status(&mut self, worker: usize) -> Option<String> {
        self.children[worker].try_wait().ok().flatten().map(describe)
    }

    /// Waits a short time for a worker to exit; returns its exit status or signal.
    pub fn wait_for_exit(&mut self, worker: usize) -> Option<String> {
        let begin = Instant::now();
        loop {
            let status = self.exit_status(worker);
            if status.is_some() || begin.elapsed() > EXIT_TIMEOUT {
                return status;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills and reaps all processes.
    pub fn kill_all(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
        }
        for child in &mut self.children {
            let _ = child.wait();
        }
        if let Some((end, starter)) = self.starter.take() {
            drop(end);
            let _ = starter.join();
        }
    }
}

impl Drop for WorkerProcesses {
    fn drop(&mut self) {
        self.kill_all();
    }
}

impl fmt::Debug for WorkerProcesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

/// Starts one worker process in a process group of its own.
fn spawn(program: &Path, arguments: &[OsString], start: WorkerStart) -> io::Result<Child> {
    Command::new(program)
        .args(arguments)
        .env(WORKER_VARIABLE, start.to_value())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
}

/// The exit status or signal of a process in words.
fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = match signal {
                4 => " SIGILL",
                6 => " SIGABRT",
                7 => " SIGBUS",
                9 => " SIGKILL",
                11 => " SIGSEGV",
                15 => " SIGTERM",
                _ => "",
            };
            format!("signal {signal}{name}")
        }
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => status.to_string(),
    }
}

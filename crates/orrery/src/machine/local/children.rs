//! The worker processes: started, watched and never left behind.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

use super::worker::{Summons, VARIABLE};
use crate::machine::MachineError;

/// The processes of the workers, by worker. When they are dropped they are killed and reaped.
pub(super) struct Children {
    children: Vec<Child>,
    keeper: Option<(Sender<()>, JoinHandle<()>)>,
}

/// A process that has closed its connection has so long to die of what killed it.
const LAST_BREATH: Duration = Duration::from_secs(1);

impl Children {
    /// Starts one process for each summons, each in a process group of its own: an interrupt from the terminal reaches
    /// the parent only, which decides.
    ///
    /// A worker is killed by the system when the *thread* that started it ends, so a thread is kept for that.
    pub fn start(program: &Path, summonses: Vec<Summons>) -> Result<Self, MachineError> {
        let mut these = Self { children: Vec::new(), keeper: None };
        let (started, outcome) = channel();
        let (end, ended) = channel::<()>();
        let executable = program.to_owned();
        let keeper = thread::Builder::new()
            .name("orrery-local".into())
            .spawn(move || {
                for summons in summonses {
                    let child = start(&executable, summons).map_err(|error| (summons.number, error));
                    let failed = child.is_err();
                    if started.send(child).is_err() || failed {
                        break;
                    }
                }
                drop(started);
                let _ = ended.recv(); // until the other end is dropped
            })
            .map_err(|source| MachineError::System { doing: "starting a thread", source })?;
        these.keeper = Some((end, keeper));
        for child in outcome {
            let child = child.map_err(|(worker, error)| {
                let reason = format!("cannot run {}: {error}", program.display());
                MachineError::WorkerNotStarted { worker, reason }
            })?;
            these.children.push(child);
        }
        Ok(these)
    }

    /// The process numbers, by worker.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.children.iter().map(Child::id)
    }

    /// How a worker has ended, if it has.
    pub fn ended(&mut self, worker: usize) -> Option<String> {
        self.children[worker].try_wait().ok().flatten().map(describe)
    }

    /// How a worker has ended that seems to be dying.
    pub fn last_words(&mut self, worker: usize) -> Option<String> {
        let begin = Instant::now();
        loop {
            let ended = self.ended(worker);
            if ended.is_some() || begin.elapsed() > LAST_BREATH {
                return ended;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills and reaps all of them.
    pub fn end(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
        }
        for child in &mut self.children {
            let _ = child.wait();
        }
        if let Some((end, keeper)) = self.keeper.take() {
            drop(end);
            let _ = keeper.join();
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

fn start(program: &Path, summons: Summons) -> io::Result<Child> {
    Command::new(program)
        .env(VARIABLE, summons.to_value())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
}

/// How a process ended, in words.
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

//! Runs a command of the user and measures its time.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The interval in which the interrupt flag is checked.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

/// How long a command may take to end after SIGTERM, before SIGKILL.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

/// The file in the folder of a command for its standard output.
pub const STDOUT: &str = "stdout";
/// The file in the folder of a command for its standard error.
pub const STDERR: &str = "stderr";

/// The exit status and the duration of a command.
pub struct Ended {
    pub status: ExitStatus,
    /// The wall-clock time in seconds.
    pub seconds: f64,
}

/// Runs a shell command in a folder, with its output in files there. Returns `None` if it was interrupted; the process group
/// of the command is terminated then.
pub fn launch(command: &str, folder: &Path, interrupt: &AtomicBool) -> io::Result<Option<Ended>> {
    let begin = Instant::now();
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(folder.join(STDOUT))?)
        .stderr(File::create(folder.join(STDERR))?)
        .process_group(0)
        .spawn()?;
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    // The thread that waits reads the clock, so that the interval of checks does not matter.
    let waiter = thread::spawn(move || {
        let status = child.wait();
        let _ = sender.send((status, begin.elapsed().as_secs_f64()));
    });
    let mut terminated: Option<Instant> = None;
    let outcome = loop {
        match receiver.recv_timeout(INTERRUPT_INTERVAL) {
            Ok((status, seconds)) if terminated.is_none() => {
                break status.map(|status| Some(Ended { status, seconds }));
            }
            Ok(_) | Err(RecvTimeoutError::Disconnected) => break Ok(None),
            Err(RecvTimeoutError::Timeout) if !interrupt.load(Ordering::SeqCst) => {}
            Err(RecvTimeoutError::Timeout) => {
                let signal = match terminated {
                    None => Some(Signal::TERM),
                    Some(since) => (since.elapsed() > TERMINATION_TIMEOUT).then_some(Signal::KILL),
                };
                terminated = terminated.or(Some(Instant::now()));
                if let Some(signal) = signal {
                    // An error means that the group has exited.
                    let _ = kill_process_group(group, signal);
                }
            }
        }
    };
    let _ = waiter.join();
    outcome
}

//! Starts a command of the person at the terminal, waits for it, and reads the clock.

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

/// How often it is looked whether the person at the terminal has had enough.
const GLANCE: Duration = Duration::from_millis(50);

/// A command that was asked to end has so long to do so.
const GRACE: Duration = Duration::from_secs(5);

/// The names of the files in the folder of a command that take its output.
pub const STDOUT: &str = "stdout";
pub const STDERR: &str = "stderr";

/// A command that has ended.
pub struct Ended {
    pub status: ExitStatus,
    pub seconds: f64,
}

/// Runs a command line of the shell in a folder, its output in files there. `None` when it was interrupted: then it was
/// ended, with all processes that it had started and that did not leave its group.
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
    // The one who waits reads the clock, not the one who glances.
    let waiter = thread::spawn(move || {
        let status = child.wait();
        let told = sender.send((status, begin.elapsed().as_secs_f64()));
        drop(told);
    });
    let mut asked: Option<Instant> = None;
    let outcome = loop {
        match receiver.recv_timeout(GLANCE) {
            Ok((status, seconds)) if asked.is_none() => break status.map(|status| Some(Ended { status, seconds })),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => break Ok(None),
            Err(RecvTimeoutError::Timeout) if !interrupt.load(Ordering::SeqCst) => {}
            Err(RecvTimeoutError::Timeout) => {
                let signal = match asked {
                    None => Some(Signal::TERM),
                    Some(since) => (since.elapsed() > GRACE).then_some(Signal::KILL),
                };
                asked = asked.or(Some(Instant::now()));
                if let Some(signal) = signal {
                    // A group that is gone needs no signal.
                    let _ = kill_process_group(group, signal);
                }
            }
        }
    };
    let _ = waiter.join();
    outcome
}

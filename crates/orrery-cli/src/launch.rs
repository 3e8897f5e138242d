//! Runs a command of the user and measures its time.

use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::supervisor::Ended;

/// The interval in which the interrupt flag is checked.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

/// The hidden verb of the supervisor.
pub const SUPERVISE: &str = "supervise";

/// Runs a shell command in a folder, with its output in files there. Returns `None` if it was
/// interrupted; the process group of the command is terminated then, and also if this process is
/// killed.
pub fn launch(command: &str, folder: &Path, interrupt: &AtomicBool) -> io::Result<Option<Ended>> {
    // In a process group of its own, the supervisor receives no signals of the terminal.
    let mut supervisor = Command::new(own_program()?)
        .arg0("orrery")
        .args([SUPERVISE, "--", command])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let (mut pipe, stdout) = (supervisor.stdin.take(), supervisor.stdout.take());
    let (sender, receiver) = mpsc::channel();
    let waiter = thread::spawn(move || {
        let mut report = String::new();
        let read = stdout.map_or(Ok(0), |mut stdout| stdout.read_to_string(&mut report));
        let _ = sender.send(read.and(supervisor.wait()).map(|_| report));
    });
    let report = loop {
        match receiver.recv_timeout(INTERRUPT_INTERVAL) {
            Ok(report) => break report?,
            Err(RecvTimeoutError::Disconnected) => break String::new(),
            // The supervisor terminates the command when the pipe is closed.
            Err(RecvTimeoutError::Timeout) if interrupt.load(Ordering::SeqCst) => drop(pipe.take()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let _ = waiter.join();
    if pipe.is_none() {
        return Ok(None);
    }
    let killed = || {
        io::Error::other(
            "the supervisor of the command was killed; the command may still run, end it",
        )
    };
    Ended::from_report(&report)?.ok_or_else(killed).map(Some)
}

/// The program of this process, on Linux also after its file was replaced.
fn own_program() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

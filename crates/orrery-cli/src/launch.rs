//! Runs a command of the user and measures its time: a supervisor, this program again, runs it in a
//! process group of its own and terminates the group with this process.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

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
    let (sender, receiver) = channel();
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

/// How long a command may take to end after SIGTERM, before SIGKILL.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

/// The interval in which a terminated process group is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The file in the working folder of a command for its standard output.
pub const STDOUT: &str = "stdout";
/// The file in the working folder of a command for its standard error.
pub const STDERR: &str = "stderr";

/// The exit status and the duration of a command.
pub struct Ended {
    pub status: ExitStatus,
    /// The wall-clock time in seconds.
    pub seconds: f64,
}

impl Ended {
    /// The report of a supervisor: `ended STATUS SECONDS`, with the status in the encoding of the
    /// system.
    fn to_report(&self) -> String {
        format!("ended {} {:e}\n", self.status.into_raw(), self.seconds)
    }

    /// Reads the report of a supervisor; `None` if it was killed before the command ended.
    pub fn from_report(report: &str) -> io::Result<Option<Self>> {
        if let Some(why) = report.strip_prefix("failed ") {
            return Err(io::Error::other(why.trim_end().to_owned()));
        }
        let ended = || {
            let (status, seconds) =
                report.strip_prefix("ended ")?.strip_suffix('\n')?.split_once(' ')?;
            let status = ExitStatus::from_raw(status.parse().ok()?);
            Some(Self { status, seconds: seconds.parse().ok()? })
        };
        Ok(ended())
    }
}

/// An event that a supervisor waits for.
enum Event {
    /// The command has ended.
    Ended(io::Result<Ended>),
    /// The campaign has ended or was interrupted.
    Closed,
}

/// Runs a shell command in the current folder until it ends or stdin is closed; returns the report
/// for the campaign.
pub fn supervise(command: &str) -> String {
    match run(command) {
        Ok(Some(ended)) => ended.to_report(),
        Ok(None) => String::new(),
        Err(error) => format!("failed {error}\n"),
    }
}

/// Runs a command; `None` if it was terminated because stdin was closed.
fn run(command: &str) -> io::Result<Option<Ended>> {
    // Signals to all processes of a job reach the campaign, too, which then closes the pipe.
    ctrlc::set_handler(|| {}).map_err(io::Error::other)?;
    let begin = Instant::now();
    let child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(File::create(STDOUT)?)
        .stderr(File::create(STDERR)?)
        .process_group(0)
        .spawn()?;
    let group = Pid::from_child(&child);
    let (sender, events) = channel();
    let closed = sender.clone();
    thread::spawn(move || wait_for_close(&closed));
    thread::spawn(move || wait_for_end(child, begin, &sender));
    match events.recv() {
        Ok(Event::Ended(ended)) => ended.map(Some),
        Ok(Event::Closed) | Err(_) => {
            terminate(group);
            Ok(None)
        }
    }
}

/// Waits until stdin is closed; nothing is written to it.
fn wait_for_close(closed: &Sender<Event>) {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    let _ = closed.send(Event::Closed);
}

/// Waits until the command ends, and reads the clock.
fn wait_for_end(mut child: Child, begin: Instant, ended: &Sender<Event>) {
    let status = child.wait();
    let seconds = begin.elapsed().as_secs_f64();
    let _ = ended.send(Event::Ended(status.map(|status| Ended { status, seconds })));
}

/// Ends all processes of a group: by SIGTERM, so that launchers end their remote processes, then by
/// SIGKILL.
fn terminate(group: Pid) {
    let begin = Instant::now();
    // An error means that the group has no process left.
    let mut left = kill_process_group(group, Signal::TERM).is_ok();
    while left && begin.elapsed() < TERMINATION_TIMEOUT {
        thread::sleep(CHECK_INTERVAL);
        left = test_kill_process_group(group).is_ok();
    }
    if left {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_back() -> io::Result<()> {
        for raw in [0, 3 << 8, 9] {
            let report = Ended { status: ExitStatus::from_raw(raw), seconds: 1.25e-3 }.to_report();
            let ended = Ended::from_report(&report)?.ok_or(io::ErrorKind::InvalidData)?;
            assert_eq!((ended.status.into_raw(), ended.seconds), (raw, 1.25e-3));
            assert!(Ended::from_report(report.trim_end())?.is_none(), "a torn report is none");
        }
        assert!(Ended::from_report("")?.is_none());
        let failed =
            Ended::from_report("failed no shell\n").map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(failed, Err("no shell".to_owned()));
        Ok(())
    }
}

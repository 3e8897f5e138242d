//! Running a command to its end, so that one that hangs is a test that fails.

use std::io;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Only a hang takes so long.
const HANG: Duration = Duration::from_secs(600);

/// What a command prints until it ends; one that does not come to an end is killed, and an error.
pub fn of(mut command: Command) -> io::Result<Output> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let process = Pid::from_child(&child);
    let (sender, outcome) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    outcome.recv_timeout(HANG).unwrap_or_else(|_| {
        let _ = kill_process(process, Signal::KILL);
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("it does not come to an end: {command:?}"),
        ))
    })
}

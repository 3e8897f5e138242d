//! Commands under way.

use std::error::Error;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::Outcome;

/// Only a hang takes so long.
pub const HANG: Duration = Duration::from_secs(60);

/// A command under way, killed at the end of the test.
pub struct Running(pub Child);

impl Running {
    /// Starts a command.
    pub fn start(command: &mut Command) -> Result<Self, Box<dyn Error>> {
        Ok(Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?))
    }

    /// Waits until a condition is met while the command runs.
    pub fn until(&mut self, condition: impl Fn() -> bool) -> Outcome {
        let begin = Instant::now();
        while !condition() {
            assert!(begin.elapsed() < HANG, "the condition is not met");
            assert!(self.0.try_wait()?.is_none(), "the command has ended: {}", self.end()?.2);
            sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Waits for the end; the exit status, stdout and stderr.
    pub fn end(&mut self) -> Result<(Option<i32>, String, String), Box<dyn Error>> {
        let begin = Instant::now();
        while self.0.try_wait()?.is_none() {
            assert!(begin.elapsed() < HANG, "the command does not end");
            sleep(Duration::from_millis(1));
        }
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.0.stdout.take().ok_or("no stdout")?.read_to_string(&mut stdout)?;
        self.0.stderr.take().ok_or("no stderr")?.read_to_string(&mut stderr)?;
        Ok((self.0.wait()?.code(), stdout, stderr))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

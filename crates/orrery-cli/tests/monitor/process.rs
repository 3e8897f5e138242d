//! The service as a process.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::http::Client;

/// A running `orrery monitor serve`; dropping it kills it.
pub struct Serving {
    child: Child,
    stderr: BufReader<ChildStderr>,
    pub address: SocketAddr,
}

impl Serving {
    /// Starts the service with a database in a folder, and waits until it listens.
    pub fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// Starts the service with further arguments.
    pub fn start_with(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_at(folder, SocketAddr::from(([127, 0, 0, 1], 0)), arguments)
    }

    /// Starts the service at an address.
    pub fn start_at(folder: &Path, address: SocketAddr, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
        command.args(["monitor", "serve", "--store", "series.db", "--listen"]);
        command.arg(address.to_string()).args(arguments);
        command.current_dir(folder);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the command starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("the service prints a line");
        let address = line.trim().rsplit("http://").next().and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}"));
        Self { child, stderr, address }
    }

    pub fn client(&self) -> Client<std::net::TcpStream> {
        Client::connect(self.address).expect("the service accepts")
    }

    /// The resident memory of the service in KiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .expect("the process runs");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("the memory is known");
        line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
    }

    /// Kills the service as if the host had no memory left.
    pub fn kill(&mut self) {
        self.child.kill().expect("the process runs");
        self.child.wait().expect("the process ends");
    }

    /// Sends a signal, and returns the exit status and the rest of the log.
    pub fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), signal).expect("the process runs");
        let mut log = String::new();
        self.stderr.read_to_string(&mut log).expect("the log is text");
        (self.child.wait().expect("the process ends").code(), log)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The service as a process: this program once more, with the folder of its database in an
//! environment variable.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use orrery_monitor::service::{Limits, Service, ServiceOptions};
use orrery_monitor::store::Retention;

/// The environment variable with the folder of the database; a process that has it is the service.
const FOLDER: &str = "ORRERY_LOAD_FOLDER";

/// The ticks of processor time in a second, in `/proc`.
const TICKS_PER_SECOND: u64 = 100;

/// Serves if this process is the child, until it is killed; returns false otherwise.
pub fn serve_if_child() -> bool {
    let Some(folder) = std::env::var_os(FOLDER) else { return false };
    let options = ServiceOptions {
        store: std::path::Path::new(&folder).join("series.db"),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        tokens: None,
        tls: None,
        limits: Limits::default(),
        retention: Retention::default(),
        model: None,
    };
    let service =
        Service::start(options, |event| eprintln!("{event}")).expect("the service starts");
    println!("{}", service.address());
    service.run();
    true
}

/// A process of the service; dropping it kills it.
pub struct ServiceProcess {
    child: Child,
    pub address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl ServiceProcess {
    /// Starts it, on one core if it is given.
    pub fn start(core: Option<usize>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = match core {
            Some(core) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &core.to_string()]).arg(program);
                command
            }
            None => Command::new(program),
        };
        let mut child = command
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("the service prints its address");
        Self { child, address: line.trim().parse().expect("an address"), _folder: folder }
    }

    /// The processor time so far.
    pub fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))
            .expect("the process runs");
        // The name, in parentheses, may have spaces. The fields after it begin with the third one.
        let fields: Vec<&str> =
            stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = [11, 12]
            .iter()
            .filter_map(|&field: &usize| fields.get(field)?.parse::<u64>().ok())
            .sum();
        Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
    }

    /// The maximum resident memory so far in KiB.
    pub fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .expect("the process runs");
        let line =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has a maximum");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Starts a local machine: processes, control connections, mesh, and the description of the result.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::coordinator::{Coordinator, check_interrupt, failed};
use super::emulation::Emulation;
use super::handshake::{Listener, Token, WORKER_VARIABLE, WorkerStart};
use super::processes::WorkerProcesses;
use super::protocol::{Command, Join, Peers, Report};
use super::switch::Switch;
use crate::machine::{MachineError, host};
use crate::sample::Provenance;

/// The method by which receives wait for their messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Polling {
    /// They poll if there is a core for each worker, and block otherwise.
    #[default]
    Automatic,
    /// They poll for 10 ms before they block.
    Spin,
    /// They block immediately.
    Block,
}

/// The settings of a local machine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The number of workers; an emulation has its own.
    pub workers: usize,
    /// The cluster to emulate, if any: it sets the number of workers.
    pub emulation: Option<Emulation>,
    /// The program of the workers, which must call [`super::serve_if_worker`]; the running program
    /// if `None`.
    pub program: Option<PathBuf>,
    /// The arguments of that program.
    pub arguments: Vec<OsString>,
    /// The time after which a silent worker is considered to hang. A worker is silent during a busy
    /// operation too.
    pub time_limit: Duration,
    /// The time within which all workers must start and connect to each other.
    pub start_limit: Duration,
    /// The method by which receives wait for their messages.
    pub polling: Polling,
    /// When this becomes true, a running batch ends with [`MachineError::Interrupted`], and the
    /// machine with it.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: 2,
            emulation: None,
            program: None,
            arguments: Vec::new(),
            time_limit: Duration::from_secs(30),
            start_limit: Duration::from_secs(30),
            polling: Polling::default(),
            interrupt: None,
        }
    }
}

impl Options {
    /// The number of workers.
    pub(super) fn worker_count(&self) -> usize {
        self.emulation.as_ref().map_or(self.workers, Emulation::workers)
    }
}

/// The action in errors of a listener.
const LISTEN: &str = "cannot listen on the loopback interface";

/// The interval in which the interrupt flag and the processes are checked while workers connect.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The reports of the workers when they are ready.
#[derive(Debug)]
struct Workers {
    /// The congestion control of their connections.
    congestion_control: String,
    /// The core that each is bound to; `None` if it is not bound.
    cores: Vec<Option<usize>>,
}

/// The parts of a started machine.
pub(super) struct Launched {
    pub coordinator: Coordinator,
    pub switch: Option<Switch>,
    pub provenance: Provenance,
}

/// Starts the workers and connects them to each other.
pub(super) fn launch(options: &Options) -> Result<Launched, MachineError> {
    if std::env::var_os(WORKER_VARIABLE).is_some() {
        let reason =
            "this process is itself a worker; its main function must call serve_if_worker first";
        return Err(MachineError::WorkerNotStarted { worker: 0, reason: reason.into() });
    }
    let count = options.worker_count();
    if count == 0 {
        let reason = "a machine needs at least one worker".into();
        return Err(MachineError::WorkerNotStarted { worker: 0, reason });
    }
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            std::env::current_exe().map_err(failed("cannot find the program of the workers"))?
        }
    };
    let (spin, cores) = polling_and_cores(options);
    let all: Vec<usize> = (0..count).collect();
    let token = Token::random().map_err(failed("cannot read random numbers"))?;
    let mut coordinator = start_processes(options, &program, token)?;
    coordinator.set_time_limit(options.start_limit);
    let start_error = |error| start_error(error, options.start_limit);

    let mut ports = vec![0; count];
    coordinator
        .collect_reports(&all, |worker, report| {
            if let Report::Listening(port) = report {
                ports[worker] = port;
            }
            Ok(())
        })
        .map_err(start_error)?;
    let emulation = options.emulation.as_ref();
    let switch = emulation.map(|emulation| Switch::start(emulation, token, options.start_limit));
    let switch = switch.transpose().map_err(failed(LISTEN))?;
    let peers = switch.as_ref().map_or(Peers::Direct(ports), |switch| Peers::Switch(switch.port));
    for &worker in &all {
        let overheads = emulation.map(|emulation| emulation.overheads(worker));
        let join =
            Join { peers: peers.clone(), workers: count, spin, core: cores[worker], overheads };
        coordinator.send(&[worker], &Command::Join(join)).map_err(start_error)?;
    }
    let mut workers = Workers { congestion_control: String::new(), cores: vec![None; count] };
    coordinator
        .collect_reports(&all, |worker, report| {
            if let Report::Ready { congestion_control, core } = report {
                workers.congestion_control = congestion_control;
                workers.cores[worker] = core;
            }
            Ok(())
        })
        .map_err(start_error)?;
    coordinator.set_time_limit(options.time_limit);
    Ok(Launched { coordinator, switch, provenance: describe(&workers, spin, emulation) })
}

/// Returns true if receives poll, and the core for each worker.
fn polling_and_cores(options: &Options) -> (bool, Vec<Option<usize>>) {
    if let Some(emulation) = &options.emulation {
        // Workers sleep most of the time. Each may use any core, so that none waits for another.
        return (false, vec![None; emulation.workers()]);
    }
    let cores = host::usable_cores();
    // `available_parallelism` takes the CPU quota of containers into account.
    let available = std::thread::available_parallelism().map_or(1, usize::from).min(cores.len());
    let spin = match options.polling {
        Polling::Automatic => options.workers <= available,
        Polling::Spin => true,
        Polling::Block => false,
    };
    // Workers without a fixed core migrate when they share cores: a pair is on one core for a
    // while, then on two, which makes a message ten times slower. Workers are bound to cores in
    // turn, so that a link keeps its properties.
    let core = |worker: usize| (!cores.is_empty()).then(|| cores[worker % cores.len()]);
    (spin, (0..options.workers).map(core).collect())
}

/// Starts the processes and accepts their control connections.
fn start_processes(
    options: &Options,
    program: &Path,
    token: Token,
) -> Result<Coordinator, MachineError> {
    let mut listener = Listener::bind(token).map_err(failed(LISTEN))?;
    let port = listener.port().map_err(failed(LISTEN))?;
    let starts =
        (0..options.worker_count()).map(|worker| WorkerStart { port, token, worker }).collect();
    let mut processes = WorkerProcesses::start(program, &options.arguments, starts)?;
    let deadline = Instant::now() + options.start_limit;
    let mut streams = Vec::new();
    streams.resize_with(options.worker_count(), || None);
    while let Some(worker) = streams.iter().position(Option::is_none) {
        check_interrupt(options.interrupt.as_ref())?;
        let accepted = listener
            .accept(CHECK_INTERVAL)
            .map_err(failed("cannot accept the connection of a worker"))?;
        if let Some((worker, stream)) = accepted {
            if let Some(place) = streams.get_mut(worker) {
                *place = Some(stream);
            }
            continue;
        }
        let missing: Vec<usize> =
            (0..streams.len()).filter(|&worker| streams[worker].is_none()).collect();
        for worker in missing {
            if let Some(how) = processes.exit_status(worker) {
                let reason = format!("{} exited immediately ({how})", program.display());
                return Err(MachineError::WorkerNotStarted { worker, reason });
            }
        }
        if Instant::now() > deadline {
            let seconds = options.start_limit.as_secs_f64();
            let reason = format!("{} did not connect within {seconds} s", program.display());
            return Err(MachineError::WorkerNotStarted { worker, reason });
        }
    }
    let streams = streams.into_iter().flatten().collect();
    Coordinator::new(processes, streams, options.start_limit, options.interrupt.clone())
}

/// Converts an error of a worker during the start.
fn start_error(error: MachineError, limit: Duration) -> MachineError {
    match error {
        MachineError::WorkerDied { worker, how } => {
            MachineError::WorkerNotStarted { worker, reason: format!("it died ({how})") }
        }
        MachineError::WorkerFailed { worker, reason } => {
            MachineError::WorkerNotStarted { worker, reason }
        }
        MachineError::WorkerTimedOut { worker, .. } => {
            let reason =
                format!("it did not connect to the others within {} s", limit.as_secs_f64());
            MachineError::WorkerNotStarted { worker, reason }
        }
        other => other,
    }
}

/// The provenance of a machine with these workers.
fn describe(workers: &Workers, spin: bool, emulation: Option<&Emulation>) -> Provenance {
    let count = workers.cores.len();
    let hosts = match emulation {
        Some(emulation) => emulation.host_names().collect::<Vec<_>>().join(" "),
        None => vec![host::name(); count].join(" "),
    };
    let through = if emulation.is_some() { "through a switch that emulates links, " } else { "" };
    let is_bound = workers.cores.iter().all(Option::is_some);
    let cores = workers
        .cores
        .iter()
        .map(|core| core.map_or_else(|| "any".to_owned(), |core| core.to_string()));
    let mut provenance = Provenance::new()
        .with("machine", "local")
        .with("date", host::date())
        .with("hosts", hosts)
        .with("cores", cores.collect::<Vec<_>>().join(" "))
        .with("binding", if is_bound { "each worker keeps to a core" } else { "none" })
        .with("usable cores", host::usable_cores().len().to_string())
        .with(
            "transport",
            format!("tcp loopback, {through}nodelay, {}", workers.congestion_control),
        )
        .with("polling", if spin { "spin" } else { "block" })
        .with("clock", "CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW for timing global")
        .with("barrier", "dissemination")
        .with("kernel", host::kernel());
    if let Some(emulation) = emulation {
        provenance.set("cluster", emulation.name());
    }
    if let Some(model) = host::cpu_model() {
        provenance.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        provenance.set("governor", governor);
    }
    provenance
}

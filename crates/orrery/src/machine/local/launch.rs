//! Starts a local machine: processes, control connections, mesh, and the description of the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::coordinator::{Coordinator, check_interrupt, failed};
use super::handshake::{Listener, Token, WORKER_VARIABLE, WorkerStart};
use super::processes::WorkerProcesses;
use super::protocol::{Command, Join, Report};
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
    /// The number of workers.
    pub workers: usize,
    /// The program of the workers, which must call [`super::serve_if_worker`]; the running program if `None`.
    pub program: Option<PathBuf>,
    /// The time after which a silent worker is considered to hang. A worker is silent during a busy operation too.
    pub time_limit: Duration,
    /// The time within which all workers must start and connect to each other.
    pub start_limit: Duration,
    /// The method by which receives wait for their messages.
    pub polling: Polling,
    /// When this becomes true, a running batch ends with [`MachineError::Interrupted`], and the machine with it.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: 2,
            program: None,
            time_limit: Duration::from_secs(30),
            start_limit: Duration::from_secs(30),
            polling: Polling::default(),
            interrupt: None,
        }
    }
}

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

/// Starts the workers and connects them to each other; returns the coordinator and the provenance of the machine.
pub(super) fn launch(options: &Options) -> Result<(Coordinator, Provenance), MachineError> {
    if std::env::var_os(WORKER_VARIABLE).is_some() {
        let reason = "this process is itself a worker; its main function must call serve_if_worker first";
        return Err(MachineError::WorkerNotStarted { worker: 0, reason: reason.into() });
    }
    let count = options.workers;
    if count == 0 {
        let reason = "a machine needs at least one worker".into();
        return Err(MachineError::WorkerNotStarted { worker: 0, reason });
    }
    let program = match &options.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(failed("cannot find the program of the workers"))?,
    };
    let (spin, cores) = polling_and_cores(options);
    let all: Vec<usize> = (0..count).collect();
    let mut coordinator = start_processes(options, &program)?;
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
    for &worker in &all {
        let join = Join { ports: ports.clone(), spin, core: cores[worker] };
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
    Ok((coordinator, describe(&workers, spin)))
}

/// Returns true if receives poll, and the core for each worker.
fn polling_and_cores(options: &Options) -> (bool, Vec<Option<usize>>) {
    let cores = host::usable_cores();
    // `available_parallelism` takes the CPU quota of containers into account.
    let available = std::thread::available_parallelism().map_or(1, usize::from).min(cores.len());
    let spin = match options.polling {
        Polling::Automatic => options.workers <= available,
        Polling::Spin => true,
        Polling::Block => false,
    };
    // Workers without a fixed core migrate when they share cores: a pair is on one core for a while, then on two, which
    // makes a message ten times slower. Workers are bound to cores in turn, so that a link keeps its properties.
    let core = |worker: usize| (!cores.is_empty()).then(|| cores[worker % cores.len()]);
    (spin, (0..options.workers).map(core).collect())
}

/// Starts the processes and accepts their control connections.
fn start_processes(options: &Options, program: &Path) -> Result<Coordinator, MachineError> {
    /// The action in errors of the listener.
    const LISTEN: &str = "cannot listen on the loopback interface";
    let token = Token::random().map_err(failed("cannot read random numbers"))?;
    let mut listener = Listener::bind(token).map_err(failed(LISTEN))?;
    let port = listener.port().map_err(failed(LISTEN))?;
    let starts = (0..options.workers).map(|worker| WorkerStart { port, token, worker }).collect();
    let mut processes = WorkerProcesses::start(program, starts)?;
    let deadline = Instant::now() + options.start_limit;
    let mut streams = Vec::new();
    streams.resize_with(options.workers, || None);
    while let Some(worker) = streams.iter().position(Option::is_none) {
        check_interrupt(options.interrupt.as_ref())?;
        let accepted = listener.accept(CHECK_INTERVAL).map_err(failed("cannot accept the connection of a worker"))?;
        if let Some((worker, stream)) = accepted {
            if let Some(place) = streams.get_mut(worker) {
                *place = Some(stream);
            }
            continue;
        }
        let missing: Vec<usize> = (0..streams.len()).filter(|&worker| streams[worker].is_none()).collect();
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
        MachineError::WorkerFailed { worker, reason } => MachineError::WorkerNotStarted { worker, reason },
        MachineError::WorkerTimedOut { worker, .. } => {
            let reason = format!("it did not connect to the others within {} s", limit.as_secs_f64());
            MachineError::WorkerNotStarted { worker, reason }
        }
        other => other,
    }
}

/// The provenance of a machine with these workers.
fn describe(workers: &Workers, spin: bool) -> Provenance {
    let count = workers.cores.len();
    let is_bound = workers.cores.iter().all(Option::is_some);
    let cores = workers.cores.iter().map(|core| core.map_or_else(|| "any".to_owned(), |core| core.to_string()));
    let mut provenance = Provenance::new()
        .with("machine", "local")
        .with("date", host::date())
        .with("hosts", vec![host::name(); count].join(" "))
        .with("cores", cores.collect::<Vec<_>>().join(" "))
        .with("binding", if is_bound { "each worker keeps to a core" } else { "none" })
        .with("usable cores", host::usable_cores().len().to_string())
        .with("transport", format!("tcp loopback, nodelay, {}", workers.congestion_control))
        .with("polling", if spin { "spin" } else { "block" })
        .with("clock", "CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW for timing global")
        .with("barrier", "dissemination")
        .with("kernel", host::kernel());
    if let Some(model) = host::cpu_model() {
        provenance.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        provenance.set("governor", governor);
    }
    provenance
}

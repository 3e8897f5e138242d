//! How a machine comes to life: processes, control connections, mesh.

use std::path::Path;
use std::time::{Duration, Instant};

use super::Options;
use super::children::Children;
use super::coordinator::{Coordinator, check, failed};
use super::handshake::{Door, Token};
use super::protocol::{Join, Order, Report};
use super::worker::{Summons, VARIABLE};
use crate::machine::MachineError;

/// What is known of the workers once they are there.
#[derive(Debug)]
pub(super) struct Crew {
    /// The congestion control of their connections.
    pub congestion: String,
    /// The core of each, where it stays on one.
    pub cores: Vec<Option<usize>>,
}

/// Starts the workers and joins them; `spin` and `cores` are for them.
pub(super) fn start(
    options: &Options,
    spin: bool,
    cores: &[Option<usize>],
) -> Result<(Coordinator, Crew), MachineError> {
    if std::env::var_os(VARIABLE).is_some() {
        let reason = "this process is itself a worker; its main function must call serve_if_worker first";
        return Err(MachineError::WorkerNotStarted { worker: 0, reason: reason.into() });
    }
    let count = options.workers;
    if count == 0 {
        return Err(MachineError::WorkerNotStarted { worker: 0, reason: "a machine needs at least one worker".into() });
    }
    let program = match &options.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(failed("looking for the program of the workers"))?,
    };
    let all: Vec<usize> = (0..count).collect();
    let mut coordinator = greet(options, &program)?;
    coordinator.set_limit(options.start_limit);
    let late = |error| late(error, options.start_limit);

    let mut ports = vec![0; count];
    coordinator
        .gather(&all, |worker, report| {
            if let Report::Listening(port) = report {
                ports[worker] = port;
            }
            Ok(())
        })
        .map_err(late)?;
    for &worker in &all {
        let join = Join { ports: ports.clone(), spin, core: cores[worker] };
        coordinator.order(&[worker], &Order::Join(join)).map_err(late)?;
    }
    let mut crew = Crew { congestion: String::new(), cores: vec![None; count] };
    coordinator
        .gather(&all, |worker, report| {
            if let Report::Ready { congestion, core } = report {
                crew.congestion = congestion;
                crew.cores[worker] = core;
            }
            Ok(())
        })
        .map_err(late)?;
    coordinator.set_limit(options.time_limit);
    Ok((coordinator, crew))
}

/// Starts the processes and waits until each of them has come in.
fn greet(options: &Options, program: &Path) -> Result<Coordinator, MachineError> {
    let token = Token::random().map_err(failed("reading random numbers"))?;
    let mut door = Door::open(token).map_err(failed("opening a port on the loopback interface"))?;
    let port = door.port().map_err(failed("opening a port on the loopback interface"))?;
    let summonses = (0..options.workers).map(|number| Summons { port, token, number }).collect();
    let mut children = Children::start(program, summonses)?;
    let end = Instant::now() + options.start_limit;
    let mut streams = Vec::new();
    streams.resize_with(options.workers, || None);
    while let Some(worker) = streams.iter().position(Option::is_none) {
        check(options.interrupt.as_ref())?;
        if let Some((number, stream)) = door.welcome(Duration::from_millis(10)).map_err(failed("greeting a worker"))? {
            if let Some(place) = streams.get_mut(number) {
                *place = Some(stream);
            }
            continue;
        }
        let missing: Vec<usize> = (0..streams.len()).filter(|&worker| streams[worker].is_none()).collect();
        for worker in missing {
            if let Some(how) = children.ended(worker) {
                let reason = format!("{} ended at once ({how}) instead of working", program.display());
                return Err(MachineError::WorkerNotStarted { worker, reason });
            }
        }
        if Instant::now() > end {
            let seconds = options.start_limit.as_secs_f64();
            let reason = format!("{} did not report within {seconds} s", program.display());
            return Err(MachineError::WorkerNotStarted { worker, reason });
        }
    }
    let streams = streams.into_iter().flatten().collect();
    Coordinator::new(children, streams, options.start_limit, options.interrupt.clone())
}

/// Errors during the start, told as such.
fn late(error: MachineError, limit: Duration) -> MachineError {
    match error {
        MachineError::WorkerDied { worker, how } => {
            MachineError::WorkerNotStarted { worker, reason: format!("it died ({how})") }
        }
        MachineError::WorkerFailed { worker, reason } => MachineError::WorkerNotStarted { worker, reason },
        MachineError::WorkerTimedOut { worker, .. } => {
            let reason = format!("it did not join the others within {} s", limit.as_secs_f64());
            MachineError::WorkerNotStarted { worker, reason }
        }
        other => other,
    }
}

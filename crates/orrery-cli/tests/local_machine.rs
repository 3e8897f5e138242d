//! The local machine: what all machines must do, and what must not happen when workers die, hang or
//! are interrupted.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use orrery::machine::local::{LocalMachine, Options, Polling};
use orrery::machine::{Batch, Machine, MachineError, conformance};
use orrery::platform::Placement;
use orrery::schedule::{Explicit, Operation, Program, Rank, RoundTrip, Schedule};
use orrery::units::{Bytes, Seconds};

type Outcome = Result<(), Box<dyn Error>>;

fn options(workers: usize) -> Options {
    Options {
        workers,
        program: Some(PathBuf::from(env!("CARGO_BIN_EXE_orrery"))),
        ..Options::default()
    }
}

fn batch(program: Program, repetitions: u32) -> Batch {
    let (reading, placement) = (program.reading(), Placement::identity(program.ranks()));
    Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions }
}

fn round_trip(size: u64) -> Batch {
    batch(Program::RoundTrip(RoundTrip { out: Bytes::new(size), back: Bytes::new(size) }), 1)
}

fn explicit(ranks: Vec<Vec<Operation>>) -> Batch {
    batch(Program::Explicit(Explicit::new(ranks)), 1)
}

/// All ranks are busy for so long.
fn busy(ranks: usize, seconds: f64) -> Batch {
    explicit(vec![vec![Operation::Compute(Seconds::new(seconds))]; ranks])
}

fn signal(signal: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "cannot send {signal} to {process}");
}

/// Whether a process is there and no zombie.
fn lives(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// Waits for the end of processes, for a while.
fn all_end(processes: &[u32]) -> bool {
    let begin = Instant::now();
    while processes.iter().any(|&process| lives(process)) {
        if begin.elapsed() > Duration::from_secs(20) {
            return false;
        }
        sleep(Duration::from_millis(5));
    }
    true
}

/// Checks that a failed machine has no workers and refuses batches.
fn check_failed(machine: &mut LocalMachine, workers: &[u32]) {
    assert!(all_end(workers));
    assert!(machine.worker_ids().is_empty());
    let again = machine.run(&busy(1, 0.0)).map_err(|error| error.to_string());
    assert!(again.as_ref().is_err_and(|error| error.contains("has failed before")), "{again:?}");
}

/// With more workers than cores, and with each way to wait.
#[test]
fn conforms() -> Outcome {
    let [spin, block] =
        [Polling::Spin, Polling::Block].map(|polling| Options { polling, ..options(3) });
    for options in [options(4), spin, block] {
        conformance::conformance(&mut LocalMachine::start(&options)?)?;
    }
    Ok(())
}

#[test]
fn one_worker_is_a_machine() -> Outcome {
    let mut machine = LocalMachine::start(&options(1))?;
    assert_eq!(machine.run(&busy(1, 1e-4))?.len(), 1);
    Ok(())
}

#[test]
fn says_where_its_readings_come_from() -> Outcome {
    let machine = LocalMachine::start(&options(3))?;
    let provenance = machine.provenance();
    assert_eq!(provenance.get("machine"), Some("local"));
    assert_eq!(provenance.hosts().len(), 3);
    for key in ["cores", "binding", "clock", "date", "transport", "polling", "kernel", "barrier"] {
        assert!(provenance.get(key).is_some_and(|value| !value.is_empty()), "{key} is missing");
    }
    assert!(provenance.get("transport").is_some_and(|transport| !transport.contains("bbr")));
    Ok(())
}

#[test]
fn large_messages_cross_and_arrive() -> Outcome {
    let size = Bytes::new(64 << 20);
    let rank =
        |other| vec![Operation::send(Rank(other), size), Operation::receive(Rank(other), size)];
    for polling in [Polling::Spin, Polling::Block] {
        let mut machine = LocalMachine::start(&Options { polling, ..options(2) })?;
        assert_eq!(machine.run(&explicit(vec![rank(1), rank(0)]))?.len(), 1);
    }
    LocalMachine::start(&options(2))?.run(&round_trip(300 << 20))?;
    Ok(())
}

#[test]
fn a_message_for_which_there_is_no_memory_is_an_error() -> Outcome {
    for size in [1 << 50, u64::MAX] {
        let mut machine = LocalMachine::start(&options(2))?;
        let workers = machine.worker_ids();
        let outcome = machine.run(&round_trip(size));
        assert!(
            matches!(&outcome, Err(MachineError::WorkerFailed { reason, .. }) if reason.contains("cannot allocate memory")),
            "{outcome:?}"
        );
        check_failed(&mut machine, &workers);
    }
    Ok(())
}

#[test]
fn a_killed_worker_is_named() -> Outcome {
    let mut machine = LocalMachine::start(&options(3))?;
    let workers = machine.worker_ids();
    let victim = workers[1];
    let killer = spawn(move || {
        sleep(Duration::from_millis(100));
        signal("KILL", victim);
    });
    // Rank 0 waits for rank 1, which is busy for a minute.
    let waits = vec![Operation::receive(Rank(1), Bytes::ZERO)];
    let computes =
        vec![Operation::Compute(Seconds::new(60.0)), Operation::send(Rank(0), Bytes::ZERO)];
    let outcome = machine.run(&explicit(vec![waits, computes]));
    assert!(killer.join().is_ok());
    assert!(
        matches!(&outcome, Err(MachineError::WorkerDied { worker: 1, how }) if how.contains("signal 9")),
        "{outcome:?}"
    );
    check_failed(&mut machine, &workers);
    Ok(())
}

#[test]
fn a_worker_that_was_killed_between_batches_is_named() -> Outcome {
    let mut machine = LocalMachine::start(&options(3))?;
    let workers = machine.worker_ids();
    signal("KILL", workers[2]);
    assert!(all_end(&workers[2..]));
    let outcome = machine.run(&busy(3, 1e-3));
    assert!(matches!(outcome, Err(MachineError::WorkerDied { worker: 2, .. })), "{outcome:?}");
    check_failed(&mut machine, &workers);
    Ok(())
}

#[test]
fn a_stopped_worker_hangs() -> Outcome {
    let mut machine =
        LocalMachine::start(&Options { time_limit: Duration::from_secs(2), ..options(3) })?;
    let workers = machine.worker_ids();
    machine.run(&busy(3, 1e-3))?;
    signal("STOP", workers[1]);
    // All three wait at the barrier; the stopped one causes the delay.
    let outcome = machine.run(&busy(3, 1e-3));
    assert!(matches!(outcome, Err(MachineError::WorkerTimedOut { worker: 1, .. })), "{outcome:?}");
    check_failed(&mut machine, &workers);
    Ok(())
}

/// The time limit is for a sign of life, not for the batch.
#[test]
fn a_long_batch_does_not_hang() -> Outcome {
    let mut machine =
        LocalMachine::start(&Options { time_limit: Duration::from_millis(2500), ..options(2) })?;
    let batch = Batch { repetitions: 30, ..busy(2, 0.1) };
    assert_eq!(machine.run(&batch)?.len(), 30);
    Ok(())
}

#[test]
fn an_interrupt_ends_a_batch() -> Outcome {
    let flag = Arc::new(AtomicBool::new(false));
    let mut machine =
        LocalMachine::start(&Options { interrupt: Some(flag.clone()), ..options(2) })?;
    let workers = machine.worker_ids();
    let hand = spawn(move || {
        sleep(Duration::from_millis(100));
        flag.store(true, Ordering::Relaxed);
    });
    // The batch would exceed the time limit.
    let outcome = machine.run(&busy(2, 60.0));
    assert!(hand.join().is_ok());
    assert!(matches!(outcome, Err(MachineError::Interrupted)), "{outcome:?}");
    check_failed(&mut machine, &workers);
    Ok(())
}

#[test]
fn a_failed_start_names_the_reason() {
    let start = |program: &str| {
        let start_limit = Duration::from_secs(1);
        LocalMachine::start(&Options { program: Some(program.into()), start_limit, ..options(2) })
    };
    for (program, reason) in [
        ("/no/such/program", "cannot run"),
        ("/bin/true", "exited immediately"),
        ("/usr/bin/yes", "did not connect"),
    ] {
        match start(program) {
            Err(MachineError::WorkerNotStarted { reason: said, .. }) => {
                assert!(said.contains(reason), "{program}: {said}");
            }
            other => panic!("{program}: {other:?}"),
        }
    }
    assert!(matches!(LocalMachine::start(&options(0)), Err(MachineError::WorkerNotStarted { .. })));
}

#[test]
fn dropping_the_machine_ends_its_workers() -> Outcome {
    let machine = LocalMachine::start(&options(3))?;
    let workers = machine.worker_ids();
    assert!(workers.iter().all(|&worker| lives(worker)));
    signal("STOP", workers[0]);
    drop(machine);
    assert!(
        !workers.iter().any(|&worker| Path::new(&format!("/proc/{worker}")).exists()),
        "not reaped"
    );
    Ok(())
}

/// The thread that starts a machine may end before the machine does.
#[test]
fn a_machine_may_leave_the_thread_that_started_it() -> Outcome {
    let machine =
        spawn(|| LocalMachine::start(&options(2)).map_err(|error| error.to_string())).join();
    let mut machine = machine.map_err(|_| "the thread panicked")??;
    sleep(Duration::from_millis(50));
    assert_eq!(machine.run(&round_trip(1))?.len(), 1);
    Ok(())
}

/// Set in the process that is to be killed: this same test, run by itself.
const SACRIFICE: &str = "ORRERY_TEST_SACRIFICE";

#[test]
fn no_worker_outlives_its_parent() -> Outcome {
    if let Some(file) = std::env::var_os(SACRIFICE) {
        let mut machine = LocalMachine::start(&options(3))?;
        let workers: Vec<String> = machine.worker_ids().iter().map(ToString::to_string).collect();
        let draft = Path::new(&file).with_extension("draft");
        fs::write(&draft, workers.join(" "))?;
        fs::rename(&draft, &file)?;
        // Worker 2 does not take part and waits for orders, the others compute.
        machine.run(&busy(2, 60.0))?;
        return Err("it should have been killed".into());
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("workers");
    let mut parent = Command::new(std::env::current_exe()?)
        .args(["--exact", "no_worker_outlives_its_parent", "--nocapture"])
        .env(SACRIFICE, &file)
        .spawn()?;
    let begin = Instant::now();
    while !file.exists() {
        assert!(begin.elapsed() < Duration::from_secs(30), "the machine did not start");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(50));
    let text = fs::read_to_string(&file)?;
    let workers: Vec<u32> = text.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    assert_eq!(workers.len(), 3);
    assert!(workers.iter().all(|&worker| lives(worker)));
    parent.kill()?;
    parent.wait()?;
    assert!(all_end(&workers), "workers are left behind");
    Ok(())
}

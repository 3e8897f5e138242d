//! The conformance tests of machines, on the ranks of an MPI job.
//!
//! `scripts/test-mpi` starts it with mpirun, on three ranks or more. Without it there is nothing to
//! test.

use std::process::ExitCode;

use orrery::machine::conformance::conformance;
use orrery::machine::{Machine, MachineError};
use orrery_mpi::{Job, MpiMachine, Options, ThreadLevel};

fn main() -> ExitCode {
    if !["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
    {
        println!("not under mpirun: scripts/test-mpi starts this test");
        return ExitCode::SUCCESS;
    }
    let outcome = run();
    if let Err(error) = &outcome {
        eprintln!("conformance: {error}");
    }
    ExitCode::from(u8::from(outcome.is_err()))
}

fn run() -> Result<(), String> {
    let job = Job::join(ThreadLevel::default()).map_err(|error| error.to_string())?;
    if job.rank() == 0 {
        lead(&job)?;
    } else {
        if MpiMachine::start(&job, Options::default()).is_ok() {
            return Err("a machine was started by another rank than 0".into());
        }
        job.serve().map_err(|error| format!("rank {}: {error}", job.rank()))?;
    }
    job.end().map_err(|error| error.to_string())?;
    job.end().map_err(|error| format!("the second end: {error}"))
}

fn lead(job: &Job) -> Result<(), String> {
    let again = Job::join(ThreadLevel::default()).map(|_| ());
    if again.is_ok() {
        return Err("the job was joined twice".into());
    }
    let mut machine =
        MpiMachine::start(job, Options::default()).map_err(|error| error.to_string())?;
    conformance(&mut machine).map_err(|error| error.to_string())?;
    let provenance = machine.provenance();
    if provenance.hosts().len() != job.size() {
        return Err(format!("one host for each rank is expected: {provenance:?}"));
    }
    if provenance.get("thread-level") != Some("single") {
        return Err(format!("MPI is initialised as by MPI_Init: {provenance:?}"));
    }
    refusals(&mut machine)?;
    println!("{} ranks conform; {}", job.size(), job.library());
    Ok(())
}

/// Batches beyond the limits of MPI are refused before they run, and the machine remains usable.
fn refusals(machine: &mut MpiMachine) -> Result<(), String> {
    use orrery::machine::Batch;
    use orrery::platform::Placement;
    use orrery::schedule::{Program, RoundTrip};
    use orrery::units::Bytes;
    let batch = |size| {
        let program = Program::RoundTrip(RoundTrip { out: Bytes::new(size), back: Bytes::ZERO });
        let (reading, placement) = (program.reading(), Placement::identity(2));
        Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 1 }
    };
    match machine.run(&batch(1 << 31)) {
        Err(MachineError::WorkerFailed { worker: 0, reason })
            if reason.contains("2147483648 bytes") => {}
        other => return Err(format!("a message of 2 GiB: {other:?}")),
    }
    machine.run(&batch(1)).map(|_| ()).map_err(|error| format!("after a refusal: {error}"))
}

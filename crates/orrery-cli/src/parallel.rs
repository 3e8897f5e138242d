//! The command as one of many processes: rank 0 is the command, the others serve it or keep quiet.

#[cfg(feature = "mpi")]
mod mpi;

use std::process::ExitCode;

use crate::context::Context;
#[cfg(not(feature = "mpi"))]
use crate::context::Usage;
use crate::launcher::Launched;
use crate::machine::MachineSpec;
use crate::options::MachineOptions;

/// What this process is to do.
pub enum Part {
    /// Carry out the command.
    Command(Context),
    /// Nothing more.
    Nothing(ExitCode),
}

/// What this process is to do for a command that measures on a machine, or does not.
pub fn part(context: Context, launched: Option<Launched>, machine: Option<&MachineOptions>) -> anyhow::Result<Part> {
    let is_first = launched.is_none_or(|launched| launched.rank == 0);
    match machine.map(|options| options.spec(launched.is_some())) {
        #[cfg(feature = "mpi")]
        Some(MachineSpec::Mpi) => return mpi::join(context, launched),
        #[cfg(not(feature = "mpi"))]
        Some(MachineSpec::Mpi) if is_first => return Err(without_mpi(launched).into()),
        _ => {}
    }
    Ok(if is_first { Part::Command(context) } else { Part::Nothing(ExitCode::SUCCESS) })
}

/// Ends what [`part`] has begun: after this no process of the job waits for another one.
#[cfg_attr(not(feature = "mpi"), allow(unused_variables))]
pub fn end(context: Context) {
    #[cfg(feature = "mpi")]
    if let Some(job) = context.job
        && let Err(error) = job.end()
    {
        crate::context::warn(format_args!("the MPI job did not end well: {error}"));
    }
}

/// Why a command that was built without MPI does not measure with it.
#[cfg(not(feature = "mpi"))]
fn without_mpi(launched: Option<Launched>) -> Usage {
    let build = "build it with `cargo build --release --features mpi`";
    Usage(match launched {
        None => format!("--machine mpi: this orrery was built without MPI; use local:N or sim:MODEL.json, or {build}"),
        Some(Launched { by, .. }) => format!(
            "this is one of several processes that {by} has started, but this orrery was built without MPI; {build}, \
             start it without the launcher, or name another --machine"
        ),
    })
}

/// A process that is not the first of several keeps its errors to itself: the first one has the same.
pub fn is_silent(launched: Option<Launched>) -> bool {
    launched.is_some_and(|launched| launched.rank != 0)
}

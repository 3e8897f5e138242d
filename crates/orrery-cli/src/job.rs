//! The command as one of several processes: rank 0 runs the command, the others serve it or exit
//! silently.

use std::env;
use std::process::ExitCode;

#[cfg(feature = "mpi")]
use orrery_mpi::{Job, ThreadLevel};

use crate::applies;
#[cfg(not(feature = "mpi"))]
use crate::context::Usage;
use crate::context::{Context, warn};
use crate::machine::MachineSpec;
use crate::options::MachineOptions;
use crate::verbs::KernelArguments;
#[cfg(feature = "mpi")]
use crate::verbs::serve_kernels;

/// The role of this process.
pub enum Role {
    /// It runs the command.
    Lead(Context),
    /// It has served, or has nothing to do; it exits.
    Exit(ExitCode),
}

/// What a command does with the ranks of an MPI job.
#[derive(Debug, Clone, Copy)]
pub enum Ranks<'a> {
    /// Rank 0 alone works.
    First,
    /// They are the machine to measure on.
    Machine(&'a MachineOptions),
    /// The first rank of each host measures kernels.
    #[cfg_attr(
        not(feature = "mpi"),
        expect(dead_code, reason = "the arguments are for the ranks of an MPI job")
    )]
    Hosts(&'a KernelArguments),
}

/// The role of this process for a command. Ranks of an MPI job other than 0 serve until the job
/// ends.
pub fn role(context: Context, launched: Option<Launched>, ranks: Ranks) -> anyhow::Result<Role> {
    let is_first = launched.is_none_or(|launched| launched.rank == 0);
    let machine = match ranks {
        Ranks::Machine(options) => Some(options),
        #[cfg(feature = "mpi")]
        Ranks::Hosts(_) if launched.is_some() => {
            return join(context, launched, ThreadLevel::default(), ranks);
        }
        #[cfg(not(feature = "mpi"))]
        Ranks::Hosts(_) if launched.is_some() && is_first => {
            warn(
                "this orrery was built without MPI: only the host of the first process is measured",
            );
            None
        }
        Ranks::First | Ranks::Hosts(_) => None,
    };
    match machine.map(|options| (options.spec(launched.is_some()), options.thread_level)) {
        #[cfg(feature = "mpi")]
        Some((MachineSpec::Mpi, level)) => {
            return join(context, launched, level.map(Into::into).unwrap_or_default(), ranks);
        }
        #[cfg(not(feature = "mpi"))]
        Some((MachineSpec::Mpi, _)) if is_first => return Err(without_mpi(launched).into()),
        Some((
            MachineSpec::Local { .. } | MachineSpec::Emulated(_) | MachineSpec::Simulated(_),
            Some(_),
        )) if is_first => {
            applies::refuse(&["--thread-level"], "machines other than mpi")?;
        }
        _ => {}
    }
    Ok(if is_first { Role::Lead(context) } else { Role::Exit(ExitCode::SUCCESS) })
}

/// Ends the MPI job that [`role`] has joined, so that no process waits for another.
#[cfg_attr(not(feature = "mpi"), allow(unused_variables))]
pub fn end(context: Context) {
    #[cfg(feature = "mpi")]
    if let Some(job) = context.job
        && let Err(error) = job.end()
    {
        warn(format_args!("cannot end the MPI job: {error}"));
    }
}

/// The error for a command that is built without MPI and should measure with it.
#[cfg(not(feature = "mpi"))]
fn without_mpi(launched: Option<Launched>) -> Usage {
    let build = "build it with `cargo build --release --features mpi`";
    Usage(match launched {
        None => format!(
            "--machine mpi: this orrery was built without MPI; use local:N or sim:MODEL.json, or \
                {build}"
        ),
        Some(Launched { by, .. }) => format!(
            "this is one of several processes started by {by}, but this orrery was built without \
                MPI; {build}, start it \
             without the launcher, or name another --machine"
        ),
    })
}

/// Returns true if this process prints no errors of the command line: it is not the first of
/// several with the same one.
pub fn is_silent(launched: Option<Launched>) -> bool {
    launched.is_some_and(|launched| launched.rank != 0)
}

/// Joins the MPI job: rank 0 leads, the others serve until the job ends.
#[cfg(feature = "mpi")]
fn join(
    context: Context,
    launched: Option<Launched>,
    level: ThreadLevel,
    ranks: Ranks,
) -> anyhow::Result<Role> {
    // The job exists until the process exits.
    let job: &'static Job = Box::leak(Box::new(Job::join(level)?));
    if let Some(Launched { by, rank, size: Some(size) }) = launched
        && size != job.size()
    {
        job.end()?;
        if rank != 0 {
            return Ok(Role::Exit(ExitCode::SUCCESS));
        }
        let (library, ranks) = (job.library(), job.size());
        anyhow::bail!(
            "{by} has started {size} processes, but the MPI library of this orrery has {ranks} \
                ranks ({library}); \
             start it with the mpirun of that library, or build it with the library of the \
             launcher: \
             MPICC=… cargo build --release --features mpi"
        );
    }
    if job.rank() != 0 {
        match ranks {
            Ranks::Hosts(arguments) => {
                job.serve_with(&mut |link, text| serve_kernels(arguments, link, text))?;
            }
            Ranks::First | Ranks::Machine(_) => job.serve()?,
        }
        job.end()?;
        return Ok(Role::Exit(ExitCode::SUCCESS));
    }
    if job.size() < 2 {
        job.end()?;
        if matches!(ranks, Ranks::Hosts(_)) {
            return Ok(Role::Lead(context));
        }
        anyhow::bail!("the MPI machine needs at least two ranks: mpirun -n 4 orrery measure …");
    }
    if job.thread_level() < level {
        let (provided, library) = (job.thread_level(), job.library());
        warn(format_args!(
            "--thread-level {level}: {library} provides only {provided}; samples are measured with \
                that"
        ));
    }
    Ok(Role::Lead(Context { job: Some(job), ..context }))
}

/// The known launchers with the environment variables in which they pass rank and number of
/// processes.
///
/// The first launcher whose variables are all set is taken. Slurm sets `SLURM_PROCID` in batch
/// scripts too, but `SLURM_STEP_ID` only for processes that srun starts.
const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "mpirun of Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        size: Some("OMPI_COMM_WORLD_SIZE"),
        also: None,
    },
    Launcher {
        name: "mpirun of MPICH or a derivative",
        rank: "PMI_RANK",
        size: Some("PMI_SIZE"),
        also: None,
    },
    Launcher {
        name: "srun",
        rank: "SLURM_PROCID",
        size: Some("SLURM_NTASKS"),
        also: Some("SLURM_STEP_ID"),
    },
    Launcher {
        name: "a launcher with PMIx",
        rank: "PMIX_RANK",
        size: None,
        also: Some("PMIX_NAMESPACE"),
    },
];

/// A launcher and its environment variables.
struct Launcher {
    name: &'static str,
    /// The variable with the rank.
    rank: &'static str,
    /// The variable with the number of processes.
    size: Option<&'static str>,
    /// A variable that must be set too.
    also: Option<&'static str>,
}

/// The rank and the number of processes that a launcher has passed to this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// The name of the launcher.
    pub by: &'static str,
    /// The rank of this process.
    pub rank: usize,
    /// The number of processes, if known.
    pub size: Option<usize>,
}

/// The launcher of this process; `None` if it was started alone.
pub fn launched() -> Option<Launched> {
    find(|name| env::var(name).ok()).filter(|launched| launched.size != Some(1))
}

/// The first launcher whose variables `variable` returns, with valid numbers; `None` if there is
/// none.
fn find(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    LAUNCHERS.iter().find_map(|launcher| {
        let number = |name| variable(name).and_then(|value| value.trim().parse().ok());
        let size = match launcher.size {
            Some(name) => Some(number(name)?),
            None => None,
        };
        launcher.also.is_none_or(|also| variable(also).is_some()).then_some(())?;
        Some(Launched { by: launcher.name, rank: number(launcher.rank)?, size })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched_with(variables: &[(&str, &str)]) -> Option<(usize, Option<usize>)> {
        let value = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        find(value).map(|launched| (launched.rank, launched.size))
    }

    #[test]
    fn launchers_are_recognised() {
        assert_eq!(launched_with(&[]), None);
        assert_eq!(
            launched_with(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]),
            Some((2, Some(4)))
        );
        assert_eq!(
            launched_with(&[("PMI_RANK", "0"), ("PMI_SIZE", "8"), ("MPI_LOCALNRANKS", "8")]),
            Some((0, Some(8)))
        );
        assert_eq!(launched_with(&[("PMIX_RANK", "1"), ("PMIX_NAMESPACE", "x")]), Some((1, None)));
        let batch_script = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(launched_with(&batch_script), None);
        assert_eq!(
            launched_with(&[&batch_script[..], &[("SLURM_STEP_ID", "0")]].concat()),
            Some((0, Some(4)))
        );
        assert_eq!(launched_with(&[("PMI_RANK", "x"), ("PMI_SIZE", "8")]), None);
    }
}

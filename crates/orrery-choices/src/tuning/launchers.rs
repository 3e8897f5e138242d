//! Input of launchers: the hostfile and rankfile of Open MPI, the machinefile of MPICH, the batch
//! script of Slurm.

use std::fmt::Write as _;

use super::Assignment;
use orrery_base::units::Seconds;

/// The hostfile of Open MPI: `host slots=processes`, for `mpirun --hostfile`. `reason` is its first
/// comment.
///
/// Ranks fill the slots of a host before those of the next. Open MPI chooses the core of a process;
/// if processes share cores, run it with `--bind-to none` or use a rankfile ([`openmpi_rankfile`]).
pub fn openmpi_hostfile(assignment: &Assignment, reason: &str) -> String {
    let binding = if assignment.shares_elements() { "none" } else { "core" };
    let processes = assignment.processes();
    let command =
        format!("mpirun -np {processes} --hostfile FILE --map-by slot --bind-to {binding} PROGRAM");
    let lines =
        assignment.hosts().iter().map(|host| format!("{} slots={}", host.name, host.processes()));
    header(assignment, reason, &command) + &joined(lines)
}

/// The rankfile of Open MPI: `rank r=host slot=core`, for `mpirun --rankfile`. `reason` is its
/// first comment.
///
/// It binds each process to the core of its element; the cores of a host are numbered from 0.
pub fn openmpi_rankfile(assignment: &Assignment, reason: &str) -> String {
    let command = format!("mpirun -np {} --rankfile FILE PROGRAM", assignment.processes());
    let slots = assignment.ranks().enumerate();
    let lines = slots.map(|(rank, (host, element))| format!("rank {rank}={host} slot={element}"));
    header(assignment, reason, &command) + &joined(lines)
}

/// The machinefile of MPICH: `host:processes`, for `mpiexec -f`. `reason` is its first comment.
///
/// Ranks fill a host before the next one.
pub fn mpich_machinefile(assignment: &Assignment, reason: &str) -> String {
    let command = format!("mpiexec -n {} -f FILE PROGRAM", assignment.processes());
    let lines = assignment.hosts().iter().map(|host| format!("{}:{}", host.name, host.processes()));
    header(assignment, reason, &command) + &joined(lines)
}

/// The program that a batch job runs, and its time limit.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchJob {
    /// The command line of the program, in the syntax of a shell.
    pub command: String,
    /// The time limit of the job; `None` leaves it to Slurm's default.
    pub limit: Option<Seconds>,
}

/// A command that is not one line of a shell script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the command {command:?} is not one line of a shell script; write one line, which may call \
        another script"
)]
pub struct CommandError {
    /// The command.
    pub command: String,
}

/// The batch script of Slurm, for `sbatch`: it allocates whole hosts and starts each rank on its
/// host.
///
/// By default Slurm starts the same number of tasks on each host; here the numbers differ. With
/// `--distribution=arbitrary`, `srun` reads the host of each task from the file that
/// `SLURM_HOSTFILE` names, one on each line (manual page of srun, version 22.05). `--overcommit`
/// lets processes share cores.
///
/// # Errors
///
/// A command that is empty or has more than one line.
pub fn slurm_script(
    assignment: &Assignment,
    job: &BatchJob,
    reason: &str,
) -> Result<String, CommandError> {
    let command = job.command.trim();
    if command.is_empty() || command.contains(|c: char| c.is_control()) {
        return Err(CommandError { command: job.command.clone() });
    }
    let hosts: Vec<&str> = assignment.hosts().iter().map(|host| host.name.as_str()).collect();
    let processes = assignment.processes();
    let mut options = vec![
        format!("--nodes={}", hosts.len()),
        format!("--nodelist={}", hosts.join(",")),
        format!("--ntasks={processes}"),
        "--exclusive".to_owned(),
    ];
    if assignment.shares_elements() {
        options.push("--overcommit".into());
    }
    if let Some(limit) = job.limit {
        options.push(format!("--time={}", (limit.get() / 60.0).ceil().max(1.0)));
    }
    let mut text = String::from("#!/bin/bash\n");
    text += &header(assignment, reason, "sbatch FILE");
    text += &joined(options.iter().map(|option| format!("#SBATCH {option}")));
    text += "\nset -eu\nSLURM_HOSTFILE=$(mktemp)\nexport SLURM_HOSTFILE\ntrap 'rm \
        -f \"$SLURM_HOSTFILE\"' EXIT\n";
    text += "# The host of each rank.\ncat > \"$SLURM_HOSTFILE\" <<'HOSTS'\n";
    text += &joined(assignment.ranks().map(|(host, _)| host.to_owned()));
    let overcommit = if assignment.shares_elements() { " --overcommit" } else { "" };
    let tasks = format!("--nodes={} --ntasks={processes}", hosts.len());
    text += "HOSTS\n\n";
    let run = format!("srun {tasks} --distribution=arbitrary{overcommit} {command}\n");
    text += &run;
    Ok(text)
}

/// The comment at the beginning of a file: the reason, the number of ranks and hosts, and the
/// command that reads it.
fn header(assignment: &Assignment, reason: &str, command: &str) -> String {
    let plural =
        |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let ranks = plural(assignment.processes(), "rank");
    let hosts = plural(assignment.hosts().len() as u64, "host");
    // By this comment and the command below it `file` recognises the kind.
    let summary = format!(
        "{ranks} on {hosts}, in order: the ranks of a host are consecutive, as are those of a core."
    );
    let mut text = String::new();
    for line in reason.lines().chain([&summary[..], command]) {
        writeln!(text, "{}", format!("# {}", line.trim_end()).trim_end())
            .expect("a string takes any text");
    }
    text
}

/// The lines as one text, each with a line break at its end.
fn joined(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| line + "\n").collect()
}

//! The batch script for Slurm.

use std::fmt::Write as _;

use super::Assignment;
use super::comment::{head, summary};
use crate::units::Seconds;

/// What a batch job runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The command line of the program, as a shell reads it.
    pub command: String,
    /// How long it may take, where that is to be said.
    pub limit: Option<Seconds>,
}

/// A command that does not fit on a line of a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the command {command:?} is no line of a script; give one line, which may call a script of its own")]
pub struct CommandError {
    /// The command.
    pub command: String,
}

/// The script, for `sbatch`: it asks for these hosts as a whole and starts each rank on its host.
///
/// Slurm deals out tasks in blocks of equal size unless told; here the hosts get different numbers of them. With
/// `--distribution=arbitrary`, `srun` reads the host of each task from the file that `SLURM_HOSTFILE` names, one on each
/// line (manual page of srun, version 22.05). Where processes share cores, `--overcommit` allows it.
///
/// # Errors
///
/// A command that is empty or not of one line.
pub fn script(assignment: &Assignment, job: &Job, why: &str) -> Result<String, CommandError> {
    let command = job.command.trim();
    if command.is_empty() || command.contains(|c: char| c.is_control()) {
        return Err(CommandError { command: job.command.clone() });
    }
    let hosts: Vec<&str> = assignment.places().iter().map(|place| place.host.as_str()).collect();
    let processes = assignment.processes();
    let mut text = String::from("#!/bin/bash\n");
    text += &head(why, &[&summary(assignment), "sbatch FILE"]);
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
    for option in &options {
        writeln!(text, "#SBATCH {option}").expect("text takes all that is written");
    }
    text += "\nset -eu\nSLURM_HOSTFILE=$(mktemp)\nexport SLURM_HOSTFILE\ntrap 'rm -f \"$SLURM_HOSTFILE\"' EXIT\n";
    text += "# The host of each rank.\ncat > \"$SLURM_HOSTFILE\" <<'HOSTS'\n";
    for (host, _) in assignment.ranks() {
        text += host;
        text.push('\n');
    }
    text += "HOSTS\n\n";
    let overcommit = if assignment.shares_elements() { " --overcommit" } else { "" };
    writeln!(text, "srun --nodes={} --ntasks={processes} --distribution=arbitrary{overcommit} {command}", hosts.len())
        .expect("text takes all that is written");
    Ok(text)
}

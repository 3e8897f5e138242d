//! Files for the launcher of Open MPI.

use std::fmt::Write as _;

use super::Assignment;
use super::comment::{head, summary};

/// The hostfile: `host slots=processes`, for `mpirun --hostfile`.
///
/// Ranks fill the slots of a host before those of the next. Which core a process runs on is left to Open MPI; where
/// processes share cores it must be told not to bind, or be given a [`rankfile`].
pub fn hostfile(assignment: &Assignment, why: &str) -> String {
    let binding = if assignment.shares_elements() { "none" } else { "core" };
    let processes = assignment.processes();
    let command = format!("mpirun -np {processes} --hostfile FILE --map-by slot --bind-to {binding} PROGRAM");
    let mut text = head(why, &[&summary(assignment), &command]);
    for place in assignment.places() {
        writeln!(text, "{} slots={}", place.host, place.processes()).expect("text takes all that is written");
    }
    text
}

/// The rankfile: `rank r=host slot=core`, for `mpirun --rankfile`: it binds each process to the core of its element,
/// counting the cores of a host from 0.
pub fn rankfile(assignment: &Assignment, why: &str) -> String {
    let command = format!("mpirun -np {} --rankfile FILE PROGRAM", assignment.processes());
    let mut text = head(why, &[&summary(assignment), &command]);
    for (rank, (host, element)) in assignment.ranks().enumerate() {
        writeln!(text, "rank {rank}={host} slot={element}").expect("text takes all that is written");
    }
    text
}

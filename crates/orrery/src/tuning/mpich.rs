//! The file for the launcher of MPICH.

use std::fmt::Write as _;

use super::Assignment;
use super::comment::{head, summary};

/// The machinefile: `host:processes`, for `mpiexec -f`. Ranks fill the places of a host before those of the next.
pub fn machinefile(assignment: &Assignment, why: &str) -> String {
    let command = format!("mpiexec -n {} -f FILE PROGRAM", assignment.processes());
    let mut text = head(why, &[&summary(assignment), &command]);
    for place in assignment.places() {
        writeln!(text, "{}:{}", place.host, place.processes()).expect("text takes all that is written");
    }
    text
}

//! Ranks and numbers of processors on the command line.

use orrery::platform::Processor;

use crate::context::Usage;

/// A rank below `procs`, the value of this option.
pub fn rank(option: &str, text: &str, procs: usize) -> Result<Processor, Usage> {
    match text.parse() {
        Ok(rank) if (rank as usize) < procs => Ok(Processor(rank)),
        _ => Err(Usage(format!("{option} {text}: the ranks of {procs} processors go from 0 to {}", procs - 1))),
    }
}

/// Checks how many of so many processors take part.
pub fn procs(procs: usize, processors: usize) -> Result<(), Usage> {
    if (2..=processors).contains(&procs) {
        return Ok(());
    }
    Err(Usage(format!("--procs {procs}: of {processors} processors, from 2 to {processors} can take part")))
}

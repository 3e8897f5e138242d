//! Checks of ranks and numbers of processors given on the command line.

use orrery::platform::Processor;

use crate::context::Usage;

/// Parses the value of `option` as a rank below `procs`.
pub fn rank(option: &str, text: &str, procs: usize) -> Result<Processor, Usage> {
    match text.parse() {
        Ok(rank) if (rank as usize) < procs => Ok(Processor(rank)),
        _ => Err(Usage(format!("{option} {text}: valid ranks of {procs} processors are 0 to {}", procs - 1))),
    }
}

/// Checks that `procs` is between 2 and the number of processors.
pub fn procs(procs: usize, processors: usize) -> Result<(), Usage> {
    if (2..=processors).contains(&procs) {
        return Ok(());
    }
    Err(Usage(format!("--procs {procs}: with {processors} processors, valid numbers are 2 to {processors}")))
}

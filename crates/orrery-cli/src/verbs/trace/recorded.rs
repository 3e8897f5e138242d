//! Recorded runs: their totals, and warnings about what is not recorded; `orrery trace profile`.

use std::path::{Path, PathBuf};

use clap::Args;
use orrery::file::FileError;
use orrery::trace::recording::{Ending, RankTotals, Shape};
use orrery::trace::{file, recording};
use orrery_report::tables::{profile, recorded_functions, recorded_ranks};

use crate::output::{self, Format, counted};
use crate::{applies, context};

/// The totals of the ranks of a run.
pub struct RunTotals {
    /// The ranks that have a file.
    pub ranks: Vec<RankTotals>,
    /// The number of ranks of the run.
    pub expected: u32,
}

/// Reads the totals of a folder, rank by rank.
pub fn totals(folder: &Path) -> Result<RunTotals, FileError> {
    let mut ranks = Vec::new();
    let expected = recording::file::for_each(folder, |rank| {
        ranks.push(rank.totals()?);
        Ok(())
    })?;
    Ok(RunTotals { ranks, expected })
}

/// Prints a warning for each way in which the run is not recorded.
pub fn warn(run: &RunTotals) {
    let missing = (0..run.expected).filter(|rank| run.ranks.iter().all(|one| one.rank != *rank));
    warn_of(
        missing,
        |ranks| format!("{ranks} no record; copy its file from its host, or record the run again"),
        HAS,
    );
    let with = |test: fn(&RankTotals) -> bool| {
        run.ranks.iter().filter(move |rank| test(rank)).map(|rank| rank.rank)
    };
    warn_of(
        with(|rank| rank.ending == Ending::Unfinished),
        |ranks| {
            format!(
                "{ranks} without MPI_Finalize: killed, or still running; calls up to there are \
                    recorded"
            )
        },
        ["ended", "ended"],
    );
    let full = run.ranks.iter().filter_map(|rank| match rank.ending {
        Ending::Stopped(code) => Some((rank.rank, code)),
        _ => None,
    });
    for (rank, code) in full {
        let reason = std::io::Error::from_raw_os_error(code as i32);
        context::warn(format!(
            "rank {rank}: the record stops before the end of the run ({reason}); write to a disk \
                with more space"
        ));
    }
    warn_of(
        with(|rank| rank.overlapping > 0),
        |ranks| {
            format!(
                "{ranks} calls of several threads at a time; one of them is recorded, and no \
                    replay is possible"
            )
        },
        ["made", "made"],
    );
    let unsupported = run.ranks.iter().flat_map(|rank| &rank.functions);
    let unsupported = unsupported.filter(|(function, _)| function.shape() == Shape::Unsupported);
    let mut names: Vec<_> = unsupported.map(|(function, _)| *function).collect();
    names.sort_unstable();
    names.dedup();
    for function in names {
        let calls = run.ranks.iter().filter_map(|rank| Some(rank.functions.get(&function)?.calls));
        let calls = calls.fold(0, u64::saturating_add);
        context::warn(format!(
            "{}: {}; no replay can represent them",
            function.name(),
            counted(calls, "call")
        ));
    }
}

/// The verb of what ranks do not have, for one and for several.
const HAS: [&str; 2] = ["has", "have"];

/// Prints a warning about ranks; nothing if there are none.
fn warn_of(ranks: impl Iterator<Item = u32>, words: impl Fn(&str) -> String, verb: [&str; 2]) {
    let ranks: Vec<u32> = ranks.collect();
    match ranks[..] {
        [] => {}
        [one] => context::warn(words(&format!("rank {one} {}", verb[0]))),
        [first, ..] => context::warn(words(&format!(
            "{} ranks, the first is {first}, {}",
            ranks.len(),
            verb[1]
        ))),
    }
}

/// Arguments of `orrery trace profile`.
#[derive(Debug, Args)]
pub struct Profile {
    /// Trace: time-independent, an index of such traces, binary, GOAL, or the folder of a recorded
    /// run
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// List the functions of MPI of a recorded run in place of its ranks
    #[arg(long)]
    functions: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Profile {
    /// Prints the totals of each rank: of a recorded run its times, otherwise its actions.
    pub fn run(self) -> anyhow::Result<()> {
        if self.trace.is_dir() {
            let ranks = totals(&self.trace)?;
            warn(&ranks);
            let table = if self.functions {
                recorded_functions(&ranks.ranks)
            } else {
                recorded_ranks(&self.trace.display().to_string(), &ranks.ranks)
            };
            return output::print(&table, self.format);
        }
        applies::refuse(&["--functions"], "traces other than the folders of trace run")?;
        let trace = file::load(&self.trace)?;
        output::print(&profile(&trace.profile()), self.format)
    }
}

//! Options of campaigns: output file, parallel experiments, time limit, launches.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use orrery::measure::Parallelism;

use crate::applies;
use crate::context::Usage;
use crate::options::{MachineOptions, described, duration};

/// The samples file that a campaign writes.
#[derive(Debug, Clone, Args)]
pub struct Output {
    /// Write the samples to this file, compressed if its name ends in .zst
    #[arg(id = "output", short, long, value_name = "SAMPLES")]
    pub path: PathBuf,
    /// Keep the readings of an existing file and continue its campaign
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Seed of the order of experiments [default: 1, or that of the continued campaign]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// The option of campaigns whose experiments have few processors.
#[derive(Debug, Clone, Args)]
pub struct ParallelOption {
    /// Run experiments that share no processor in parallel; auto compares a few pairs alone and in
    /// parallel
    #[arg(long, value_parser = described::<Parallelism>(), default_value_t, help_heading = "Campaign")]
    pub parallel: Parallelism,
}

/// The time limit and the launches of a campaign.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Campaign")]
pub struct LaunchOptions {
    /// Start no experiment after this time, such as 90s, 10m or 2h; --resume continues [default:
    /// unlimited]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,
    /// Repeat the campaign in N launches of the machine, as times may differ between launches
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: u32,
    /// Count this run as another launch of the campaign in the file (with --resume)
    #[arg(long, requires = "resume", conflicts_with = "launches")]
    pub new_launch: bool,
}

impl LaunchOptions {
    /// Refuses several launches of a machine that this command cannot launch again.
    pub fn check(&self, machine: &MachineOptions) -> Result<(), Usage> {
        if self.launches > 1 && !machine.can_relaunch() {
            let subject = "MPI jobs, which are started several times, each time with --resume \
                 --new-launch";
            applies::refuse(&["--launches"], subject)?;
        }
        Ok(())
    }
}

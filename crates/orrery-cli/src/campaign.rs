//! Options of campaigns: where the samples go, what runs in parallel, for how long, in how many launches.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use orrery::measure::Parallelism;

use crate::options::duration;

/// Where the samples of a campaign go.
#[derive(Debug, Clone, Args)]
pub struct Output {
    /// Samples file to write, compressed if its name ends in .zst
    #[arg(id = "output", short, long, value_name = "SAMPLES")]
    pub path: PathBuf,
    /// Continue the campaign of an existing file and keep its readings
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Set the seed of the order of experiments [default: 1, or that of the continued campaign]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// How a campaign runs its experiments.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Campaign")]
pub struct CampaignOptions {
    /// Run experiments that share no processor in parallel; auto compares a few pairs alone and in parallel
    #[arg(long, value_enum, default_value_t)]
    pub parallel: ParallelWord,
    /// Start no experiment after this time, such as 90s, 10m or 2h; --resume continues
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,
    /// Repeat the campaign in this number of launches of the machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: u32,
    /// Count this run as another launch of the campaign in the file (with --resume)
    #[arg(long, requires = "resume", conflicts_with = "launches")]
    pub new_launch: bool,
}

/// The keyword of a [`Parallelism`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ParallelWord {
    /// Always in parallel
    On,
    /// One experiment at a time
    Off,
    /// In parallel if pairs do not disturb each other
    #[default]
    Auto,
}

impl From<ParallelWord> for Parallelism {
    fn from(word: ParallelWord) -> Self {
        match word {
            ParallelWord::On => Self::On,
            ParallelWord::Off => Self::Off,
            ParallelWord::Auto => Self::Auto,
        }
    }
}

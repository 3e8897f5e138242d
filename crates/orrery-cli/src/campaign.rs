//! Options of campaigns: what runs at the same time, for how long, in how many launches.

use std::time::Duration;

use clap::{Args, ValueEnum};
use orrery::machine::Machine;
use orrery::measure::Interference;
use orrery::units::Bytes;

use crate::context::Context;
use crate::options::duration;

/// How a campaign goes about its experiments.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Campaign")]
pub struct CampaignOptions {
    /// Whether experiments that share no processor run at the same time; auto compares a few pairs alone and together
    #[arg(long, value_enum, default_value_t)]
    pub parallel: Parallel,
    /// Begin no further experiments after this time, such as 90s, 10m or 2h; --resume continues
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,
    /// Repeat the campaign over so many launches of the machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: u32,
    /// Count this run as one more launch of the campaign in the file (with --resume)
    #[arg(long, requires = "resume", conflicts_with = "launches")]
    pub new_launch: bool,
}

impl Default for CampaignOptions {
    fn default() -> Self {
        Self { parallel: Parallel::Off, max_time: None, launches: 1, new_launch: false }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Parallel {
    /// They do
    On,
    /// One experiment at a time
    Off,
    /// They do when pairs do not disturb each other
    #[default]
    Auto,
}

impl Parallel {
    /// Decides for a machine, and says what it found.
    pub fn decide(self, context: Context, machine: &mut dyn Machine, size: Bytes) -> anyhow::Result<bool> {
        match self {
            Self::On => return Ok(true),
            Self::Off => return Ok(false),
            Self::Auto => {}
        }
        let Some(overlap) = Interference::measure(machine, size)? else { return Ok(false) };
        let (pairs, ratio) = (overlap.pairs, overlap.ratio);
        let verdict = if overlap.is_negligible() {
            "disjoint experiments run at the same time"
        } else {
            "one experiment at a time"
        };
        context.say(format!("{pairs} pairs together take {ratio:.2} times as long as alone: {verdict}"));
        Ok(overlap.is_negligible())
    }
}

use std::path::PathBuf;

use clap::{Args, Subcommand};
use orrery::file::FileKind;
use orrery::sample::file;
use orrery::sample::{Merged, Provenance, measured_penalties, merge, summarise};

use super::other_hosts::OtherHosts;
use super::output_file::{self, OutputKind};
use super::samples_advice::Advise;
use super::samples_import::Import;
use super::{given, samples, timings};
use crate::context::{Context, command_line, warn};
use crate::options;
use crate::output::{self, Format, counted};

/// Arguments of `orrery samples`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery samples import osu_latency.txt -o osu.csv
  orrery samples summary samples.csv
  orrery samples merge monday.csv tuesday.csv -o week.csv")]
pub struct SamplesVerb {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery samples`.
#[derive(Debug, Subcommand)]
enum What {
    /// Import the output of the OSU micro-benchmarks, the Intel MPI Benchmarks or PICO
    #[command(after_help = "Examples:
  orrery samples import osu_latency.txt -o osu.csv
  orrery samples import collectives.csv --system leonardo --nodes 256 -o leonardo.csv
  orrery samples import osu_scatter.txt imb.txt --processors 0-15 -o samples.csv
  orrery samples import own-*.txt --forced 'ompi/binomial=binomial-*.txt' --processors 0-15 --ppn \
  4 -o bcast.csv")]
    Import(Import),
    /// Summarise samples: medians, spread, outliers, drift, differences between launches
    #[command(after_help = "Examples:
  orrery samples summary samples.csv
  orrery samples summary monday.csv tuesday.csv --level 0.99 --format csv")]
    Summary(Summary),
    /// Merge samples files of several launches or parts of a campaign into one
    #[command(after_help = "Examples:
  orrery samples merge monday.csv tuesday.csv -o week.csv
  orrery samples merge part-*.csv -o all.csv.zst --mixed-hosts")]
    Merge(Merge),
    /// Advise which collective operations, algorithms and sizes to measure next
    #[command(after_help = "Examples:
  orrery samples advise collectives.csv --budget 20
  orrery samples advise collectives.csv --operation bcast --also native/bcast/ompi/pipeline \
  --format csv")]
    Advise(Advise),
}

/// Arguments of `orrery samples summary`.
#[derive(Debug, Args)]
struct Summary {
    /// Samples files of one machine, or timings files of schemes
    #[arg(required = true, value_name = "SAMPLES|TIMINGS")]
    samples: Vec<PathBuf>,
    /// Confidence level of the intervals of medians
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Arguments of `orrery samples merge`.
#[derive(Debug, Args)]
struct Merge {
    /// Samples files of the same machine; launches are numbered anew in their order
    #[arg(required = true, value_name = "SAMPLES")]
    files: Vec<PathBuf>,
    /// Write the samples to this file, compressed if its name ends in .zst
    #[arg(short, long, value_name = "SAMPLES")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Merge files of different hosts, or of the same hosts in another order
    #[arg(long)]
    mixed_hosts: bool,
}

impl SamplesVerb {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Import(arguments) => arguments.run(context),
            What::Summary(arguments) => arguments.run(context),
            What::Merge(arguments) => arguments.run(context),
            What::Advise(arguments) => arguments.run(context),
        }
    }
}

impl Merge {
    /// Merges samples files.
    fn run(self, context: Context) -> anyhow::Result<()> {
        output_file::check(&self.output, self.force, "-o", OutputKind::Samples)?;
        let other_hosts = if self.mixed_hosts { OtherHosts::Warn } else { OtherHosts::Refuse };
        let parts = samples::read_parts(context, &self.files, other_hosts)?;
        let Merged { mut samples, launches, duplicates } = merge(&parts)
            .map_err(|error| anyhow::anyhow!("{}: {error}", self.files[error.part].display()))?;
        if samples.count() == 0 {
            anyhow::bail!("none of the files contains a reading; merge files with readings");
        }
        let mut head = Provenance::new()
            .with("orrery", env!("CARGO_PKG_VERSION"))
            .with("command", command_line());
        for (key, value) in
            samples.provenance.iter().filter(|(key, _)| head.get(key).is_none()).collect::<Vec<_>>()
        {
            head.set(key, value);
        }
        samples.provenance = head;
        file::write(&self.output, &samples, self.force)?;
        if duplicates > 0 {
            let readings = counted(duplicates as u64, "reading");
            warn(format_args!(
                "{readings} are in several files, in the same launch; they are written once"
            ));
        }
        context.say(format!(
            "{} of {} in {} written to {}",
            counted(samples.count() as u64, "reading"),
            counted(samples.series().len() as u64, "experiment"),
            counted(launches as u64, "launch"),
            self.output.display()
        ));
        Ok(())
    }
}

impl Summary {
    /// Prints the summary of samples or timings.
    fn run(self, context: Context) -> anyhow::Result<()> {
        if given::kind_of_all(&self.samples)? == Some(FileKind::Timings) {
            let schemes = measured_penalties(&timings::read(&self.samples)?);
            return output::print(
                &orrery_report::tables::measured_schemes(&schemes, self.level),
                self.format,
            );
        }
        let samples = samples::read(context, &self.samples)?;
        output::print(
            &orrery_report::tables::summary(&summarise(&samples, self.level)),
            self.format,
        )
    }
}

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use orrery::file::{FileKind, kind_of};
use orrery::platform::Processor;
use orrery::sample::file;
use orrery::sample::import::{Importer, PicoImporter, PicoSelection, RemarkKind, Source};
use orrery::sample::{Merged, Provenance, UnknownExperiment, measured_penalties, merge, summarise};
use orrery::schedule::CollectiveKind;
use orrery::units::UnknownName;

use super::other_hosts::OtherHosts;
use super::output_file::{self, OutputKind};
use super::samples_advice::Advise;
use super::{samples, timings};
use crate::context::{Context, Usage, command_line, warn};
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
  orrery samples import osu_scatter.txt imb.txt --processors 0-15 -o samples.csv")]
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
  orrery samples advise collectives.csv --operation bcast --also native/bcast/ompi/pipeline --format csv")]
    Advise(Advise),
}

/// Arguments of `orrery samples import`.
#[derive(Debug, Args)]
struct Import {
    /// Outputs of benchmarks; each repeated run of a benchmark counts as another launch
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the samples to this file, compressed if its name ends in .zst
    #[arg(short, long, value_name = "SAMPLES")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Benchmark suite: osu, imb, pico, or auto to recognise them
    #[arg(long, value_name = "SOURCE", default_value = "auto", value_parser = suite)]
    format: Suite,
    /// Processors of ranks 0, 1, …, such as 0,1 or 0-15 [default: 0,1 for pairs]
    #[arg(long, value_name = "LIST", conflicts_with_all = ["system", "nodes", "ppn", "library", "operation"])]
    processors: Option<String>,
    #[command(flatten)]
    pico: PicoOptions,
}

/// Options that select results of PICO.
#[derive(Debug, Args)]
struct PicoOptions {
    /// PICO: system, such as leonardo
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// PICO: number of nodes; required for files of single readings
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// PICO: number of processes per node; required for files of single readings
    #[arg(long, value_name = "N")]
    ppn: Option<usize>,
    /// PICO: library with its version, such as \"OMPI 4.1.6\"
    #[arg(long, value_name = "NAME")]
    library: Option<String>,
    /// PICO: collective operation; required for files of single readings
    #[arg(long, value_name = "NAME")]
    operation: Option<CollectiveKind>,
}

impl PicoOptions {
    /// Returns true if one of the options is given.
    const fn is_given(&self) -> bool {
        let Self { system, nodes, ppn, library, operation } = self;
        system.is_some() || nodes.is_some() || ppn.is_some() || library.is_some() || operation.is_some()
    }

    /// The selection.
    fn selection(self) -> PicoSelection {
        let Self { system, nodes, ppn, library, operation } = self;
        PicoSelection { system, nodes, ppn, library, operation }
    }
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

/// A benchmark suite.
#[derive(Debug, Clone, Copy)]
enum Suite {
    /// Recognised by the content of the files.
    Auto,
    /// A benchmark suite that prints means.
    Means(Source),
    Pico,
}

/// Parses the name of a benchmark suite.
fn suite(text: &str) -> Result<Suite, UnknownName> {
    match text {
        "auto" => Ok(Suite::Auto),
        "pico" => Ok(Suite::Pico),
        _ => text.parse().map(Suite::Means).map_err(|unknown: UnknownName| UnknownName {
            known: unknown.known.into_iter().chain(["pico", "auto"]).collect(),
            ..unknown
        }),
    }
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

impl Import {
    /// Converts outputs of benchmarks to a samples file.
    fn run(self, context: Context) -> anyhow::Result<()> {
        let processors = self.processors.as_deref().map(processors).transpose()?;
        output_file::check(&self.output, self.force, "-o", OutputKind::Samples)?;
        let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
        let contents = self.files.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let are_of_pico = contents.iter().all(|content| kind_of(content) == Some(FileKind::Pico));
        let format = match self.format {
            Suite::Auto if are_of_pico => Suite::Pico,
            given => given,
        };
        let texts = contents.iter().zip(&self.files);
        let mut imported = match format {
            Suite::Auto | Suite::Means(_) => {
                if self.pico.is_given() {
                    let message = "--system, --nodes, --ppn, --library and --operation are for --format pico only";
                    return Err(Usage(message.into()).into());
                }
                let only = if let Suite::Means(source) = format { Some(source) } else { None };
                let mut importer = Importer::new(only, processors);
                for (content, path) in texts {
                    importer.add(content, path)?;
                }
                importer.finish()
            }
            Suite::Pico => {
                let mut importer = PicoImporter::new(self.pico.selection());
                for (content, path) in texts {
                    importer.add(content, path)?;
                }
                importer.finish()?
            }
        };
        for UnknownExperiment { experiment, rows } in &imported.samples.unknown {
            context.say(format!(
                "{} of the unknown experiment {experiment:?} are not imported",
                counted(*rows as u64, "row")
            ));
        }
        for remark in &imported.remarks {
            if matches!(remark.kind, RemarkKind::TornLine | RemarkKind::Repeated(_)) {
                warn(remark);
            } else {
                context.say(remark);
            }
        }
        if imported.samples.count() == 0 {
            anyhow::bail!("these files hold no benchmark that can be imported");
        }
        let mut head = Provenance::new().with("orrery", env!("CARGO_PKG_VERSION")).with("command", command_line());
        imported.samples.provenance.iter().for_each(|(key, value)| head.set(key, value));
        imported.samples.provenance = head;
        file::write(&self.output, &imported.samples, self.force)?;
        let meaning = match format {
            Suite::Auto | Suite::Means(_) => "; each reading is the mean of many iterations",
            Suite::Pico => "",
        };
        context.say(format!(
            "{} of {} written to {}{meaning}",
            counted(imported.samples.count() as u64, "reading"),
            counted(imported.samples.series().len() as u64, "experiment"),
            self.output.display()
        ));
        Ok(())
    }
}

impl Merge {
    /// Merges samples files.
    fn run(self, context: Context) -> anyhow::Result<()> {
        output_file::check(&self.output, self.force, "-o", OutputKind::Samples)?;
        let other_hosts = if self.mixed_hosts { OtherHosts::Warn } else { OtherHosts::Refuse };
        let parts = samples::read_parts(context, &self.files, other_hosts)?;
        let Merged { mut samples, launches, duplicates } = merge(&parts)?;
        if samples.count() == 0 {
            anyhow::bail!("these files hold no readings");
        }
        let mut head = Provenance::new().with("orrery", env!("CARGO_PKG_VERSION")).with("command", command_line());
        for (key, value) in samples.provenance.iter().filter(|(key, _)| head.get(key).is_none()).collect::<Vec<_>>() {
            head.set(key, value);
        }
        samples.provenance = head;
        file::write(&self.output, &samples, self.force)?;
        if duplicates > 0 {
            let readings = counted(duplicates as u64, "reading");
            warn(format_args!("{readings} are in several files, in the same launch; they are written once"));
        }
        context.say(format!(
            "{} of {} in {} written to {}",
            counted(samples.count() as u64, "reading"),
            counted(samples.series().len() as u64, "experiment"),
            if launches == 1 { "1 launch".to_owned() } else { format!("{launches} launches") },
            self.output.display()
        ));
        Ok(())
    }
}

impl Summary {
    /// Prints the summary of samples or timings.
    fn run(self, context: Context) -> anyhow::Result<()> {
        if timings::are_timings(&self.samples)? {
            let schemes = measured_penalties(&timings::read(&self.samples)?);
            return output::print(&orrery_report::tables::measured_schemes(&schemes, self.level), self.format);
        }
        let samples = samples::read(context, &self.samples)?;
        output::print(&orrery_report::tables::summary(&summarise(&samples, self.level)), self.format)
    }
}

/// The largest processor number, plus one.
const MAX_PROCESSORS: u32 = 1 << 20;

/// Parses a list of different processors, such as `0,1,4-7`.
fn processors(text: &str) -> Result<Vec<Processor>, Usage> {
    let wrong = |why: &str| Usage(format!("--processors {text}: {why}; write them as 0,1 or 0-15"));
    let number = |text: &str| {
        let number: Option<u32> = text.trim().parse().ok();
        number
            .filter(|number| *number < MAX_PROCESSORS)
            .ok_or_else(|| wrong("processors are integers from 0 to 1048575"))
    };
    let mut list = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        list.extend((number(first)?..=number(last)?).map(Processor));
    }
    let mut sorted = list.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if list.is_empty() || sorted.len() < list.len() { Err(wrong("each processor is listed once")) } else { Ok(list) }
}

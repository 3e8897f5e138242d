use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use orrery::collective::measured::{
    Advice, CollectiveReadings, Design, Implementation, MAX_ADVICE, MeasuredModel, PredictedTime,
    Selection, advise,
};
use orrery::file::{Fault, FileKind, kind_of};
use orrery::platform::Processor;
use orrery::sample::import::{Importer, PicoImporter, PicoSelection, Source};
use orrery::sample::{
    Experiment, Merged, NativeAlgorithm, UnknownExperiment, file, measured_penalties, merge,
    summarise,
};
use orrery::schedule::CollectiveKind;
use orrery::units::UnknownName;
use orrery_report::tables::measured_advice;

use super::other_hosts::OtherHosts;
use super::output_file;
use super::{given, samples, timings};
use crate::context::{Context, Usage, provenance, warn};
use crate::output::{self, Format, counted};
use crate::with_path::{WithPath, with_path};
use crate::{applies, options};

/// The subcommands of `orrery samples`.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  orrery samples import osu_latency.txt -o osu.csv
  orrery samples summary samples.csv
  orrery samples merge monday.csv tuesday.csv -o week.csv")]
pub enum SamplesVerb {
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
pub struct Summary {
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
pub struct Merge {
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
        match self {
            Self::Import(arguments) => arguments.run(context),
            Self::Summary(arguments) => arguments.run(context),
            Self::Merge(arguments) => arguments.run(context),
            Self::Advise(arguments) => arguments.run(context),
        }
    }
}

impl Merge {
    /// Merges samples files.
    fn run(self, context: Context) -> anyhow::Result<()> {
        output_file::check(&self.output, self.force, FileKind::Samples)?;
        let other_hosts = if self.mixed_hosts { OtherHosts::Warn } else { OtherHosts::Refuse };
        let parts = samples::read_parts(context, &self.files, other_hosts)?;
        let Merged { mut samples, launches, duplicates } = merge(&parts)
            .map_err(|error| anyhow::anyhow!("{}: {error}", self.files[error.part].display()))?;
        if samples.count() == 0 {
            anyhow::bail!("none of the files contains a reading; merge files with readings");
        }
        samples.provenance = provenance(&samples.provenance);
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

/// Arguments of `orrery samples import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Outputs of benchmarks; each repeated run of a benchmark counts as another launch
    #[arg(required_unless_present = "forced", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// OSU, IMB: output with an algorithm that the MPI library was forced to use, such as
    /// ompi/binomial=bcast.txt, or a quoted pattern, 'ompi/binomial=bcast-*.txt'; repeatable
    #[arg(long, value_name = "ALGORITHM=FILE", value_parser = with_path::<Forced>())]
    forced: Vec<Forced>,
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
    #[arg(long, value_name = "LIST", value_parser = processors, conflicts_with_all = ["system", "nodes", "library", "operation"])]
    processors: Option<ProcessorList>,
    /// OSU, IMB: number of processes per node, to record it; PICO: number whose results are
    /// imported, required for files of single readings
    #[arg(long, value_name = "N", value_parser = number_per_host)]
    ppn: Option<usize>,
    #[command(flatten)]
    pico: PicoOptions,
}

/// Options that select results of PICO.
#[derive(Debug, Args)]
struct PicoOptions {
    /// PICO: system whose results are imported, if a file has several, such as leonardo
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// PICO: number of nodes whose results are imported; required for files of single readings
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// PICO: MPI library whose results are imported, if a file has several, such as "OMPI 4.1.6"
    #[arg(long, value_name = "NAME")]
    library: Option<String>,
    /// PICO: collective operation that is imported [default: all]; required for files of single
    /// readings
    #[arg(long, value_name = "NAME")]
    operation: Option<CollectiveKind>,
}

impl PicoOptions {
    /// The selection of results with a number of processes per node.
    fn selection(self, ppn: Option<usize>) -> PicoSelection {
        let Self { system, nodes, library, operation } = self;
        PicoSelection { system, nodes, ppn, library, operation }
    }
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

impl Import {
    /// Converts outputs of benchmarks to a samples file.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        output_file::check(&self.output, self.force, FileKind::Samples)?;
        let mut outputs: Vec<(PathBuf, Option<NativeAlgorithm>)> =
            self.files.into_iter().map(|path| (path, None)).collect();
        for Forced { algorithm, path } in &self.forced {
            outputs.extend(matching_files(path)?.into_iter().map(|path| (path, Some(*algorithm))));
        }
        let read = |path: &PathBuf| {
            orrery::file::read_bytes(path)
                .with_context(|| format!("cannot read {}", path.display()))
        };
        let contents =
            outputs.iter().map(|(path, _)| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let are_of_pico = contents.iter().all(|content| kind_of(content) == Some(FileKind::Pico));
        let format = match self.format {
            Suite::Auto if are_of_pico => Suite::Pico,
            given => given,
        };
        let texts = contents.iter().zip(&outputs);
        let mut imported = match format {
            Suite::Auto | Suite::Means(_) => {
                let of_pico = ["--system", "--nodes", "--library", "--operation"];
                applies::refuse(&of_pico, "formats other than pico")?;
                let only = if let Suite::Means(source) = format { Some(source) } else { None };
                let mut importer = Importer::new(only, self.processors);
                if let Some(ppn) = self.ppn {
                    importer = importer.with_processes_per_host(ppn);
                }
                for (content, (path, forced)) in texts {
                    match forced {
                        None => importer.add(content, path)?,
                        Some(algorithm) => importer.add_forced(content, path, *algorithm)?,
                    }
                }
                importer.finish()
            }
            Suite::Pico => {
                applies::refuse(
                    &["--processors", "--forced"],
                    "results of PICO, which contain both",
                )?;
                if contents.iter().any(|content| PicoImporter::are_readings(content)) {
                    applies::refuse(&["--system", "--library"], "files of single readings")?;
                }
                let mut importer = PicoImporter::new(self.pico.selection(self.ppn));
                for (content, (path, _)) in texts {
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
        imported.warnings.iter().for_each(warn);
        imported.remarks.iter().for_each(|remark| context.say(remark));
        if imported.samples.count() == 0 {
            anyhow::bail!(
                "none of the files holds a benchmark that can be imported; give results of OSU, \
                    IMB or PICO"
            );
        }
        imported.samples.provenance = provenance(&imported.samples.provenance);
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

/// An output of a benchmark, and the algorithm that the MPI library was forced to use.
#[derive(Debug, Clone)]
struct Forced {
    algorithm: NativeAlgorithm,
    /// The file, or a pattern of files.
    path: PathBuf,
}

impl FromStr for Forced {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (algorithm, path) = text
            .split_once('=')
            .filter(|(_, path)| !path.is_empty())
            .ok_or("write an algorithm and a file, such as ompi/binomial=bcast.txt")?;
        let algorithm = algorithm.parse().map_err(|error: Fault| error.to_string())?;
        Ok(Self { algorithm, path: path.into() })
    }
}

impl WithPath for Forced {
    fn path_mut(&mut self) -> Option<(&mut PathBuf, char, Option<char>)> {
        Some((&mut self.path, '=', None))
    }
}

/// The files of a name or a pattern, in alphabetical order.
fn matching_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let text = path.to_string_lossy();
    if path.exists() || !text.contains(['*', '?', '[']) {
        return Ok(vec![path.to_owned()]);
    }
    let matches =
        glob::glob(&text).with_context(|| format!("{text:?} is not a pattern of file names"))?;
    let files = matches
        .collect::<Result<Vec<_>, _>>()
        .with_context(|| format!("cannot read the files of {text:?}"))?;
    if files.is_empty() {
        anyhow::bail!("--forced: no file matches {text:?}; correct the pattern");
    }
    Ok(files)
}

/// Parses a number of processes per node.
fn number_per_host(text: &str) -> Result<usize, &'static str> {
    let number = text.parse().ok().filter(|number| (1..=usize::from(u16::MAX)).contains(number));
    number.ok_or("it is a whole number from 1 to 65535")
}

/// The largest processor number, plus one.
const MAX_PROCESSORS: u32 = 1 << 20;

/// Different processors, one value of an option.
type ProcessorList = Vec<Processor>;

/// Parses a list of different processors, such as `0,1,4-7`.
fn processors(text: &str) -> Result<ProcessorList, String> {
    let wrong = |why: &str| format!("{why}; write them as 0,1 or 0-15");
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
    if list.is_empty() || sorted.len() < list.len() {
        Err(wrong("each processor is listed once"))
    } else {
        Ok(list)
    }
}

/// Arguments of `orrery samples advise`.
#[derive(Debug, Args)]
pub struct Advise {
    /// Samples file with collective operations by algorithm
    #[arg(value_name = "SAMPLES")]
    samples: PathBuf,
    /// Maximum number of measurements to advise, up to 100
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = budget())]
    budget: usize,
    /// Operations, separated by commas [default: all in the file]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    operation: Vec<CollectiveKind>,
    /// Further algorithms to consider, by the names of their experiments:
    /// bcast/pipeline,native/bcast/ompi/chain-4
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = experiment)]
    also: Vec<Experiment>,
    /// Number of processors whose operations are compared, if the file has several
    #[arg(long, value_name = "N")]
    procs: Option<usize>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Parses the name of a collective operation with its algorithm.
fn experiment(text: &str) -> Result<Experiment, String> {
    Experiment::collective_template(text.trim()).ok_or_else(|| {
        "write operation/algorithm or native/operation/library/algorithm, such as \
            bcast/pipeline"
            .to_owned()
    })
}

/// The parser of a number of rows.
fn budget() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_ADVICE as u64)
}

impl Advise {
    /// Prints the rows to measure next.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let samples = samples::read(context, std::slice::from_ref(&self.samples))?;
        let place = || self.samples.display().to_string();
        let selection =
            Selection { operations: self.operation.clone(), procs: self.procs, root: None };
        let readings = CollectiveReadings::of(&samples, &selection).with_context(place)?;
        readings.predictable().with_context(place)?;
        let points = readings.points(None).with_context(place)?;
        let design = Design::of(&readings, self.further(&readings)?, points).with_context(place)?;
        let model = MeasuredModel::of(&design, &readings).with_context(place)?;
        let advised = advise(&model, self.budget);
        if advised.is_empty() {
            context.say("no further row of these algorithms is expected to improve a choice");
        }
        output::print(&measured_advice(&with_times(&model, advised)), self.format)
    }

    /// The algorithms of --also with their operations, which must be in the samples.
    fn further(
        &self,
        readings: &CollectiveReadings,
    ) -> Result<Vec<(CollectiveKind, Implementation)>, Usage> {
        let wrong = |experiment: &Experiment, why: &str| {
            Usage(format!("--also {}: {why}", experiment.name()))
        };
        let of = |experiment: &Experiment| {
            let (operation, implementation) = Implementation::of(experiment)
                .ok_or_else(|| wrong(experiment, "name an algorithm, such as bcast/pipeline"))?;
            if readings.times.keys().all(|row| row.point.operation != operation) {
                return Err(wrong(
                    experiment,
                    "the samples do not have this operation; leave it out",
                ));
            }
            Ok((operation, implementation))
        };
        self.also.iter().map(of).collect()
    }
}

/// The predicted time of each advised row.
fn with_times(model: &MeasuredModel, advised: Vec<Advice>) -> Vec<(Advice, PredictedTime)> {
    advised.into_iter().map(|advice| (advice, model.time(advice.index))).collect()
}

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;
use orrery::file::{Fault, FileKind, kind_of};
use orrery::platform::Processor;
use orrery::sample::file;
use orrery::sample::import::{Importer, PicoImporter, PicoSelection, Source};
use orrery::sample::{NativeAlgorithm, Provenance, UnknownExperiment};
use orrery::schedule::CollectiveKind;
use orrery::units::UnknownName;

use super::output_file::{self, OutputKind};
use crate::applies;
use crate::context::{Context, command_line, warn};
use crate::output::counted;

/// Arguments of `orrery samples import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Outputs of benchmarks; each repeated run of a benchmark counts as another launch
    #[arg(required_unless_present = "forced", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// OSU, IMB: output with an algorithm that the MPI library was forced to use, such as
    /// ompi/binomial=bcast.txt, or a quoted pattern, 'ompi/binomial=bcast-*.txt'; repeatable
    #[arg(long, value_name = "ALGORITHM=FILE")]
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
        output_file::check(&self.output, self.force, "-o", OutputKind::Samples)?;
        let mut outputs: Vec<(PathBuf, Option<NativeAlgorithm>)> =
            self.files.into_iter().map(|path| (path, None)).collect();
        for Forced { algorithm, path } in &self.forced {
            outputs.extend(matching_files(path)?.into_iter().map(|path| (path, Some(*algorithm))));
        }
        let read = |path: &PathBuf| {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
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
        let mut head = Provenance::new()
            .with("orrery", env!("CARGO_PKG_VERSION"))
            .with("command", command_line());
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

//! `orrery scaling import`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use orrery::file::FileKind;
use orrery::run::import::{
    ColumnMapping, FileConfigurations, ImportFormat, ImportOptions, Imported, Importer,
    NamePattern, Remark, RemarkKind,
};
use orrery::run::{Configuration, Filter, Metric, Run, Runs, file, variable};

use super::{input, sources};
use crate::context::{self, Context, Usage, warn};
use crate::verbs::output_file;
use crate::{hand_written, output};

/// Arguments of `orrery scaling import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling import HPL.out --configuration athlon=2x2 -o runs.json
  orrery scaling import times.csv --map n=size,seconds=time -o runs.json
  orrery scaling import results --configuration-from 'hpl-{kind}-{elements}x{processes}.out' -o \
  runs.json")]
pub struct Import {
    /// Files with runs, directories (with all files below) and patterns in quotes, such as
    /// 'results/**/*.out'; - reads stdin. A file of a directory or a pattern that cannot be
    /// imported is skipped with a message
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the runs to this file [default: stdout]
    #[arg(short, long, value_name = "RUNS")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Format of the files: hpl, extrap, jsonl, json, extra-p, csv, cubex, caliper, hatchet or runs
    /// [default: detected from the content]
    #[arg(long, value_name = "FORMAT")]
    from: Option<ImportFormat>,
    /// Assign columns or parameters, such as n=size,seconds=time. Meanings: a variable; seconds,
    /// milliseconds, microseconds, nanoseconds, minutes, hours; rate:WORK (rate:2e-9*n^3=gflops);
    /// region; label:NAME; elements:KIND, processes:KIND, computation:KIND, communication:KIND; for
    /// ranks also run, rank, kind, computation, communication
    #[arg(long, value_name = "MEANING=COLUMN,…")]
    map: Vec<ColumnMapping>,
    /// Select the runs that meet these conditions, such as mode=Reality,n<=200000 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    /// Set the processing elements of all runs as KIND=ELEMENTSxPROCESSES-PER-ELEMENT:
    /// athlon=1x2,pentium-ii=8x1
    #[arg(long, value_name = "KIND=NxM,…")]
    configuration: Option<Configuration>,
    /// Read the processing elements of each file's runs from its name, by a pattern such as
    /// 'hpl-{kind}-{elements}x{processes}.out', or from a table of file and configuration. Fields:
    /// also {elements:KIND}, {processes:KIND}, {configuration}; others are variables, as {threads};
    /// * is any text [default: as in mm.x10y20.r1]
    #[arg(long, value_name = "PATTERN|TABLE")]
    configuration_from: Option<ConfigurationSource>,
    /// Import these metrics of Extra-P, Score-P, Caliper or Hatchet, such as time,visits [default:
    /// all of Extra-P, the time of profiles]
    #[arg(long, value_name = "METRIC,…", value_delimiter = ',')]
    metric: Vec<String>,
}

impl Import {
    /// Converts files to a runs file.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let output = self.output.filter(|path| path.as_os_str() != "-");
        if let Some(path) = output.as_ref() {
            output_file::check(path, self.force, FileKind::Runs)?;
        }
        let mut maps = self.map.into_iter();
        let first = maps.next().unwrap_or_default();
        let map = maps
            .try_fold(first, ColumnMapping::join)
            .map_err(|error| Usage(format!("--map: {error}")))?;
        let configuration = self.configuration.unwrap_or_default();
        let by_file = self.configuration_from.map(ConfigurationSource::read).transpose()?;
        let (format, metrics) = (self.from, self.metric);
        let mut importer =
            Importer::new(ImportOptions { format, configuration, by_file, map, metrics });
        sources::import(&mut importer, &self.files, output.as_deref(), format, context)?;
        let Imported { runs: Runs { provenance, runs }, remarks } = importer.finish()?;
        report(context, &remarks);
        if runs.is_empty() {
            anyhow::bail!(
                "every run of the files is left out, such as runs of HPL that fail its check of \
                    residuals and times of 0 s; remarks without --quiet name the reasons: repeat \
                    these runs, or give other files"
            );
        }
        let read = runs.len();
        let runs = input::filtered(runs, &self.conditions)?;
        let kept = summary(&runs, read);
        let runs = Runs { provenance: context::provenance(&provenance), runs };
        match output {
            Some(path) => {
                file::write(&path, &runs, self.force)?;
                context.say(format!("{kept} written to {}", path.display()));
            }
            None => {
                output::text(&file::to_text(&runs)?)?;
                context.say(kept);
            }
        }
        Ok(())
    }
}

/// Where the configurations of files are from.
#[derive(Debug, Clone)]
enum ConfigurationSource {
    /// A pattern of the names of the files, which has a brace.
    Pattern(NamePattern),
    /// A file with a table.
    Table(PathBuf),
}

impl FromStr for ConfigurationSource {
    type Err = <NamePattern as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains('{') {
            text.parse().map(Self::Pattern)
        } else {
            Ok(Self::Table(text.into()))
        }
    }
}

impl ConfigurationSource {
    /// Reads the table, if it is one.
    fn read(self) -> anyhow::Result<FileConfigurations> {
        let path = match self {
            Self::Pattern(pattern) => return Ok(FileConfigurations::Pattern(pattern)),
            Self::Table(path) => path,
        };
        let (content, name) = input::content(&path)?;
        hand_written::check_end(&name, &content);
        Ok(FileConfigurations::parse_table(content, name)?)
    }
}

/// Prints the remarks; one that holds for several files is printed once.
fn report(context: Context, remarks: &[Remark]) {
    let mut files: BTreeMap<String, BTreeSet<&Path>> = BTreeMap::new();
    for remark in remarks {
        files.entry(remark.kind.to_string()).or_default().insert(&remark.path);
    }
    for remark in remarks {
        let Some(files) = files.remove(&remark.kind.to_string()) else { continue };
        let others = match files.len() - 1 {
            0 => String::new(),
            1 => " (also in another file)".to_owned(),
            others => format!(" (also in {others} other files)"),
        };
        let option = match remark.kind {
            RemarkKind::NoElements => {
                "; add --configuration KIND=ELEMENTSxPROCESSES, such as athlon=2x2"
            }
            RemarkKind::NoParameters => {
                "; add --configuration-from with a pattern, such as 'mm.n{n}.r*/profile.cubex'"
            }
            _ => "",
        };
        let text = format!("{remark}{option}{others}");
        if remark.kind.is_warning() { warn(text) } else { context.say(text) }
    }
}

/// A summary of the runs: the numbers of runs, sizes, regions, metrics and configurations.
fn summary(runs: &[Run], read: usize) -> String {
    let many =
        |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let sizes: BTreeSet<u64> = runs
        .iter()
        .filter_map(|run| Some(run.variable(variable::PROBLEM_SIZE)?.to_bits()))
        .collect();
    let regions: BTreeSet<&str> = runs.iter().map(|run| run.region.as_str()).collect();
    let configurations: BTreeSet<_> = runs.iter().map(|run| &run.configuration).collect();
    let mut parts = Vec::new();
    if !sizes.is_empty() {
        parts.push(many(sizes.len(), "size"));
    }
    if regions.len() > 1 {
        parts.push(many(regions.len(), "region"));
    }
    let metrics = Metric::names(runs);
    if metrics.len() > 1 {
        parts.push(many(metrics.len(), "metric"));
    }
    if configurations.len() > 1 {
        parts.push(many(configurations.len(), "configuration"));
    }
    let of = if parts.is_empty() { String::new() } else { format!(" of {}", parts.join(", ")) };
    let omitted = read - runs.len();
    let omitted = if omitted == 0 {
        String::new()
    } else {
        format!(" ({omitted} others do not meet --where)")
    };
    format!("{}{of}{omitted}", many(runs.len(), "run"))
}

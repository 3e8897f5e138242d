//! `orrery scaling run`: makes the runs of a plan, one at a time, until all are made or the
//! decision is certain.

mod campaign;
mod job;
mod outcome;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use orrery::file::FileKind;
use orrery::run::file::{self, RunsWriter, plan};
use orrery::run::hpl::HplVariant;
use orrery::run::hpl::dat::HplDat;
use orrery::run::{Run as Record, Runs};
use orrery::units::{NumberList, Seconds};

use self::campaign::{Campaign, Decision};
use self::job::{DEFAULT_BLOCK_SIZE, Job, Template};
use self::outcome::TimeSource;
use super::advise::BUDGET_KEY;
use super::input::{self, DecisionOptions};
use crate::context::{Context, Usage, interrupt_flag, provenance};
use crate::verbs::choose::files::template as hpl_dat;
use crate::verbs::output_file;
use crate::{applies, options};

/// Arguments of `orrery scaling run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling run plan.json -o runs.json --cluster cluster.toml \\
    --command 'mpirun -np {np} --hostfile {hostfile} {here}/xhpl'
  orrery scaling run plan.json -o runs.json --command 'mpirun -np {np} ./app' --seconds-after \
  time: --repetitions 3")]
pub struct Run {
    /// Plan file, as written by orrery scaling advise
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Shell command of a run, such as 'mpirun -np {np} --hostfile {hostfile} {here}/xhpl'.
    /// Placeholders: np, n, p, q, block, hostfile, rankfile, machinefile, dat (HPL.dat),
    /// configuration, rep, here (the current folder). Each run has its own working folder with
    /// these files
    #[arg(long, value_parser = Template::new, value_name = "COMMAND")]
    command: Template,
    /// Write the runs to this file, updated after each run
    #[arg(short, long, value_name = "RUNS")]
    output: PathBuf,
    /// Keep the runs of an existing file and make the missing ones
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Parent folder of the working folders [default: next to the runs file]
    #[arg(long, value_name = "DIR")]
    workdir: Option<PathBuf>,
    /// Take the time from the number after the last occurrence of this text in the output [default:
    /// the time that HPL prints, else the time of the whole command]
    #[arg(long, value_name = "TEXT", conflicts_with = "wall")]
    seconds_after: Option<String>,
    /// Take the time of the whole command, even if it prints the time of HPL
    #[arg(long)]
    wall: bool,
    /// Stop after this many failed runs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    max_failures: u32,
    /// Limit the total time of the runs: 90s, 10m, 2h [default: the budget of a plan of
    /// orrery scaling advise, otherwise unlimited]
    #[arg(long, value_name = "TIME", value_parser = options::duration)]
    budget: Option<Duration>,
    /// Cluster file; required by --decide and by the placeholders hostfile, rankfile and
    /// machinefile
    #[arg(long, value_name = "CLUSTER")]
    cluster: Option<PathBuf>,
    /// Stop when the best configuration for these problem sizes is certain: n=9600. A plan of
    /// orrery scaling advise is revised after each run, and ends when no further run pays
    #[arg(long, value_name = "n=LIST", value_parser = sizes, requires = "cluster")]
    decide: Option<NumberList>,
    /// HPL.dat with the variant of the runs, and the block size if the plan has none; problem and
    /// grid are those of the plan [default: the variant of the earlier runs, else that HPL is
    /// distributed with, and block size 192]
    #[arg(long, value_name = "FILE")]
    hpl_dat: Option<PathBuf>,
    /// Use earlier runs for the decision; may be repeated
    #[arg(long, value_name = "RUNS")]
    with: Vec<PathBuf>,
    #[command(flatten)]
    decision: DecisionOptions,
}

/// The options of decisions that plans without one do not depend on.
const OF_DECISIONS: [&str; 9] = [
    "--confidence",
    "--tolerance",
    "--uses",
    "--seed",
    "--set",
    "--grid",
    "--block",
    "--memory",
    "--memory-overhead",
];

/// Parses n=LIST.
fn sizes(text: &str) -> Result<NumberList, String> {
    let list = text.strip_prefix("n=").ok_or("write n=LIST, such as n=9600")?;
    list.parse().map_err(|error: orrery::units::UnitError| error.to_string())
}

/// The provenance key of the command that made the runs.
const APPLICATION_KEY: &str = "application";

impl Run {
    /// Makes the runs of a plan and writes their times.
    pub fn run(self: Box<Self>, context: Context) -> anyhow::Result<()> {
        if self.decide.is_none() {
            applies::refuse(&OF_DECISIONS, "runs without --decide")?;
        }
        let template = self.command.clone();
        if let Some(place) = template
            .first_of(&["hostfile", "rankfile", "machinefile"])
            .filter(|_| self.cluster.is_none())
        {
            return Err(Usage(format!(
                "--command: {{{place}}} requires --cluster, which lists the hosts of each kind"
            ))
            .into());
        }
        let plan = plan::read(&self.plan)?;
        let cluster =
            self.cluster.as_deref().map(|path| input::cluster(context, path)).transpose()?;
        for planned in &plan.runs {
            let job = Job {
                planned,
                cluster: cluster.as_ref(),
                repetition: 0,
                hpl: HplVariant::DISTRIBUTED,
                block: DEFAULT_BLOCK_SIZE,
            };
            job.check().map_err(|error| {
                error.context(format!("{}: {}", self.plan.display(), job::describe(planned)))
            })?;
        }
        let given = self.hpl_dat.as_deref().map(hpl_dat).transpose()?;
        let mut before: Vec<Record> = Vec::new();
        for path in &self.with {
            before.extend(file::read(path)?.runs);
        }
        let time_source = match &self.seconds_after {
            Some(text) => TimeSource::After(text.clone()),
            None if self.wall => TimeSource::Wall,
            None => TimeSource::Detected,
        };
        let (writer, runs) = self.open(&template, &time_source)?;
        let decision = match (&self.decide, cluster.as_ref()) {
            (Some(sizes), Some(cluster)) => Some(Decision {
                options: &self.decision,
                cluster,
                sizes: sizes.as_slice(),
                is_advice: plan.provenance.get("advice").is_some(),
            }),
            _ => None,
        };
        let planned = plan.provenance.get(BUDGET_KEY).and_then(|text| text.parse::<f64>().ok());
        let budget = match (self.budget, planned.filter(|seconds| *seconds > 0.0)) {
            (Some(budget), _) => budget.as_secs_f64(),
            (None, Some(planned)) => {
                let limit = Seconds::new(planned);
                context.say(format!("limited to {limit}, the budget of the plan; see --budget"));
                planned
            }
            (None, None) => f64::INFINITY,
        };
        let campaign = Campaign {
            context,
            template: &template,
            time_source: &time_source,
            cluster: cluster.as_ref(),
            repetitions: self.decision.repetitions,
            hpl: hpl_variant(given, &before, &runs.runs),
            block: given.and_then(|given| given.block).unwrap_or(DEFAULT_BLOCK_SIZE),
            output: &self.output,
            writer,
            workdir: self.workdir.clone().unwrap_or_else(|| default_workdir(&self.output)),
            here: std::env::current_dir()?,
            budget,
            max_failures: self.max_failures,
            interrupt: interrupt_flag()?,
            earlier: before,
            runs,
            failed: Vec::new(),
            spent: 0.0,
            number: 0,
        };
        campaign.run(&plan.runs, decision.as_ref())
    }

    /// The locked runs file, with the existing runs to resume.
    fn open(
        &self,
        template: &Template,
        time_source: &TimeSource,
    ) -> anyhow::Result<(RunsWriter, Runs)> {
        let path = &self.output;
        let exists = std::fs::metadata(path).is_ok_and(|found| found.len() > 0);
        let (writer, runs) = if exists && self.resume {
            let (writer, runs) = RunsWriter::resume(path)?;
            let own = runs.provenance.get(APPLICATION_KEY);
            if let Some(other) = own.filter(|own| *own != template.text()) {
                anyhow::bail!(
                    "{}: its runs were made with --command '{other}'; use the same command or \
                        another file",
                    path.display()
                );
            }
            (writer, runs)
        } else {
            output_file::check(path, self.force, FileKind::Runs)?;
            (RunsWriter::create(path, self.force)?, Runs::default())
        };
        let provenance = provenance(&runs.provenance)
            .with(APPLICATION_KEY, template.text())
            .with("timing", time_source.description())
            .with("plan", self.plan.display().to_string());
        Ok((writer, Runs { provenance, runs: runs.runs }))
    }
}

/// The default parent folder: `results-runs` for `results.json`.
fn default_workdir(output: &Path) -> PathBuf {
    let name = output.file_stem().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{name}-runs"))
}

/// The variant in HPL.dat: that of `given`, the file of --hpl-dat, else the one that most of the
/// earlier and own runs record, else that HPL is distributed with.
fn hpl_variant(given: Option<HplDat>, earlier: &[Record], own: &[Record]) -> HplVariant {
    let mut counts: BTreeMap<HplVariant, usize> = BTreeMap::new();
    for run in earlier.iter().chain(own) {
        *counts.entry(HplVariant::of(&run.labels)).or_default() += 1;
    }
    let recorded = counts.into_iter().filter(|(variant, _)| variant.code.is_some());
    let recorded = recorded.max_by_key(|(_, count)| *count).map(|(variant, _)| variant);
    given.map(|given| given.variant).or(recorded).unwrap_or_default().or(HplVariant::DISTRIBUTED)
}

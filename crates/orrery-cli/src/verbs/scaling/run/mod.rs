//! `orrery scaling run`: makes the runs of a plan, one after the other, until they are all made or the answer is certain.

mod campaign;
mod job;
mod outcome;
mod template;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use orrery::run::file::plan;
use orrery::run::{Run as Record, Runs, file};
use orrery::sample::Provenance;
use orrery::units::NumberList;

use self::campaign::{Campaign, Decision};
use self::job::Job;
use self::outcome::Reading;
use self::template::Template;
use super::decision::{self, DecisionOptions};
use crate::context::{Context, Usage, command_line};
use crate::verbs::replace;
use crate::{interrupt, options};

/// Arguments of `orrery scaling run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The plan file, such as orrery scaling advise writes
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// What makes a run: a command line of the shell, such as 'mpirun -np {np} --hostfile {hostfile} {here}/xhpl'. In
    /// braces: np, n, p, q, block, hostfile, rankfile, machinefile, dat (HPL.dat), configuration, rep, here (the folder
    /// where orrery was started). It runs in a folder of its own, where these files are
    #[arg(long, value_name = "COMMAND")]
    command: String,
    /// The runs file to write: after each run, with all runs before it
    #[arg(short, long, value_name = "RUNS")]
    output: PathBuf,
    /// Go on: keep the runs that the file has, and make those that it lacks
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// The folder for the folders of the runs [default: beside the runs file]
    #[arg(long, value_name = "DIR")]
    workdir: Option<PathBuf>,
    /// The time is the number behind this text in the output, the last one [default: what HPL prints, else the time of
    /// the whole command]
    #[arg(long, value_name = "TEXT", conflicts_with = "wall")]
    seconds_after: Option<String>,
    /// The time is that of the whole command
    #[arg(long)]
    wall: bool,
    /// Stop when so many runs have failed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    max_failures: u32,
    /// How long the runs may take all in all: 90s, 10m, 2h [default: as long as it takes]
    #[arg(long, value_name = "TIME", value_parser = options::duration)]
    budget: Option<Duration>,
    /// The cluster file: for host files, and to decide
    #[arg(long, value_name = "CLUSTER")]
    cluster: Option<PathBuf>,
    /// Stop when the best configuration for these sizes is certain: n=9600. A plan of orrery scaling advise is advised
    /// anew after each run
    #[arg(long, value_name = "n=LIST", value_parser = sizes, requires = "cluster")]
    decide: Option<NumberList>,
    /// Runs that were made before, which help to decide; may be repeated
    #[arg(long, value_name = "RUNS")]
    with: Vec<PathBuf>,
    #[command(flatten)]
    decision: DecisionOptions,
}

fn sizes(text: &str) -> Result<NumberList, String> {
    let list = text.strip_prefix("n=").ok_or("write n=LIST, such as n=9600")?;
    list.parse().map_err(|error: orrery::units::UnitError| error.to_string())
}

/// What says in a runs file which command its runs were made with.
const APPLICATION: &str = "application";

impl Run {
    pub fn run(self: Box<Self>, context: Context) -> anyhow::Result<()> {
        let template = Template::new(&self.command)?;
        if let Some(place) = template.has(&["hostfile", "rankfile", "machinefile"]).filter(|_| self.cluster.is_none()) {
            return Err(Usage(format!("--command: {{{place}}} needs --cluster: the hosts of each kind")).into());
        }
        let plan = plan::read(&self.plan)?;
        let cluster = self.cluster.as_deref().map(|path| decision::cluster(context, path)).transpose()?;
        for planned in &plan.runs {
            let job = Job { planned, cluster: cluster.as_ref(), repetition: 0 };
            job.check()
                .map_err(|error| error.context(format!("{}: {}", self.plan.display(), job::in_words(planned))))?;
        }
        let mut before: Vec<Record> = Vec::new();
        for path in &self.with {
            before.extend(file::read(path)?.runs);
        }
        let reading = match &self.seconds_after {
            Some(text) => Reading::After(text.clone()),
            None if self.wall => Reading::Wall,
            None => Reading::Recognised,
        };
        let runs = self.open(&template, &reading)?;
        let decision = match (&self.decide, cluster.as_ref()) {
            (Some(sizes), Some(cluster)) => Some(Decision {
                options: &self.decision,
                cluster,
                sizes: sizes.as_slice(),
                advised: plan.provenance.get("advice").is_some(),
            }),
            _ => None,
        };
        let campaign = Campaign {
            context,
            template: &template,
            reading: &reading,
            cluster: cluster.as_ref(),
            repetitions: self.decision.repetitions,
            output: &self.output,
            workdir: self.workdir.clone().unwrap_or_else(|| beside(&self.output)),
            here: std::env::current_dir()?,
            budget: self.budget.map_or(f64::INFINITY, |budget| budget.as_secs_f64()),
            max_failures: self.max_failures,
            interrupt: interrupt::flag()?,
            before,
            runs,
            failed: Vec::new(),
            spent: 0.0,
            number: 0,
        };
        campaign.make(&plan.runs, decision.as_ref())
    }

    /// The runs file: what it holds, or the beginning of a new one.
    fn open(&self, template: &Template, reading: &Reading) -> anyhow::Result<Runs> {
        let path = &self.output;
        let exists = std::fs::metadata(path).is_ok_and(|found| found.len() > 0);
        let mut runs = Runs::default();
        if exists && self.resume {
            runs = file::read(path)?;
            let own = runs.provenance.get(APPLICATION);
            if let Some(other) = own.filter(|own| *own != template.text()) {
                anyhow::bail!(
                    "{}: its runs were made with --command '{other}'; repeat that, or name another file",
                    path.display()
                );
            }
        } else if exists && self.force {
            replace::only(path, "-o", "runs file", "{")?;
        } else if exists {
            anyhow::bail!(
                "{}: this file already exists; continue with --resume, replace it with --force, or name another file",
                path.display()
            );
        }
        let mut head = Provenance::new();
        for (key, value) in [
            ("orrery", env!("CARGO_PKG_VERSION")),
            ("command", &command_line()),
            (APPLICATION, template.text()),
            ("timing", &reading.words()),
            ("plan", &self.plan.display().to_string()),
        ] {
            head.set(key, value);
        }
        for (key, value) in runs.provenance.iter().filter(|(key, _)| head.get(key).is_none()).collect::<Vec<_>>() {
            head.set(key, value);
        }
        Ok(Runs { provenance: head, runs: runs.runs })
    }
}

/// `results.json` has its folders in `results-runs`.
fn beside(output: &Path) -> PathBuf {
    let name = output.file_stem().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{name}-runs"))
}

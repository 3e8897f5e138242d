//! `orrery scaling advise`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::budget::Budget;
use orrery::file::{FileKind, kind_of};
use orrery::model::file as model_file;
use orrery::platform::Cluster;
use orrery::request::RegionAtLevels;
use orrery::run::file::{self, plan};
use orrery::run::{Configuration, Plan, PlanEntry, Share};
use orrery::sample::Provenance;
use orrery::scaling::advise::{Advice, AdvisedRun, PlanLimits, StopReason};
use orrery::scaling::search::Search;
use orrery::scaling::{ForecastError, PlannedRun, RankedConfiguration, Region, RunPlan};
use orrery::units::{NumberList, Seconds};
use orrery_report::tables::{advised_runs, decisions, plan_end, planned_runs};

use super::input::{self, DecisionOptions, fit, not_stdout};
use crate::context::{Context, provenance, warn};
use crate::options;
use crate::output::{self, Format};
use crate::verbs::choose::files::{Choice, WriteOptions};
use crate::verbs::output_file;

/// The level of the interval in the input files.
const INTERVAL_LEVEL: f64 = 0.95;

/// The arguments that a plan of a study does not depend on.
const OF_CHOICES: [&str; 16] = [
    "n",
    "budget",
    "confidence",
    "tolerance",
    "repetitions",
    "uses",
    "seed",
    "set",
    "grid",
    "block",
    "memory",
    "memory_overhead",
    "region",
    "write",
    "hpl_dat",
    "command",
];

/// The provenance key of the budget of a plan, in seconds, which limits its runs.
pub(super) const BUDGET_KEY: &str = "budget";

/// Arguments of `orrery scaling advise`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling advise runs.json --cluster cluster.toml --n 9600 --budget 2h -o plan.json
  orrery scaling advise runs.json --cluster cluster.toml --n 9600 --write next
  orrery scaling advise --plan ns --cluster cluster.toml -o plan.json")]
pub struct Advise {
    /// Model file, or runs file to fit a model to; - reads stdin (omit it with --plan)
    #[arg(value_name = "MODEL|RUNS", required_unless_present = "plan", conflicts_with = "plan")]
    known: Option<PathBuf>,
    /// Cluster file with the hosts and the kinds of their processing elements
    #[arg(long, value_name = "CLUSTER")]
    cluster: PathBuf,
    /// Problem sizes for which a configuration is chosen: 9600, 3200..9600:1600
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, required_unless_present = "plan")]
    n: Option<NumberList>,
    /// Limit the total time of the runs: 90s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = options::duration)]
    budget: Duration,
    /// Problem sizes of the runs [default: those of --n and fractions of them in the measured
    /// range; with --plan, those of the plan]
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        required_if_eq("plan", "evaluation")
    )]
    sizes: Option<NumberList>,
    /// Write the plan of a published study instead, which measures each kind of elements by itself
    #[arg(long, value_enum, conflicts_with_all = OF_CHOICES)]
    plan: Option<Preset>,
    #[command(flatten)]
    decision: DecisionOptions,
    /// Select the region of the program, if there are several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,
    #[command(flatten)]
    files: WriteOptions,
    /// Write the plan to this file
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The plans of the published study, and of its evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// Every number of elements, nine sizes from 400 to 6400
    Basic,
    /// 1, 2, 4, … elements, sizes 1600, 3200, 4800 and 6400
    Nl,
    /// 1, 2, 4, … elements, sizes 400, 800, 1200 and 1600
    Ns,
    /// Every configuration of the cluster, also of several kinds, to judge choices; requires
    /// --sizes
    Evaluation,
}

impl Advise {
    /// Writes and prints a plan of runs.
    pub fn run(mut self, context: Context) -> anyhow::Result<()> {
        let output = not_stdout(self.output.take());
        if let Some(path) = output.as_ref() {
            output_file::check(path, self.force, FileKind::Plan)?;
        }
        let cluster = input::cluster(context, &self.cluster)?;
        let (tables, plan) = match self.plan {
            Some(preset) => {
                let plan = named_plan(preset, &cluster, self.sizes.as_ref())?;
                (vec![planned_runs(&plan)], plan)
            }
            None => self.advise(context, &cluster)?,
        };
        if let Some(path) = output {
            plan::write(&path, &plan, self.force)?;
            context.say(format!("{} runs written to {}", plan.runs.len(), path.display()));
        }
        output::print_all(&tables, self.format)
    }

    /// The tables and the plan of the advised runs.
    fn advise(
        &self,
        context: Context,
        cluster: &Cluster,
    ) -> anyhow::Result<(Vec<orrery_report::Table>, Plan)> {
        let known = self.decision.at_levels(context, &self.known()?)?;
        let list = |list: &Option<NumberList>| {
            list.as_ref().map_or(Vec::new(), |list| list.as_slice().to_vec())
        };
        let (asked, sizes) = (list(&self.n), list(&self.sizes));
        let limits = PlanLimits {
            asked: &asked,
            sizes: &sizes,
            budget: Seconds::from(self.budget),
            failed: &[],
            under_way: &[],
        };
        let advised = self.decision.advise(&known, cluster, &limits);
        let advised =
            advised.map_err(|error| match (&self.known, error.is::<ForecastError>()) {
                (Some(path), true) => error.context(path.display().to_string()),
                _ => error,
            })?;
        self.explain_end(context, &advised);
        if advised.decisions.iter().any(|decision| decision.is_untested_mix) {
            warn(
                "no run mixes kinds of elements, so how they work together is assumed: the choice is \
                    not certain before a mixed run",
            );
        }
        if advised.stop_reason != StopReason::UnidentifiedKind {
            self.write(context, &known, cluster, &asked)?;
        }
        let what = asked.iter().map(|n| format!("n={n}")).collect::<Vec<_>>().join(",");
        let why = format!(
            "{what}, tolerance {}, confidence {}, uses {}",
            self.decision.tolerance, self.decision.confidence, self.decision.uses
        );
        let planned = |run: &AdvisedRun| PlanEntry {
            variables: run.point.variables.clone(),
            configuration: run.point.configuration.clone(),
            seconds: Some(run.seconds),
        };
        let plan = Plan {
            provenance: provenance(&Provenance::new())
                .with("advice", why)
                .with(BUDGET_KEY, self.budget.as_secs_f64().to_string()),
            runs: advised.runs.iter().map(planned).collect(),
        };
        let tables = vec![
            decisions(&advised.decisions),
            advised_runs(&advised.runs),
            plan_end(&advised, self.decision.repetitions),
        ];
        Ok((tables, plan))
    }

    /// Explains why a plan ends, with a warning if the choice remains uncertain.
    fn explain_end(&self, context: Context, advised: &Advice) {
        let is_empty = advised.runs.is_empty();
        match advised.stop_reason {
            StopReason::Certain if is_empty => {
                context.say("the choice is certain, no run is needed");
            }
            StopReason::Certain => {
                context.say("the choice is expected to be certain after these runs");
            }
            StopReason::BudgetUsed if is_empty => {
                warn("every useful run exceeds --budget; the choice remains uncertain");
            }
            StopReason::BudgetUsed => {
                warn("the choice is not expected to be certain within --budget");
            }
            StopReason::NoRunPays => warn(format!(
                "the choice {}, but {} runs within --budget cost more than they are expected to save in {} \
                    production runs; see --uses",
                if is_empty { "is not certain" } else { "is not expected to be certain" },
                if is_empty { "all" } else { "further" },
                self.decision.uses
            )),
            StopReason::NoUsefulRun => warn(
                "the choice is not expected to be certain: no further run of these sizes helps",
            ),
            StopReason::UnidentifiedKind => warn(
                "each kind of these runs is never the slowest kind of the measured ones, which do \
                    not show how fast it is: no configuration can be chosen before these runs",
            ),
        }
    }

    /// Writes the input files of the current choice, if --write is given.
    fn write(
        &self,
        context: Context,
        known: &RegionAtLevels,
        cluster: &Cluster,
        asked: &[f64],
    ) -> anyhow::Result<()> {
        self.files.check_sizes(asked.len())?;
        let (Some(_), Some(size)) = (&self.files.write, asked.first()) else { return Ok(()) };
        let (space, region) = (self.decision.space(known, cluster)?, &known.region);
        let fixed = space.fixed_at(Some(*size));
        let rank = |search: &mut Search<'_>| search.ranking(1);
        let ranking = space.search(&region.model, &region.measured, &fixed, rank)?;
        let best = RankedConfiguration::from_ranking(
            &region.model,
            &region.measured,
            &ranking,
            &fixed,
            INTERVAL_LEVEL,
        )?;
        let Some(best) = best.first() else { return Ok(()) };
        self.files.write(
            context,
            Choice { at_levels: known, space: &space, cluster, size: Some(*size), best },
            self.force,
        )
    }

    /// The model with the runs that it was fitted to.
    fn known(&self) -> anyhow::Result<Region> {
        let path = self.known.as_deref().unwrap_or_else(|| unreachable!("required without --plan"));
        let (content, name) = input::content(path)?;
        if kind_of(&content) != Some(FileKind::Runs) {
            let loaded = model_file::parse(&content, &name)?;
            loaded.warnings.iter().for_each(warn);
            let place = || name.display().to_string();
            let application = input::application(&loaded.model, &name)?;
            return Ok(application
                .timed_region(self.region.as_deref())
                .with_context(place)?
                .clone());
        }
        let mut runs = file::parse(content, &name)?.runs;
        if let Some(region) = &self.region {
            runs.retain(|run| run.region == *region);
        }
        fit(&runs, &name)
    }
}

/// The plan of the study for all elements and processes of a cluster, for its sizes or others.
fn named_plan(
    preset: Preset,
    cluster: &Cluster,
    sizes: Option<&NumberList>,
) -> anyhow::Result<Plan> {
    let share = |kind: &orrery::platform::Kind| Share {
        kind: kind.name.clone(),
        elements: kind.elements(),
        processes: kind.processes,
    };
    let all = Configuration { shares: cluster.kinds().iter().map(share).collect() };
    let sizes = sizes.map(NumberList::as_slice);
    let of_study = |plan: RunPlan| match sizes {
        Some(sizes) => plan.with_sizes(sizes),
        None => plan,
    };
    let RunPlan { runs } = match (preset, sizes) {
        (Preset::Basic, _) => of_study(RunPlan::basic(&all)),
        (Preset::Nl, _) => of_study(RunPlan::nl(&all)),
        (Preset::Ns, _) => of_study(RunPlan::ns(&all)),
        (Preset::Evaluation, None) => unreachable!("required by the parser"),
        (Preset::Evaluation, Some(sizes)) => {
            let count = RunPlan::evaluations(&all).saturating_mul(sizes.len() as u64);
            Budget::of_input(0).check_operations("a plan of every configuration", count)?;
            RunPlan::evaluation(&all, sizes)
        }
    };
    let planned = |run: &PlannedRun| {
        let point = run.point();
        PlanEntry { variables: point.variables, configuration: point.configuration, seconds: None }
    };
    Ok(Plan {
        provenance: provenance(&Provenance::new()),
        runs: runs.iter().map(planned).collect(),
    })
}

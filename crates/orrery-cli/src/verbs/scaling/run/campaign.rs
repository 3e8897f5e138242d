//! The loop over the runs of a plan, with an optional decision after each run.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery::file::FileError;
use orrery::platform::Cluster;
use orrery::run::file::{self, RunsWriter};
use orrery::run::hpl::HplVariant;
use orrery::run::{PlanEntry, Run, Runs, variable};
use orrery::scaling::Point;
use orrery::scaling::advise::{AdvisedRun, DecisionStatus, PlanLimits, StopReason};
use orrery::units::Seconds;

use super::job::{Job, Template, create_folder, describe};
use super::outcome::{TimeSource, tail};
use crate::campaign_file;
use crate::context::{Context, warn};
use crate::launch::launch;
use crate::output::counted;
use crate::verbs::scaling::input::{DecisionOptions, fit};

/// The label with the index of the repetition; it marks runs of a campaign.
const REPETITION_LABEL: &str = "repetition";

/// The decision that ends a campaign.
pub struct Decision<'a> {
    pub options: &'a DecisionOptions,
    pub cluster: &'a Cluster,
    pub sizes: &'a [f64],
    /// True if the plan is advice, which is revised after each run.
    pub is_advice: bool,
}

/// The state of a campaign.
pub struct Campaign<'a> {
    pub context: Context,
    pub template: &'a Template,
    pub time_source: &'a TimeSource,
    pub cluster: Option<&'a Cluster>,
    pub repetitions: u32,
    /// The variant of HPL that the runs use.
    pub hpl: HplVariant,
    /// The block size of HPL if the plan has none.
    pub block: u32,
    pub output: &'a Path,
    /// The locked output file.
    pub writer: RunsWriter,
    /// The parent of the working folders.
    pub workdir: PathBuf,
    /// The folder in which the command was started.
    pub here: PathBuf,
    /// The limit of the total time, in seconds.
    pub budget: f64,
    pub max_failures: u32,
    pub interrupt: Arc<AtomicBool>,
    /// Runs of other files, for the decision.
    pub earlier: Vec<Run>,
    /// The runs of the output file.
    pub runs: Runs,
    /// The points of failed runs.
    pub failed: Vec<Point>,
    /// The total time of all commands so far, in seconds.
    pub spent: f64,
    /// The number of the last working folder.
    pub number: u32,
}

/// The next step of a campaign.
enum Step {
    Run(PlanEntry),
    End(String),
}

impl Campaign<'_> {
    /// Makes the missing runs of a plan, or the runs that the decision needs.
    pub fn run(mut self, plan: &[PlanEntry], decision: Option<&Decision>) -> anyhow::Result<()> {
        let mut left = self.missing_runs(plan);
        let already = plan.len() * self.repetitions as usize - left.len();
        if already > 0 {
            self.context.say(format!("{already} runs of the plan exist already"));
        }
        let mut made = 0;
        let end = loop {
            let planned = match self.next_step(&mut left, decision)? {
                Step::Run(planned) => planned,
                Step::End(why) => break why,
            };
            let expected = planned.seconds.map_or(0.0, Seconds::get);
            if self.spent + expected > self.budget {
                break format!("budget used before {}; continue with --resume", describe(&planned));
            }
            match self.make_run(&planned)? {
                None => break "interrupted; continue with --resume".to_owned(),
                Some(true) => made += 1,
                Some(false) if self.failed.len() >= self.max_failures as usize => {
                    self.writer.finish().map_err(|error| self.rescue(error))?;
                    anyhow::bail!(
                        "{} failed, {made} succeeded and are in {}; check {} and continue with \
                            --resume, or allow more with --max-failures",
                        counted(self.failed.len() as u64, "run"),
                        self.output.display(),
                        self.workdir.display()
                    );
                }
                Some(false) => {}
            }
        };
        self.writer.finish().map_err(|error| self.rescue(error))?;
        let failed = self.failed.len();
        let failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        self.context.say(format!(
            "{end}: {made} runs made{failed}, {} in {}",
            self.runs.runs.len(),
            self.output.display()
        ));
        if self.interrupt.load(Ordering::SeqCst) {
            anyhow::bail!("interrupted; the runs made so far are kept")
        }
        Ok(())
    }

    /// The runs of a plan that are missing, with repetitions.
    fn missing_runs(&self, plan: &[PlanEntry]) -> VecDeque<PlanEntry> {
        let own = |run: &&Run| run.labels.contains_key(REPETITION_LABEL);
        let mut existing: Vec<&Run> = self.runs.runs.iter().filter(own).collect();
        let mut missing = VecDeque::new();
        for planned in
            plan.iter().flat_map(|planned| std::iter::repeat_n(planned, self.repetitions as usize))
        {
            match existing.iter().position(|run| planned.matches(run)) {
                Some(place) => drop(existing.swap_remove(place)),
                None => missing.push_back(planned.clone()),
            }
        }
        missing
    }

    /// The next run, or the reason to stop.
    fn next_step(
        &self,
        left: &mut VecDeque<PlanEntry>,
        decision: Option<&Decision>,
    ) -> anyhow::Result<Step> {
        if self.interrupt.load(Ordering::SeqCst) {
            return Ok(Step::End("interrupted; continue with --resume".to_owned()));
        }
        if let Some(decision) = decision
            && let Some(next) = self.decide(decision, left)?
        {
            return Ok(next);
        }
        Ok(left.pop_front().map_or_else(|| Step::End("plan completed".to_owned()), Step::Run))
    }

    /// The step that the decision requires; `None` to continue with the plan.
    fn decide(
        &self,
        decision: &Decision,
        left: &mut VecDeque<PlanEntry>,
    ) -> anyhow::Result<Option<Step>> {
        let known: Vec<Run> = self.earlier.iter().chain(&self.runs.runs).cloned().collect();
        let region = match fit(&known, self.output) {
            Ok(region)
                if region.model.as_terms().is_some_and(|terms| terms.uncertainty.is_some()) =>
            {
                region
            }
            _ if !left.is_empty() => return Ok(None),
            Ok(_) => {
                return Ok(Some(Step::End(
                    "plan completed, but its runs do not determine the uncertainty of the model"
                        .to_owned(),
                )));
            }
            Err(error) => return Err(error),
        };
        let known = decision.options.at_levels(self.context, &region)?;
        let point = |planned: &PlanEntry| Point::of(&planned.with_time(Seconds::new(1.0)));
        let under_way: Vec<Point> = left.iter().map(point).collect();
        let budget = (self.budget - self.spent).clamp(0.0, 1e15);
        let limits = PlanLimits {
            asked: decision.sizes,
            sizes: &[],
            budget: Seconds::new(if decision.is_advice { budget } else { 0.0 }),
            failed: &self.failed,
            under_way: &under_way,
        };
        let advice = decision.options.advise(&known, decision.cluster, &limits)?;
        let describe_choice = |decision: &DecisionStatus| {
            let Point { variables, configuration, .. } = &decision.choice;
            let (variables, probability) =
                (variable::text(variables), decision.probability * 100.0);
            format!(
                "{variables}: {configuration} in {}, probability {probability:.1} %",
                decision.seconds
            )
        };
        let choices = advice.decisions.iter().map(describe_choice).collect::<Vec<_>>().join("; ");
        if advice.is_decided() {
            return Ok(Some(Step::End(format!("decided: {choices}"))));
        }
        let state = if choices.is_empty() {
            "no choice yet: a kind is never the slowest kind of the runs".to_owned()
        } else {
            format!("current choice {choices}")
        };
        if !decision.is_advice {
            self.context.say(state);
            return Ok(None);
        }
        let planned = |run: AdvisedRun| PlanEntry {
            variables: run.point.variables,
            configuration: run.point.configuration,
            seconds: Some(run.seconds),
        };
        *left = advice.runs.into_iter().map(planned).collect();
        let Some(next) = left.pop_front() else {
            let why = match advice.stop_reason {
                StopReason::Certain => "decided",
                StopReason::BudgetUsed => "every useful run exceeds the budget",
                StopReason::NoRunPays => "no further run pays",
                StopReason::NoUsefulRun | StopReason::UnidentifiedKind => "nothing left to measure",
            };
            return Ok(Some(Step::End(format!("{why}; {state}"))));
        };
        self.context.say(state);
        Ok(Some(Step::Run(next)))
    }

    /// Makes a run and adds it to the output file. Returns true on success; `None` if interrupted.
    fn make_run(&mut self, planned: &PlanEntry) -> anyhow::Result<Option<bool>> {
        let own = |run: &&Run| run.labels.contains_key(REPETITION_LABEL) && planned.matches(run);
        let repetition = self.runs.runs.iter().filter(own).count() as u32;
        let job =
            Job { planned, cluster: self.cluster, repetition, hpl: self.hpl, block: self.block };
        let folder = create_folder(&self.workdir, &mut self.number)?;
        let folder = folder.canonicalize().unwrap_or(folder);
        let command = job.prepare(self.template, &folder, &self.here)?;
        let Some(ended) = launch(&command, &folder, &self.interrupt)? else { return Ok(None) };
        self.spent += ended.seconds;
        let mut run = match self.time_source.run(planned, &folder, &ended) {
            Ok(run) => run,
            Err(why) => {
                warn(format_args!(
                    "{} failed: {why}\n  {command}{}",
                    describe(planned),
                    tail(&folder)
                ));
                self.failed.push(Point::of(&planned.with_time(Seconds::new(1.0))));
                return Ok(Some(false));
            }
        };
        let others: &[Run] = if self.earlier.is_empty() { &self.runs.runs } else { &self.earlier };
        job.match_variables(&mut run, others);
        run.labels.insert(REPETITION_LABEL.to_owned(), repetition.to_string());
        let expected =
            planned.seconds.map(|seconds| format!(", expected {seconds}")).unwrap_or_default();
        let made = format!("{}: {}{expected}", describe(planned), run.seconds);
        self.runs.runs.push(run);
        self.writer.write(&self.runs).map_err(|error| self.rescue(error))?;
        self.context.say(made);
        Ok(Some(true))
    }

    /// The error of the output file; if another program has changed it, all runs are written to a
    /// new file.
    fn rescue(&self, error: FileError) -> anyhow::Error {
        let runs = counted(self.runs.runs.len() as u64, "run");
        campaign_file::rescue(error.into(), self.output, &runs, |path| {
            Ok(file::write(path, &self.runs, false)?)
        })
    }
}

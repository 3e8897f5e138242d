use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery::platform::Cluster;
use orrery::run::{PlanEntry, Run, Runs, file};
use orrery::scaling::Point;
use orrery::scaling::advise::DecisionStatus;
use orrery::units::Seconds;

use super::job::{Job, folder, in_words};
use super::outcome::{Reading, tail};
use super::template::Template;
use crate::context::{Context, warn};
use crate::launch::launch;
use crate::verbs::scaling::decision::{DecisionOptions, fitted};

/// The label that tells runs of a campaign from others, and one repetition from the next.
const REPETITION: &str = "repetition";

/// What is to be decided, and how.
pub struct Decision<'a> {
    pub options: &'a DecisionOptions,
    pub cluster: &'a Cluster,
    pub sizes: &'a [f64],
    /// Whether the plan is advice, which may be changed by what is learned.
    pub advised: bool,
}

/// Runs being made.
pub struct Campaign<'a> {
    pub context: Context,
    pub template: &'a Template,
    pub reading: &'a Reading,
    pub cluster: Option<&'a Cluster>,
    pub repetitions: u32,
    pub output: &'a Path,
    pub workdir: PathBuf,
    pub here: PathBuf,
    /// In seconds.
    pub budget: f64,
    pub max_failures: u32,
    pub interrupt: Arc<AtomicBool>,
    /// Runs of other files.
    pub before: Vec<Run>,
    /// Those of the output.
    pub runs: Runs,
    pub failed: Vec<Point>,
    /// The seconds that commands have taken.
    pub spent: f64,
    /// That of the last folder.
    pub number: u32,
}

/// What comes next.
enum Next {
    Run(PlanEntry),
    End(String),
}

impl Campaign<'_> {
    /// Makes the runs of a plan that are not there yet, or those that decide.
    pub fn make(mut self, plan: &[PlanEntry], decision: Option<&Decision>) -> anyhow::Result<()> {
        let mut left = self.lacking(plan);
        let already = plan.len() * self.repetitions as usize - left.len();
        if already > 0 {
            self.context.say(format!("{already} runs of the plan are there already"));
        }
        let mut fresh = 0;
        let end = loop {
            let planned = match self.next(&mut left, decision)? {
                Next::Run(planned) => planned,
                Next::End(why) => break why,
            };
            let expected = planned.seconds.map_or(0.0, Seconds::get);
            if self.spent + expected > self.budget {
                break format!("the budget ends before {}; --resume goes on", in_words(&planned));
            }
            match self.run(&planned)? {
                None => break "interrupted; --resume goes on".to_owned(),
                Some(true) => fresh += 1,
                Some(false) if self.failed.len() >= self.max_failures as usize => {
                    anyhow::bail!(
                        "{} runs have failed; {fresh} were made and are in {}: look into {}, and go on with --resume",
                        self.failed.len(),
                        self.output.display(),
                        self.workdir.display()
                    );
                }
                Some(false) => {}
            }
        };
        let failed = self.failed.len();
        let failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        self.context.say(format!(
            "{end}: {fresh} runs made{failed}, {} in {}",
            self.runs.runs.len(),
            self.output.display()
        ));
        if self.interrupt.load(Ordering::SeqCst) {
            anyhow::bail!("interrupted; what was measured is kept")
        }
        Ok(())
    }

    /// The runs of a plan that are not there, each as often as it is repeated.
    fn lacking(&self, plan: &[PlanEntry]) -> VecDeque<PlanEntry> {
        let own = |run: &&Run| run.labels.contains_key(REPETITION);
        let mut there: Vec<&Run> = self.runs.runs.iter().filter(own).collect();
        let mut lacking = VecDeque::new();
        for planned in plan.iter().flat_map(|planned| std::iter::repeat_n(planned, self.repetitions as usize)) {
            match there.iter().position(|run| planned.is_of(run)) {
                Some(place) => drop(there.swap_remove(place)),
                None => lacking.push_back(planned.clone()),
            }
        }
        lacking
    }

    fn next(&self, left: &mut VecDeque<PlanEntry>, decision: Option<&Decision>) -> anyhow::Result<Next> {
        if self.interrupt.load(Ordering::SeqCst) {
            return Ok(Next::End("interrupted; --resume goes on".to_owned()));
        }
        if let Some(decision) = decision
            && let Some(next) = self.decide(decision, left)?
        {
            return Ok(next);
        }
        Ok(left.pop_front().map_or_else(|| Next::End("the plan is carried out".to_owned()), Next::Run))
    }

    /// What the decision asks for; nothing while too little is known, or where the plan goes on as it stands.
    fn decide(&self, decision: &Decision, left: &mut VecDeque<PlanEntry>) -> anyhow::Result<Option<Next>> {
        let known: Vec<Run> = self.before.iter().chain(&self.runs.runs).cloned().collect();
        let model = match fitted(&known, self.output) {
            Ok(model) if model.uncertainty.is_some() => model,
            _ if !left.is_empty() => return Ok(None),
            Ok(_) => return Ok(Some(Next::End("the plan is carried out, but says too little to decide".to_owned()))),
            Err(error) => return Err(error),
        };
        let mut advisor = decision.options.advisor(&model, &known, decision.cluster, decision.sizes, &[])?;
        advisor.exclude(&self.failed);
        let budget = Seconds::new((self.budget - self.spent).clamp(0.0, 1e15));
        let advice = advisor.advise_up_to(budget, usize::from(decision.advised));
        let told = |standing: &DecisionStatus| {
            let (choice, probability) = (&standing.choice.configuration, standing.probability * 100.0);
            format!("n = {}: {choice} in {}, good enough with {probability:.1} %", standing.size, standing.seconds)
        };
        let told = advice.decisions.iter().map(told).collect::<Vec<_>>().join("; ");
        if advisor.is_certain(&advice.decisions) {
            return Ok(Some(Next::End(format!("decided: {told}"))));
        }
        self.context.say(format!("so far {told}"));
        if !decision.advised {
            return Ok(None);
        }
        let Some(run) = advice.runs.into_iter().next() else {
            return Ok(Some(Next::End(format!("no further run helps within the budget: {told}"))));
        };
        let (variables, configuration) = (run.point.variables, run.point.configuration);
        let planned = PlanEntry { variables, configuration, seconds: Some(run.seconds) };
        Ok(Some(Next::Run(planned)))
    }

    /// Makes a run and writes it down: whether it went well; `None` when it was interrupted.
    fn run(&mut self, planned: &PlanEntry) -> anyhow::Result<Option<bool>> {
        let own = |run: &&Run| run.labels.contains_key(REPETITION) && planned.is_of(run);
        let repetition = self.runs.runs.iter().filter(own).count() as u32;
        let job = Job { planned, cluster: self.cluster, repetition };
        let folder = folder(&self.workdir, &mut self.number)?;
        let folder = folder.canonicalize().unwrap_or(folder);
        let command = job.prepare(self.template, &folder, &self.here)?;
        let Some(ended) = launch(&command, &folder, &self.interrupt)? else { return Ok(None) };
        self.spent += ended.seconds;
        let mut run = match self.reading.run(planned, &folder, &ended) {
            Ok(run) => run,
            Err(why) => {
                warn(format_args!("{} failed: {why}\n  {command}{}", in_words(planned), tail(&folder)));
                self.failed.push(Point::of(&planned.done(Seconds::new(1.0))));
                return Ok(Some(false));
            }
        };
        let others: &[Run] = if self.before.is_empty() { &self.runs.runs } else { &self.before };
        job.speak_like(&mut run, others);
        run.labels.insert(REPETITION.to_owned(), repetition.to_string());
        let expected = planned.seconds.map(|seconds| format!(", {seconds} were expected")).unwrap_or_default();
        self.context.say(format!("{}: {}{expected}", in_words(planned), run.seconds));
        self.runs.runs.push(run);
        file::write(self.output, &self.runs, true)?;
        Ok(Some(true))
    }
}

//! The greedy selection of runs, as long as they pay.

use super::advisor::{AdviceOptions, Advisor, Decision, DecisionStatus, is_mix};
use super::draws::{ChoiceQuality, PosteriorDraws};
use super::identify::identifying_plan;
use super::posterior::{Posterior, point_key};
use crate::scaling::search::SearchSpace;
use crate::scaling::{ExecutionTimeModel, ForecastError, MeasuredPoint, Point};
use orrery_base::units::Seconds;

/// The largest number of runs in one plan; refit before planning more.
const MAX_RUNS: usize = 500;

/// The least useful loss reduction, relative to the time of the choice; smaller values are rounding
/// errors.
const MIN_LOSS_REDUCTION: f64 = 1e-12;

/// The expected state of the decisions after some runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// The least probability of a good choice of all decisions.
    pub probability: f64,
    /// The largest expected loss of all decisions, relative to the best time.
    pub expected_loss: f64,
    /// The expected saving of all production runs by better choices than those before the runs, at
    /// least 0, without the cost of the runs.
    pub expected_saving: Seconds,
}

/// A run to make, with the expected state of the decisions after it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvisedRun {
    /// The point to run.
    pub point: Point,
    /// The expected time of one run.
    pub seconds: Seconds,
    /// The expected time of this run and all before it, with repetitions.
    pub cost: Seconds,
    /// The state after this run; `None` while the cost of a kind is not identified.
    pub outlook: Option<Outlook>,
}

/// The reason why the plan ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All decisions are expected to be certain.
    Certain,
    /// Further runs would help but exceed the budget or the number of runs.
    BudgetUsed,
    /// Further runs cost more than they are expected to save in the production runs.
    NoRunPays,
    /// No further run reduces the expected loss.
    NoUsefulRun,
    /// The runs show how fast kinds are that were never the slowest; choices need a fit with them.
    UnidentifiedKind,
}

impl StopReason {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::BudgetUsed => "budget",
            Self::NoRunPays => "no run pays",
            Self::NoUsefulRun => "nothing left to measure",
            Self::UnidentifiedKind => "unidentified kind",
        }
    }
}

/// The decisions that a plan is for, and the limits of its runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanLimits<'a> {
    /// The problem sizes for which a configuration is chosen.
    pub asked: &'a [f64],
    /// The problem sizes of the runs; if it is empty, those of [`Advisor::new`].
    pub sizes: &'a [f64],
    /// The limit of the total time of the runs.
    pub budget: Seconds,
    /// The points of runs that failed, which are not planned.
    pub failed: &'a [Point],
    /// The next runs of a plan under way, which is kept while it is the better one in expectation.
    pub under_way: &'a [Point],
}

/// The status of the decisions, and the runs to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The status before the runs.
    pub decisions: Vec<DecisionStatus>,
    /// The runs in the order in which they should be made.
    pub runs: Vec<AdvisedRun>,
    /// The state after the runs; `None` while the cost of a kind is not identified.
    pub outlook: Option<Outlook>,
    /// The reason why there are no more runs.
    pub stop_reason: StopReason,
}

impl Advice {
    /// Plans the next runs: those that identify the cost of kinds, or else those that improve
    /// decisions.
    ///
    /// # Errors
    ///
    /// As [`Advisor::new`].
    pub fn new(
        model: &ExecutionTimeModel,
        measured: &[MeasuredPoint],
        space: &SearchSpace,
        limits: &PlanLimits,
        options: AdviceOptions,
    ) -> Result<Self, ForecastError> {
        let identifying = model.as_terms().and_then(|terms| {
            identifying_plan(terms, measured, space, limits, options.repetitions)
        });
        if let Some(advice) = identifying {
            return Ok(advice);
        }
        let (asked, sizes) = (limits.asked, limits.sizes);
        let mut advisor = Advisor::new(model, measured, space, asked, sizes, options)?;
        advisor.exclude(limits.failed);
        Ok(advisor.advise_after(limits.budget, limits.under_way))
    }

    /// Returns true if no run is needed: all decisions are certain.
    pub fn is_decided(&self) -> bool {
        self.stop_reason == StopReason::Certain && self.runs.is_empty()
    }

    /// The expected saving without the cost of the runs, in seconds.
    fn net_saving(&self) -> f64 {
        let cost = self.runs.last().map_or(0.0, |run| run.cost.get());
        self.outlook.map_or(0.0, |outlook| outlook.expected_saving.get()) - cost
    }
}

impl Advisor<'_> {
    /// Plans the next runs within a budget of their total time.
    ///
    /// The runs pay: the plan ends where the expected saving of the production runs exceeds the
    /// cost of the runs by the largest amount. The first run of a mix is planned without this
    /// condition.
    pub fn advise(&self, budget: Seconds) -> Advice {
        self.advise_up_to(budget, MAX_RUNS)
    }

    /// A new plan, or the plan under way with its next runs if that is expected to save more.
    pub fn advise_after(&self, budget: Seconds, under_way: &[Point]) -> Advice {
        let new = self.advise(budget);
        let is_needed = new.decisions.iter().any(|decision| decision.is_untested_mix);
        let index = |point: &Point| {
            let key = point_key(self.model, point);
            let has_key = |&&run: &&usize| point_key(self.model, &self.points[run].point) == key;
            self.runs.iter().find(has_key).copied()
        };
        let begun: Vec<usize> = under_way.iter().filter_map(index).collect();
        if begun.is_empty() || is_needed || new.is_decided() {
            return new;
        }
        let kept = self.plan(budget, MAX_RUNS, &begun);
        if kept.net_saving() > new.net_saving() { kept } else { new }
    }

    /// Plans at most `max_runs` runs within a budget, for callers that refit the model after them.
    pub fn advise_up_to(&self, budget: Seconds, max_runs: usize) -> Advice {
        self.plan(budget, max_runs.min(MAX_RUNS), &[])
    }

    /// A plan of at most `max_runs` runs that begins with the runs `begun`.
    fn plan(&self, budget: Seconds, max_runs: usize, begun: &[usize]) -> Advice {
        let mut posterior = self.posterior();
        let mut draws = self.draws();
        let decisions = self.decision_status();
        let (mut runs, mut spent) = (Vec::new(), 0.0);
        let before = self.overall_quality(&draws);
        let outlook = |now: ChoiceQuality| Outlook {
            probability: now.probability,
            expected_loss: now.expected_loss,
            expected_saving: Seconds::new(
                (before.lost_seconds - now.lost_seconds).max(0.0) * f64::from(self.options.uses),
            ),
        };
        let mut last = outlook(before);
        let largest_saving = before.lost_seconds * f64::from(self.options.uses);
        // The number of runs that pay together, and the saving without their cost.
        let (mut paying, mut net_saving) = (0, 0.0);
        // The first run of a mix shows how kinds work together, which no probability knows.
        let mut is_tested = !decisions.iter().any(|decision| decision.is_untested_mix);
        let stop_reason = loop {
            if is_tested && last.probability >= self.options.confidence {
                break StopReason::Certain;
            }
            if paying >= max_runs {
                break StopReason::BudgetUsed;
            }
            let is_paid = largest_saving - spent > net_saving;
            if is_tested && !(is_paid && runs.len() < MAX_RUNS) {
                break StopReason::NoRunPays;
            }
            let left = budget.get() - spent;
            let next = |posterior: &Posterior, budget: f64| match begun.get(runs.len()) {
                _ if !is_tested => self.mixed_run(posterior, budget),
                Some(&run) => Some(run).filter(|&run| self.run_cost(posterior, run) <= budget),
                None => self.next_run(posterior, budget),
            };
            let Some(run) = next(&posterior, left) else {
                let too_expensive = next(&posterior, f64::INFINITY).is_some();
                break if too_expensive { StopReason::BudgetUsed } else { StopReason::NoUsefulRun };
            };
            draws.simulate_run(&posterior, run);
            posterior.condition_on(run);
            spent += self.run_cost(&posterior, run);
            last = outlook(self.overall_quality(&draws));
            runs.push(AdvisedRun {
                point: self.points[run].point.clone(),
                seconds: Seconds::new(posterior.mean(run)),
                cost: Seconds::new(spent),
                outlook: Some(last),
            });
            let net = last.expected_saving.get() - spent;
            if net > net_saving || !is_tested {
                (paying, net_saving, is_tested) = (runs.len(), net, true);
            }
        };
        let stop_reason = match stop_reason {
            _ if paying > max_runs => StopReason::BudgetUsed,
            _ if paying < runs.len() => StopReason::NoRunPays,
            reason => reason,
        };
        runs.truncate(paying.min(max_runs));
        let outlook = runs.last().and_then(|run| run.outlook).or(Some(outlook(before)));
        Advice { decisions, runs, outlook, stop_reason }
    }

    /// The run with the largest loss reduction per second that costs at most `budget` seconds;
    /// `None` if no such run reduces the loss.
    fn next_run(&self, posterior: &Posterior, budget: f64) -> Option<usize> {
        self.most_useful(posterior, budget, |_| true)
    }

    /// The same among the runs for which `is_possible` returns true.
    fn most_useful(
        &self,
        posterior: &Posterior,
        budget: f64,
        is_possible: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let reduction = |run: usize| {
            let of_decision = |decision: &Decision| {
                let alternatives = &decision.alternatives;
                posterior.loss_reduction(
                    run,
                    posterior.best(alternatives),
                    alternatives,
                    self.options.tolerance,
                )
            };
            self.decisions.iter().map(of_decision).sum::<f64>()
        };
        let affordable = self
            .runs
            .iter()
            .copied()
            .filter(|&run| is_possible(run) && self.run_cost(posterior, run) <= budget);
        let scored = affordable.map(|run| (run, reduction(run), self.run_cost(posterior, run)));
        let useful = scored.filter(|(_, reduction, _)| *reduction > MIN_LOSS_REDUCTION);
        let best = useful.max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)).then(b.0.cmp(&a.0)));
        best.map(|(run, _, _)| run)
    }

    /// The run of a mix of kinds with the largest loss reduction per second, or else the shortest
    /// one, that costs at most `budget` seconds; `None` if there is none.
    fn mixed_run(&self, posterior: &Posterior, budget: f64) -> Option<usize> {
        let is_mixed = |run: usize| is_mix(&self.points[run].point);
        self.most_useful(posterior, budget, is_mixed).or_else(|| {
            let possible = self.runs.iter().copied().filter(|&run| is_mixed(run));
            let affordable = possible.filter(|&run| self.run_cost(posterior, run) <= budget);
            affordable.min_by(|a, b| posterior.mean(*a).total_cmp(&posterior.mean(*b)))
        })
    }

    /// The expected time of a run with its repetitions, in seconds.
    fn run_cost(&self, posterior: &Posterior, run: usize) -> f64 {
        posterior.mean(run) * f64::from(self.options.repetitions)
    }

    /// The least probability, the largest expected loss and the sum of the lost seconds of all
    /// decisions.
    fn overall_quality(&self, draws: &PosteriorDraws) -> ChoiceQuality {
        let qualities = self
            .decisions
            .iter()
            .map(|decision| draws.choice_quality(&decision.alternatives, self.options.tolerance));
        let best = ChoiceQuality { probability: 1.0, expected_loss: 0.0, lost_seconds: 0.0 };
        qualities.fold(best, |overall, quality| ChoiceQuality {
            probability: f64::min(overall.probability, quality.probability),
            expected_loss: f64::max(overall.expected_loss, quality.expected_loss),
            lost_seconds: overall.lost_seconds + quality.lost_seconds,
        })
    }
}

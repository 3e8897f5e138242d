//! The greedy selection of runs.

use super::advisor::{Advisor, Decision, DecisionStatus, is_mix};
use super::draws::{ChoiceQuality, PosteriorDraws};
use super::posterior::Posterior;
use crate::scaling::Point;
use orrery_base::units::Seconds;

/// The largest number of runs in one plan; refit before planning more.
const MAX_RUNS: usize = 500;

/// The least useful loss reduction, relative to the time of the choice; smaller values are rounding
/// errors.
const MIN_LOSS_REDUCTION: f64 = 1e-12;

/// A run to make, with the expected state of the decisions after it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvisedRun {
    /// The point to run.
    pub point: Point,
    /// The expected time of one run.
    pub seconds: Seconds,
    /// The expected time of this run and all before it, with repetitions.
    pub cost: Seconds,
    /// The largest expected loss of all decisions after this run.
    pub expected_loss: f64,
    /// The least probability of a good choice of all decisions after this run.
    pub probability: f64,
}

/// The reason why the plan ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All decisions are expected to be certain.
    Certain,
    /// Further runs would help but exceed the budget or the number of runs.
    BudgetUsed,
    /// No further run reduces the expected loss.
    NoUsefulRun,
}

/// The status of the decisions, and the runs to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The status before the runs.
    pub decisions: Vec<DecisionStatus>,
    /// The runs in the order in which they should be made.
    pub runs: Vec<AdvisedRun>,
    /// The reason why there are no more runs.
    pub stop_reason: StopReason,
}

impl Advisor<'_> {
    /// Plans the next runs within a budget of their total time.
    pub fn advise(&self, budget: Seconds) -> Advice {
        self.advise_up_to(budget, MAX_RUNS)
    }

    /// Plans at most `max_runs` runs within a budget, for callers that refit the model after them.
    pub fn advise_up_to(&self, budget: Seconds, max_runs: usize) -> Advice {
        let mut posterior = self.posterior();
        let mut draws = self.draws();
        let decisions = self.decision_status();
        let (mut runs, mut spent) = (Vec::new(), 0.0);
        let mut probability =
            decisions.iter().map(|decision| decision.probability).fold(1.0, f64::min);
        // The first run of a mix shows how kinds work together, which no probability knows.
        let mut is_tested = !decisions.iter().any(|decision| decision.is_untested_mix);
        let stop_reason = loop {
            if is_tested && probability >= self.options.confidence {
                break StopReason::Certain;
            }
            if runs.len() == max_runs.min(MAX_RUNS) {
                break StopReason::BudgetUsed;
            }
            let left = budget.get() - spent;
            let next = |posterior: &Posterior, budget: f64| {
                if is_tested {
                    self.next_run(posterior, budget)
                } else {
                    self.mixed_run(posterior, budget)
                }
            };
            let Some(run) = next(&posterior, left) else {
                let too_expensive = next(&posterior, f64::INFINITY).is_some();
                break if too_expensive { StopReason::BudgetUsed } else { StopReason::NoUsefulRun };
            };
            is_tested = true;
            draws.simulate_run(&posterior, run);
            posterior.condition_on(run);
            spent += self.run_cost(&posterior, run);
            let worst = self.worst_quality(&draws);
            probability = worst.probability;
            runs.push(AdvisedRun {
                point: self.points[run].point.clone(),
                seconds: Seconds::new(posterior.mean(run)),
                cost: Seconds::new(spent),
                expected_loss: worst.expected_loss,
                probability,
            });
        };
        Advice { decisions, runs, stop_reason }
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

    /// The least probability and the largest expected loss of all decisions.
    fn worst_quality(&self, draws: &PosteriorDraws) -> ChoiceQuality {
        let qualities = self
            .decisions
            .iter()
            .map(|decision| draws.choice_quality(&decision.alternatives, self.options.tolerance));
        let best = ChoiceQuality { probability: 1.0, expected_loss: 0.0 };
        qualities.fold(best, |worst, quality| ChoiceQuality {
            probability: f64::min(worst.probability, quality.probability),
            expected_loss: f64::max(worst.expected_loss, quality.expected_loss),
        })
    }
}

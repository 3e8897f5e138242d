use super::advisor::{Decision, choice};
use super::belief::Belief;
use super::worlds::Worlds;
use super::{Advisor, DecisionStatus};
use crate::scaling::Point;
use crate::units::Seconds;

/// No more runs are advised at a time: fit again then.
const MOST: usize = 500;

/// A run that should be made.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvisedRun {
    /// What is to be run.
    pub point: Point,
    /// How long one run of it is believed to take.
    pub seconds: Seconds,
    /// What this run and all before it take, with repetitions.
    pub cost: Seconds,
    /// The expected loss of the worst decision after it.
    pub expected_loss: f64,
    /// The probability of the least certain decision after it.
    pub probability: f64,
}

/// Why no more runs are advised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The decisions will be certain.
    Certain,
    /// Further runs would help, but cost more than is left.
    BudgetUsed,
    /// No further run would help.
    NoUsefulRun,
}

/// Which runs to make, and what for.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// How the decisions stand now.
    pub decisions: Vec<DecisionStatus>,
    /// The runs in the order in which they should be made.
    pub runs: Vec<AdvisedRun>,
    /// Why there are no more.
    pub stop_reason: StopReason,
}

impl Advisor<'_> {
    /// The runs to make next, as long as their times come to no more than a budget.
    pub fn advise(&self, budget: Seconds) -> Advice {
        self.advise_up_to(budget, MOST)
    }

    /// The same, but no more than so many runs: where the model is fitted again before the next.
    pub fn advise_up_to(&self, budget: Seconds, most: usize) -> Advice {
        let mut belief = self.belief();
        let mut worlds = self.worlds();
        let standings = self.decision_status();
        let (mut runs, mut spent) = (Vec::new(), 0.0);
        let mut probability = standings.iter().map(|standing| standing.probability).fold(1.0, f64::min);
        let end = loop {
            if probability >= self.options.confidence {
                break StopReason::Certain;
            }
            if runs.len() == most.min(MOST) {
                break StopReason::BudgetUsed;
            }
            let left = budget.get() - spent;
            let Some(run) = self.next(&belief, left) else {
                let dear = self.next(&belief, f64::INFINITY).is_some();
                break if dear { StopReason::BudgetUsed } else { StopReason::NoUsefulRun };
            };
            worlds.observe(&belief, run);
            belief.observe(run);
            spent += self.cost(&belief, run);
            let loss;
            (probability, loss) = self.worst(&worlds);
            let (point, seconds) = (self.places[run].point.clone(), Seconds::new(belief.mean(run)));
            runs.push(AdvisedRun { point, seconds, cost: Seconds::new(spent), expected_loss: loss, probability });
        };
        Advice { decisions: standings, runs, stop_reason: end }
    }

    /// The run that relieves most for its cost, of those that cost no more than what is left.
    fn next(&self, belief: &Belief, left: f64) -> Option<usize> {
        let relief = |run: usize| {
            let of = |decision: &Decision| {
                let alternatives = &decision.alternatives;
                belief.relief(run, choice(belief, alternatives), alternatives, self.options.tolerance)
            };
            self.decisions.iter().map(of).sum::<f64>()
        };
        let affordable = self.runs.iter().copied().filter(|&run| self.cost(belief, run) <= left);
        let scored = affordable.map(|run| (run, relief(run), self.cost(belief, run)));
        // A relief within rounding errors is none.
        let useful = scored.filter(|(_, relief, _)| *relief > LEAST);
        let best = useful.max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)).then(b.0.cmp(&a.0)));
        best.map(|(run, _, _)| run)
    }

    fn cost(&self, belief: &Belief, run: usize) -> f64 {
        belief.mean(run) * f64::from(self.options.repetitions)
    }

    /// The least probability and the largest loss of all decisions.
    fn worst(&self, worlds: &Worlds) -> (f64, f64) {
        let each = self.decisions.iter().map(|decision| worlds.judge(&decision.alternatives, self.options.tolerance));
        each.fold((1.0, 0.0), |(probability, loss), worth| {
            (f64::min(probability, worth.probability), f64::max(loss, worth.loss))
        })
    }
}

/// A relief below this part of the time of the choice does not count.
const LEAST: f64 = 1e-12;

//! A value of a variable at which the law of the time changes, such as the size from which data no
//! longer fit a cache, or the number of nodes from which messages leave a switch.

use serde::{Deserialize, Serialize};

use super::observations::{Group, Observations};
use super::point::Point;
use super::selection::BestSum;

/// The law of the time changes between two measured values of a variable; a model is that of the
/// runs from the upper one on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawChange {
    /// The variable.
    pub variable: String,
    /// The largest measured value with the other law.
    pub below: f64,
    /// The smallest measured value with the law of the model.
    pub from: f64,
}

/// The least number of values of a variable on each side of a change.
const MIN_VALUES: usize = 4;

/// The difference of scores, −2·log of probabilities, from which two laws explain runs better than
/// one: a change needs odds of 400 to 1.
const MIN_DIFFERENCE: f64 = 12.0;

/// The ratio of the variances of the points about one law and about two from which laws change:
/// some of many sums pass near the few points of each side by chance.
const MIN_VARIANCE_RATIO: f64 = 36.0;

/// The squared relative error that is due to rounding.
const ROUNDING: f64 = 1e-12;

impl LawChange {
    /// Returns true for a point of the law of the model.
    pub fn applies_to(&self, point: &Point) -> bool {
        point.variables.get(&self.variable).is_none_or(|value| *value > self.below)
    }

    /// The most probable change; `None` if one law explains the runs as well.
    ///
    /// `best` is the best law of some runs. The runs below and above each value of each variable that
    /// varies freely, with enough values on both sides, have a law each; all such changes have the
    /// same probability before.
    pub(super) fn find(
        observations: &Observations,
        best: impl Fn(&Observations) -> BestSum,
    ) -> Option<Self> {
        let mut changes = Vec::new();
        for name in observations.varying_freely() {
            let values = values(observations, name);
            let ends = MIN_VALUES..(values.len() + 1).saturating_sub(MIN_VALUES);
            changes.extend(ends.map(|at| Self {
                variable: name.to_owned(),
                below: values[at - 1],
                from: values[at],
            }));
        }
        let count = changes.len() as f64;
        let sides = |change: Self| {
            let upper = best(&observations.restricted(|group| change.has(group)));
            let lower = best(&observations.restricted(|group| !change.has(group)));
            let both = BestSum {
                score: upper.score + lower.score,
                square: upper.square + lower.square,
                parameters: upper.parameters + lower.parameters + 1,
            };
            (both, change)
        };
        let all = changes.into_iter().map(sides);
        let (both, change) = all.min_by(|(a, _), (b, _)| a.score.total_cmp(&b.score))?;
        let one = best(observations);
        let points = observations.groups.len();
        let variance = |of: &BestSum| {
            let free = points.saturating_sub(of.parameters).max(1);
            (of.square + ROUNDING * points as f64) / free as f64
        };
        let is_better = both.score + 2.0 * count.ln() + MIN_DIFFERENCE < one.score;
        let is_nearer = variance(&one) > MIN_VARIANCE_RATIO * variance(&both);
        (is_better && is_nearer).then_some(change)
    }

    /// Returns true for a group of runs with the law of the model.
    pub(super) fn has(&self, group: &Group) -> bool {
        self.applies_to(&group.point)
    }
}

/// The measured values of a variable, ascending.
fn values(observations: &Observations, name: &str) -> Vec<f64> {
    let of = |group: &Group| group.point.variables.get(name).copied();
    let mut values: Vec<f64> = observations.groups.iter().filter_map(of).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}
